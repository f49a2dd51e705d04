import type { FastifyReply } from 'fastify';

/**
 * A signal that is aborted when the connection of a request closes, so that long work stops if nobody receives its
 * answer. Fastify's `request.signal` (5.12) cannot be used: it is aborted as soon as the body has been read.
 */
export function disconnectSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const disconnected = new AbortController();
  if (raw.destroyed) disconnected.abort();
  else raw.once('close', () => disconnected.abort());
  return disconnected.signal;
}
