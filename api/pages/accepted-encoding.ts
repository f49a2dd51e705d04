import type { FastifyReply, FastifyRequest } from 'fastify';

/** The encodings in which pages and long answers are sent. */
export type Encoding = 'br' | 'gzip';

/** Shorter texts gain nothing from compression. */
export const MIN_COMPRESSED_BYTES = 1000;

/**
 * Chooses the encoding of an answer, and tells caches that it depends on the request.
 * @returns the best one that the browser accepts, by its header Accept-Encoding; null if it accepts none
 */
export function chooseEncoding(request: FastifyRequest, reply: FastifyReply): Encoding | null {
  // An answer can be looked at twice: as a page and as any answer.
  const vary = String(reply.getHeader('vary') ?? '');
  if (!vary.toLowerCase().includes('accept-encoding')) {
    reply.header('vary', [vary, 'Accept-Encoding'].filter(Boolean).join(', '));
  }
  const accepted = new Set<string>();
  for (const part of String(request.headers['accept-encoding'] ?? '').split(',')) {
    const [coding = '', weight = ''] = part.split(';').map((word) => word.trim().toLowerCase());
    if (weight === '' || Number(weight.replace('q=', '')) > 0) accepted.add(coding);
  }
  return accepted.has('br') ? 'br' : accepted.has('gzip') ? 'gzip' : null;
}
