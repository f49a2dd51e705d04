import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { ServiceError } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { problemDocument } from './plugins/errors.ts';

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The address and headers of the request are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/**
 * Answers input that is not a complete HTTP request. Fastify has no request object for it, so no route can refuse it.
 */
export function refuseConnection(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newId();
  const problem = new ServiceError('invalid_request', DETAILS[error.code] ?? 'The request is not valid HTTP');
  const body = JSON.stringify(problemDocument(problem, requestId));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ];
  // Destroyed after the answer is written; otherwise a caller that never closes its side keeps the connection.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
