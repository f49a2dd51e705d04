const MIB = 1024 * 1024;

/** Limit of a request body in bytes, unless its route sets another. */
export const DEFAULT_BODY_LIMIT = MIB;
/** Limit for routes that accept documents: ingest, imports, push. */
export const DOCUMENT_BODY_LIMIT = 32 * MIB;
/** The most bytes of a text that can be read as it was sent, changed, and kept as a version. */
export const MAX_TEXT_BYTES = 8 * MIB;
/** Limit for routes that accept batches: the two `complete` routes, and POST memories. */
export const BATCH_BODY_LIMIT = 8 * MIB;
