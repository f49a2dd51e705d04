import type { JsonLimits } from '../bodies/json-shape.ts';

/**
 * Limits for the JSON of bodies. Parsing a body is one step of the event loop, and the limits keep it short, whatever the
 * body contains. What costs most are objects with many different names.
 * Every limit is above the largest body that the schema of its route accepts, except those of complete: see there.
 * Metadata of 16 KiB can hold 5,500 arrays and objects, 3,300 object members, 6,600 strings and 8,200 values; a chunk
 * or an item with a vector has 1,024 numbers, or one string.
 */
export const DEFAULT_JSON_LIMITS: JsonLimits = {
  containers: 10_000,
  members: 10_000,
  strings: 20_000,
  // More than fit in 1 MiB, so that a vector that is too long gets the error for its length.
  values: 600_000,
};
/** Ingest: 2,000 chunks with a text and a vector, and metadata. */
export const INGEST_JSON_LIMITS: JsonLimits = {
  containers: 10_000,
  members: 10_000,
  strings: 20_000,
  values: 2_200_000,
};
/** Embeddings/complete: 256 vectors. */
export const EMBEDDINGS_JSON_LIMITS: JsonLimits = {
  containers: 1_000,
  members: 1_000,
  strings: 2_000,
  values: 300_000,
};
/**
 * Consolidation/complete: 40 items, each with metadata and a vector. For each item, there is room for 800 lists or objects
 * and 1,500 members: 16 KiB of records of 22 bytes. Items that are all full of smaller ones, such as empty lists, must be
 * sent in several requests.
 */
export const COMPLETE_JSON_LIMITS: JsonLimits = {
  containers: 32_000,
  members: 60_000,
  strings: 120_000,
  // A number in a list costs little.
  values: 400_000,
};
/**
 * Messages of MCP: `arguments` that are nested too deep are the result of a call, so they must be parsed. The number of
 * arrays and objects limits the depth here.
 */
export const MCP_JSON_LIMITS: JsonLimits = { ...DEFAULT_JSON_LIMITS, depth: DEFAULT_JSON_LIMITS.containers };

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Limits for the JSON of the route's body. The default is DEFAULT_JSON_LIMITS. */
    jsonLimits?: JsonLimits;
  }
}
