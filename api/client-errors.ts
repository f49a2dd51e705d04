import type { Socket } from 'node:net';
import type { ConnectionError } from 'fastify';
import { ServiceError } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import { problemDocument } from './plugins/errors.ts';

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The address and headers of the request are too long',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
};

/** Answers what is not an HTTP request, or stopped half-way: there is no request yet that a route could refuse. */
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
  // Destroyed when written: a client that never closes its side would keep the connection.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
