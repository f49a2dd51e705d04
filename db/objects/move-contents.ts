import { asWorker, type Database } from '../driver/database.ts';
import { findUnusedObjects, type StoredObject } from '../queries/workspace/contents.ts';
import {
  countMovable,
  listMovable,
  type Movable,
  type MoveTarget,
  placeInBucket,
  placeInDatabase,
  readRow,
  setPlace,
} from '../queries/workspace/moved-contents.ts';
import { checkBucket, downloadContent, uploadContent } from './blobs.ts';
import { assertContent, type Bucket, forEach, isBadObject } from './bucket.ts';

/** How far a move has come. */
export interface MoveProgress {
  /** Contents that were moved, and their bytes. */
  moved: number;
  bytes: number;
  /** Contents that were to be moved when it began, or those that were moved if these are more. */
  total: number;
  /** The contents that cannot be moved, because their bytes are not those that were stored. */
  damaged: string[];
}

/** Contents that are read from the database with one statement, and those that are moved at the same time. */
const LIST_SIZE = 100;
const CONCURRENCY = 4;
/** Of one content. Nobody waits for it, so it is longer than in a request. */
const TRANSFER_MS = 60_000;
const DELETE_MS = 10_000;

/**
 * Moves all contents between the database and the bucket, while the service runs. Each content is verified in its new place
 * before the old one is deleted, so a move that was interrupted continues where it stopped. New contents are stored in the
 * target from the beginning on, except that a push which began before can still store one in the database. So all contents
 * are examined again until nothing is left to move.
 * @returns the progress after each part, the last one at the end
 * @throws ConfigError with one line for the operator, if the bucket to move to refuses; nothing has changed then
 * @throws ObjectFault if the bucket does not answer
 */
export async function* moveContents(
  database: Database,
  bucket: Bucket,
  to: MoveTarget,
): AsyncGenerator<MoveProgress, void> {
  // Before new contents go to it.
  if (to === 's3') await checkBucket(bucket);
  await setPlace(database, to);
  const counts = { moved: 0, bytes: 0, total: await countMovable(database, to) };
  const damaged = new Set<string>();
  const progress = (): MoveProgress => ({ ...counts, damaged: [...damaged] });
  const move = to === 's3' ? moveToBucket : moveToDatabase;
  let after: Movable | null = null;
  let movedBefore = 0;
  for (;;) {
    const contents: Movable[] = await listMovable(database, to, after, LIST_SIZE);
    if (contents.length === 0) {
      if (counts.moved === movedBefore) break;
      // A push that began before the move can have stored a content behind this place.
      movedBefore = counts.moved;
      after = null;
      continue;
    }
    const moveOne = async (content: Movable) => {
      try {
        if (!(await move(database, bucket, content))) return;
        counts.moved += 1;
        counts.bytes += content.bytes;
        counts.total = Math.max(counts.total, counts.moved);
      } catch (error) {
        if (!isBadObject(error)) throw error;
        damaged.add(`${content.companyId}/${content.sha256}`);
      }
    };
    await forEach(contents, CONCURRENCY, moveOne);
    after = contents.at(-1) ?? null;
    yield progress();
  }
  yield progress();
}

/**
 * Deletes an object that no content has. If it fails, the content has its new place nevertheless, and the job that looks for
 * unused objects deletes it later.
 */
async function deleteUnused(bucket: Bucket, companyId: string, object: StoredObject): Promise<void> {
  const key = bucket.keyOf({ companyId, ...object });
  await bucket.delete(key, AbortSignal.timeout(DELETE_MS)).catch(() => undefined);
}

/** Returns false if the content was deleted or moved in the meantime. */
async function moveToBucket(database: Database, bucket: Bucket, content: Movable): Promise<boolean> {
  const { companyId, sha256 } = content;
  const bytes = await readRow(database, content);
  if (bytes === null) return false;
  assertContent(bytes, content);
  const signal = AbortSignal.timeout(TRANSFER_MS);
  const object = await uploadContent(bucket, companyId, { sha256, content: bytes }, signal);
  // The bytes of the row are deleted next, so what the bucket has acknowledged is read first.
  await downloadContent(bucket, companyId, object, signal);
  if (await placeInBucket(database, companyId, object)) return true;
  await deleteUnused(bucket, companyId, object);
  return false;
}

/** Returns false if the content was deleted or moved in the meantime. */
async function moveToDatabase(database: Database, bucket: Bucket, content: Movable): Promise<boolean> {
  const { companyId, object } = content;
  if (object === null) return false;
  const signal = AbortSignal.timeout(TRANSFER_MS);
  const bytes = await downloadContent(bucket, companyId, object, signal);
  if (!(await placeInDatabase(database, companyId, object, bytes))) return false;
  await deleteUnused(bucket, companyId, object);
  return true;
}

const PAGE_OBJECTS = 1000;
const LIST_MS = 60_000;
/** Of one object. */
const PRUNE_MS = 30_000;
/** Deletions at the same time. */
const PRUNED_AT_ONCE = 8;

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
  await forEach(names, PRUNED_AT_ONCE, (name) =>
    bucket.delete(bucket.keyOf(name), AbortSignal.timeout(PRUNE_MS)),
  );
  return { next, removed: names.length };
}
