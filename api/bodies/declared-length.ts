import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';

/** Whether the body is sent in chunks, so that its length is known only at its end. */
export function isChunked({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined;
}

/** The length that a request declares for its body; null if the body is chunked or absent. */
export function declaredLength(request: Pick<IncomingMessage, 'headers'>): number | null {
  const length = request.headers['content-length'];
  return length === undefined || isChunked(request) ? null : Number(length);
}

/**
 * Like `declaredLength`, but refuses a length above the limit of the route.
 * @throws ServiceError `payload_too_large`
 */
export function acceptedLength(request: FastifyRequest): number | null {
  const length = declaredLength(request);
  if (length !== null && length > request.routeOptions.bodyLimit) throw new ServiceError('payload_too_large');
  return length;
}
