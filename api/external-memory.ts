import { setFlagsFromString } from 'node:v8';

/**
 * Counts external memory, which contains bodies and their texts, towards the limit of the heap. By default it has its
 * own limit of 64 MiB. Three requests of 250 chunks with vectors reached that limit, and each time V8 marked the
 * whole heap. With the flag, a chunk takes a tenth less work, and the process is a seventh larger (`npm run
 * bench:search -- --parts ingest`).
 */
export const EXTERNAL_MEMORY_FLAG = '--external-memory-accounted-in-global-limit';

/**
 * Call once, before much memory is allocated. A V8 that does not know the flag reports that on stderr and ignores it.
 */
export function countExternalMemoryWithHeap(): void {
  setFlagsFromString(EXTERNAL_MEMORY_FLAG);
}
