import { setFlagsFromString } from 'node:v8';

/**
 * How V8 collects garbage in the API process. They are set here and not on the command line, so that every way to start
 * the process has them.
 */
export const GARBAGE_COLLECTION_FLAGS = [
  // Counts external memory, which contains bodies and their texts, towards the limit of the heap. By default it has its
  // own limit of 64 MiB. Three requests of 250 chunks with vectors reached that limit, and each time V8 marked the
  // whole heap. With the flag, a chunk takes a tenth less work (`npm run bench:search -- --parts ingest`).
  '--external-memory-accounted-in-global-limit',
  // Collects when the heap has grown by this share since the last time. By default it can grow fourfold, and then what
  // is left of large bodies stays in memory for minutes (`npm run bench:memory`). This is no limit: the process does not
  // fail if it needs more.
  '--heap-growing-percent=30',
] as const;

/** Call once, before much memory is allocated. A V8 that does not know a flag reports that on stderr and ignores it. */
export function setGarbageCollectionFlags(): void {
  for (const flag of GARBAGE_COLLECTION_FLAGS) setFlagsFromString(flag);
}
