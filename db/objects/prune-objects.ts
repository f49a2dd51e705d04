import { asWorker, type Database } from '../driver/database.ts';
import { findUnusedObjects } from '../queries/workspace/bucket-contents.ts';
import type { Bucket } from './bucket.ts';
import { forEach } from './for-each.ts';

const PAGE_OBJECTS = 1000;
const LIST_MS = 60_000;
/** Of one object. */
const DELETE_MS = 30_000;
/** Deletions at the same time. */
const CONCURRENCY = 8;

/**
 * Deletes objects that no content has: of processes that were killed after an upload, or before they could delete an
 * object. Examines one page of the bucket.
 * @param after the key after which the page begins; null: at the beginning
 * @param writtenBefore an object that is younger is left: its row can be about to be written
 * @returns the key after which the next page begins, null at the end, and how many were deleted
 */
export async function pruneObjects(
  database: Database,
  bucket: Bucket,
  after: string | null,
  writtenBefore: Date,
): Promise<{ next: string | null; removed: number }> {
  const { objects, next } = await bucket.list(PAGE_OBJECTS, after, AbortSignal.timeout(LIST_MS));
  const old = objects
    .filter(({ writtenAt }) => writtenAt !== null && writtenAt < writtenBefore)
    .flatMap(({ key }) => bucket.nameOf(key) ?? []);
  if (old.length === 0) return { next, removed: 0 };
  const unused = await asWorker(database, (tx) => findUnusedObjects(tx, old));
  // The name of an object is never used again, so no content can get one of these now.
  const names = old.filter(({ objectId }) => unused.has(objectId));
  await forEach(names, CONCURRENCY, (name) =>
    bucket.delete(bucket.keyOf(name), AbortSignal.timeout(DELETE_MS)),
  );
  return { next, removed: names.length };
}
