import { setFlagsFromString } from 'node:v8';

/**
 * Has memory outside the heap, where bodies and their texts lie, count towards the limit of the heap and not towards one
 * of its own. That one is 64 MiB: three requests of 250 chunks with their vectors reached it, and each time all of the
 * heap was marked. Without that a tenth less work is done for a chunk, and the process became a seventh larger
 * (`npm run bench:search -- --parts ingest`).
 */
export const EXTERNAL_MEMORY_FLAG = '--external-memory-accounted-in-global-limit';

/** Called once, before much is allocated. A V8 that does not know the flag says so on stderr, and all goes on as without. */
export function countExternalMemoryWithHeap(): void {
  setFlagsFromString(EXTERNAL_MEMORY_FLAG);
}
