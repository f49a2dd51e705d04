import { Agent, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What came back, and when all of it had. The body is not taken apart yet. */
export interface Answer {
  status: number;
  ms: number;
  body: Buffer;
}

/** Asks a server over connections that stay open. */
export interface Asking {
  ask(method: string, path: string, body?: Body, headers?: Record<string, string>): Promise<Answer>;
  close(): void;
}

/** An object is sent as JSON. */
type Body = Buffer | object;

export const bytesOf = (body: Body): Buffer =>
  Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));

/**
 * @param sockets how many connections
 * @param headers of each request
 * @param signal aborts requests that were not answered
 */
export function askingAt(
  url: string | URL,
  {
    sockets = 1,
    headers = {},
    signal,
  }: { sockets?: number; headers?: Record<string, string>; signal?: () => AbortSignal } = {},
): Asking {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  return {
    ask: async (method, path, body, own = {}) => {
      const bytes = body === undefined ? null : bytesOf(body);
      const type =
        bytes === null ? {} : { 'content-type': 'application/json', 'content-length': bytes.length };
      const began = performance.now();
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      request(new URL(path, url), {
        agent,
        method,
        headers: { ...headers, ...own, ...type },
        ...(signal === undefined ? {} : { signal: signal() }),
      })
        .on('response', resolve)
        .on('error', reject)
        .end(bytes ?? undefined);
      const response = await promise;
      const answer = await buffer(response);
      return { status: response.statusCode ?? 0, ms: performance.now() - began, body: answer };
    },
    close: () => agent.destroy(),
  };
}

/** @throws Error for an answer that is none of success, with its body */
export function succeeded(answer: Answer): Answer {
  if (answer.status >= 200 && answer.status < 300) return answer;
  throw new Error(`${answer.status} ${answer.body.toString().slice(0, 500)}`);
}

/** The body of a success. */
export const jsonOf = <T>(answer: Answer): T => JSON.parse(succeeded(answer).body.toString()) as T;
