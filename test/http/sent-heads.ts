import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';

export interface HeadAnswer {
  statusCode: number;
  headers: IncomingMessage['headers'];
  body: string;
  json<T>(): T;
}

/** A request on a connection of its own: its head is sent, its body is not. */
export interface SentHead {
  request: ClientRequest;
  answer: Promise<HeadAnswer>;
}

/**
 * Sends the head of a POST and nothing of its body.
 * @param length the Content-Length that it declares; null for a chunked body
 */
export function sendHead(
  base: string,
  path: string,
  headers: Record<string, string>,
  length: number | null,
): SentHead {
  const request = openRequest(base + path, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      ...headers,
      ...(length === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': length }),
    },
  });
  const answer = once(request, 'response').then(
    async ([response]: IncomingMessage[]): Promise<HeadAnswer> => {
      const body = await text(response!);
      return {
        statusCode: response!.statusCode!,
        headers: response!.headers,
        body,
        json: () => JSON.parse(body),
      };
    },
  );
  // Of a request that is aborted no answer is expected.
  answer.catch(() => {});
  request.on('error', () => {});
  request.flushHeaders();
  return { request, answer };
}
