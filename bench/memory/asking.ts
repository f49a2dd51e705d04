import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { API_TOKEN } from '../../test/support/needs/process.ts';

/** How many requests of a kind got each status. */
export type Counts = Record<string, Record<string, number>>;

/** Asks the service and counts the answers. Nothing here throws for a refusal: a load goes on. */
export class Asking {
  readonly counts: Counts = {};
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(url: string) {
    this.#url = new URL(url);
  }

  /** Sends a request; the text of the answer, or null unless its status is a success. */
  async send(kind: string, method: string, path: string, body?: Buffer): Promise<string | null> {
    const response = await this.#open(method, path, body).catch((error: NodeJS.ErrnoException) => error);
    if (response instanceof Error) return this.#count(kind, response.code ?? response.message);
    const answer = await text(response).catch((error: NodeJS.ErrnoException) => error);
    if (answer instanceof Error) return this.#count(kind, answer.code ?? answer.message);
    this.#count(kind, String(response.statusCode));
    return (response.statusCode ?? 500) < 300 ? answer : null;
  }

  post(kind: string, path: string, body: object | Buffer): Promise<string | null> {
    return this.send(kind, 'POST', path, Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)));
  }

  /** Sends the first part of a body and closes the connection. */
  async abort(kind: string, path: string, body: Buffer, sent: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const asked = request(new URL(path, this.#url), { method: 'POST', headers: this.#headers(body) });
    asked.on('error', () => resolve());
    asked.on('close', () => resolve());
    asked.write(body.subarray(0, sent), () => asked.destroy());
    await promise;
    this.#count(kind, 'aborted');
  }

  close(): void {
    this.#agent.destroy();
  }

  #headers(body: Buffer | undefined): OutgoingHttpHeaders {
    const headers: OutgoingHttpHeaders = { authorization: `Bearer ${API_TOKEN}` };
    if (body === undefined) return headers;
    return { ...headers, 'content-type': 'application/json', 'content-length': body.length };
  }

  #open(method: string, path: string, body: Buffer | undefined): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const asked = request(new URL(path, this.#url), {
      method,
      agent: this.#agent,
      headers: this.#headers(body),
    });
    asked.on('response', resolve).on('error', reject).end(body);
    return promise;
  }

  #count(kind: string, status: string): null {
    const counts = (this.counts[kind] ??= {});
    counts[status] = (counts[status] ?? 0) + 1;
    return null;
  }
}
