import type { FastifyReply } from 'fastify';

/**
 * Reads a header that lists names with weights, such as Accept-Encoding.
 * @returns the weight of each name, from 0 (refused) to 1; names that are absent have none
 */
export function acceptedWeights(header: string | string[] | undefined): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    const given = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = given === undefined ? 1 : Number(given.slice(2));
    // A weight that is not a number counts as none.
    if (name !== '') weights.set(name, weight >= 0 ? Math.min(weight, 1) : 0);
  }
  return weights;
}

/** Tells caches that an answer depends on this header of its request. */
export function addVary(reply: FastifyReply, header: string): void {
  const known = String(reply.getHeader('vary') ?? '');
  const names = known.split(',').map((name) => name.trim());
  if (names.some((name) => name.toLowerCase() === header.toLowerCase())) return;
  reply.header('vary', [...names, header].filter(Boolean).join(', '));
}
