import type { FastifyReply } from 'fastify';

/**
 * Aborted when the connection of a request closes before its answer is sent, so that long work for nobody can stop.
 * Not Fastify's `request.signal` (5.12): that is aborted as soon as the body has been read.
 */
export function goneSignal({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  if (raw.destroyed) gone.abort();
  else raw.once('close', () => gone.abort());
  return gone.signal;
}
