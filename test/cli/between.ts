import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** A request on its way to the service. */
export interface Passing {
  method: string;
  /** Without its query. */
  path: string;
  /** As JSON, or undefined. */
  body: unknown;
}

/**
 * What happens to a request: it passes, it is lost before the service has it, its answer is lost, or another answers
 * in the service's place.
 */
export type Fate =
  | 'passes'
  | 'is lost'
  | 'loses its answer'
  | { status: number; headers?: Record<string, string>; body: unknown };

/** What stands between a program and the service, with all that passed. */
export interface Between {
  url: string;
  passed: Passing[];
}

/** Opens such places for a file's tests, to be closed when they are done. Call it at file level. */
export function openPlaces(): (
  service: string,
  fate: (request: Passing) => Fate | Promise<Fate>,
) => Promise<Between> {
  const servers: ReturnType<typeof createServer>[] = [];
  after(() => {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  });
  return async (service, fate) => {
    const passed: Passing[] = [];
    const pass = async (request: IncomingMessage, response: ServerResponse) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const sent = Buffer.concat(chunks);
      const { method = 'GET', url = '/' } = request;
      const body = sent.length === 0 ? undefined : (JSON.parse(sent.toString('utf8')) as unknown);
      const passing = { method, path: url.split('?', 1)[0] ?? '', body };
      passed.push(passing);
      const met = await fate(passing);
      if (met === 'is lost') return void response.destroy();
      if (typeof met === 'object') {
        response.writeHead(met.status, { 'content-type': 'application/problem+json', ...met.headers });
        return void response.end(JSON.stringify(met.body));
      }
      const { host: _host, connection: _connection, ...headers } = request.headers;
      const answer = await fetch(service + url, {
        method,
        headers: headers as Record<string, string>,
        ...(sent.length === 0 ? {} : { body: sent }),
      });
      const text = await answer.text();
      if (met === 'loses its answer') return void response.destroy();
      const type = answer.headers.get('content-type');
      const retryAfter = answer.headers.get('retry-after');
      response.writeHead(answer.status, {
        ...(type === null ? {} : { 'content-type': type }),
        ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      });
      response.end(text);
    };
    const server = createServer((request, response) => {
      // The caller can be gone by then.
      pass(request, response).catch(() => response.destroy());
    });
    servers.push(server);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, passed };
  };
}
