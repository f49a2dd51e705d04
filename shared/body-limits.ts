const MIB = 1024 * 1024;

/** Limit of a request body in bytes, unless its route sets another. */
export const DEFAULT_BODY_LIMIT = MIB;
/** Limit for routes that accept documents: ingest, imports, push. */
export const DOCUMENT_BODY_LIMIT = 32 * MIB;
/** Limit for routes that accept batches: the two `complete` routes, and POST memories. */
export const BATCH_BODY_LIMIT = 8 * MIB;
