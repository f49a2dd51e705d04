import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptedWeights, addVary } from '../request/negotiation.ts';

/** The encodings in which pages and long answers are sent, the best one first. */
const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Shorter texts gain nothing from compression. */
export const MIN_COMPRESSED_BYTES = 1000;

/**
 * Chooses the encoding of an answer, and tells caches that it depends on the request.
 * @returns the best one that the browser accepts, by its header Accept-Encoding; null if it accepts none
 */
export function chooseEncoding(request: FastifyRequest, reply: FastifyReply): Encoding | null {
  addVary(reply, 'Accept-Encoding');
  const weights = acceptedWeights(request.headers['accept-encoding']);
  return ENCODINGS.find((encoding) => (weights.get(encoding) ?? 0) > 0) ?? null;
}
