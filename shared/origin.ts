/**
 * Who a text comes from, the least trusted first: somebody outside the Company, a program, a file that a person added, a
 * person. The type `memory.origin` of the database has the same order.
 */
export const ORIGINS = ['outside', 'agent', 'file', 'person'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The lowest of some origins: a text that is made of several is trusted as the least trusted of them. */
export function lowestOrigin(...origins: readonly [Origin, ...Origin[]]): Origin {
  return origins.reduce((low, origin) => (ORIGINS.indexOf(origin) < ORIGINS.indexOf(low) ? origin : low));
}
