const MIB = 1024 * 1024;

/** The bound of a body in bytes, unless its route says otherwise. */
export const DEFAULT_BODY_LIMIT = MIB;
/** Of routes that take documents: ingest, imports, push. */
export const DOCUMENT_BODY_LIMIT = 32 * MIB;
/** Of routes that take batches: both `complete`, and POST memories. */
export const BATCH_BODY_LIMIT = 8 * MIB;
