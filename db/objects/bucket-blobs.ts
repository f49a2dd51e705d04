import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/logger.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { asWorker, type Database, readOnce, transaction } from '../driver/database.ts';
import { type Blob, type BlobStore, databaseBlobs, pruneContents } from '../queries/workspace/blobs.ts';
import {
  type FoundContent,
  findContents,
  keepObjects,
  renewContents,
  type StoredObject,
} from '../queries/workspace/bucket-contents.ts';
import type { Bucket } from './bucket.ts';
import { assertBlocks, assertContent, BLOCK_BYTES, blockHashes } from './content-blocks.ts';
import { forEach } from './for-each.ts';
import { isBadObject, ObjectFault } from './object-fault.ts';
import { parseObjectName } from './object-names.ts';

/** The most time for all uploads or downloads of a call. With the statements, a request ends within 12 seconds. */
const TRANSFER_MS = 8_000;
const DELETE_MS = 8_000;
/** Requests of one call at the same time. */
const CONCURRENCY = 8;

/**
 * Uploads a content, as an object of its own.
 * @throws ObjectFault
 */
export async function uploadContent(
  bucket: Bucket,
  companyId: string,
  { sha256, content }: Blob,
  signal: AbortSignal,
): Promise<StoredObject> {
  const object = { sha256, bytes: content.length, objectId: newId(), blocks: blockHashes(content) };
  await bucket.put(bucket.keyOf({ companyId, ...object }), content, signal);
  return object;
}

/**
 * Downloads a content and verifies it.
 * @throws ObjectFault
 */
export async function downloadContent(
  bucket: Bucket,
  companyId: string,
  object: StoredObject,
  signal: AbortSignal,
): Promise<Buffer> {
  if (object.bytes === 0) return Buffer.alloc(0);
  const part = { first: 0, last: object.bytes - 1, of: object.bytes };
  const verify = (bytes: Buffer) => assertContent(bytes, object);
  return bucket.get(bucket.keyOf({ companyId, ...object }), part, verify, signal);
}

/** Downloads the blocks of a content that have a part of it, verifies them, and returns the part. */
async function downloadPart(
  bucket: Bucket,
  companyId: string,
  object: StoredObject,
  { start, length }: { start: number; length: number },
): Promise<Buffer> {
  const end = Math.min(start + length, object.bytes);
  if (start >= end) return Buffer.alloc(0);
  const block = Math.floor(start / BLOCK_BYTES);
  const first = block * BLOCK_BYTES;
  const last = Math.min(Math.ceil(end / BLOCK_BYTES) * BLOCK_BYTES, object.bytes) - 1;
  const verify = (bytes: Buffer) => assertBlocks(bytes, block, object);
  const signal = AbortSignal.timeout(TRANSFER_MS);
  const blocks = await bucket.get(
    bucket.keyOf({ companyId, ...object }),
    { first, last, of: object.bytes },
    verify,
    signal,
  );
  return blocks.subarray(start - first, end - first);
}

/**
 * Stores new contents in a bucket. Reads those that are in the database too. An object has a key of its own, which is
 * never used again, so an object without a row can be deleted whatever other processes do.
 */
export function bucketBlobs(database: Database, bucket: Bucket, logger: Logger): BlobStore {
  const inDatabase = databaseBlobs(database);

  async function store(scope: TeamScope, blobs: readonly Blob[]): Promise<void> {
    const distinct = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
    const sha256 = distinct.map((blob) => blob.sha256);
    const { usesBucket, known } = await transaction(database, scope, (tx) => renewContents(tx, sha256));
    const missing = distinct.filter((blob) => !known.has(blob.sha256));
    if (missing.length === 0) return;
    if (!usesBucket) return inDatabase.store(scope, missing);
    const signal = AbortSignal.timeout(TRANSFER_MS);
    const acknowledged: StoredObject[] = [];
    try {
      await forEach(missing, CONCURRENCY, async (blob) => {
        acknowledged.push(await uploadContent(bucket, scope.companyId, blob, signal));
      });
    } catch (error) {
      // What was uploaded is kept for an hour, so that a repeated push to a slow bucket comes further.
      try {
        await nameObjects(scope, acknowledged);
      } catch (err) {
        logger.warn({ err, objects: acknowledged.length }, 'files that were uploaded could not be kept');
      }
      throw error;
    }
    if (!(await nameObjects(scope, acknowledged))) await inDatabase.store(scope, missing);
  }

  /**
   * Writes the rows of objects that the bucket has acknowledged, and deletes objects that are not needed, because another
   * process has stored the same content.
   * @returns false if nothing was written, because new contents belong to the database
   */
  async function nameObjects(scope: TeamScope, objects: readonly StoredObject[]): Promise<boolean> {
    const used = await transaction(database, scope, (tx) => keepObjects(tx, objects));
    const unused = objects.filter(({ objectId }) => used?.has(objectId) !== true);
    const keys = unused.map((object) => bucket.keyOf({ companyId: scope.companyId, ...object }));
    // If it fails, the job that looks for unused objects deletes them later.
    deleteObjects(keys).catch((error: unknown) => {
      logger.warn({ err: error, objects: keys.length }, 'unused objects could not be deleted now');
    });
    return used !== null;
  }

  /** Deletes objects that no row names. */
  async function deleteObjects(keys: readonly string[]): Promise<void> {
    await forEach(keys, CONCURRENCY, (key) => bucket.delete(key, AbortSignal.timeout(DELETE_MS)));
  }

  /**
   * Reads what was found. An object that is missing can have been moved or deleted since it was found, so its content is
   * then looked for again, once.
   */
  async function readFound<T>(
    find: () => Promise<FoundContent | undefined>,
    found: FoundContent | undefined,
    download: (object: StoredObject) => Promise<T>,
  ): Promise<T | Buffer | null> {
    if (found === undefined) return null;
    if (found.content !== null) return found.content;
    try {
      return await download(found.object);
    } catch (error) {
      if (!(error instanceof ObjectFault && error.reason === 'missing')) throw error;
      const now = await find();
      if (now === undefined) return null;
      if (now.content !== null) return now.content;
      if (now.object.objectId === found.object.objectId) throw error;
      return download(now.object);
    }
  }

  return {
    bucket,
    store,
    read: async (scope, sha256) => {
      const find = (some: readonly string[]) => transaction(database, scope, (tx) => findContents(tx, some));
      const signal = AbortSignal.timeout(TRANSFER_MS);
      const contents = await forEach(await find(sha256), CONCURRENCY, async (found) => {
        const again = async () => (await find([found.sha256]))[0];
        const download = (object: StoredObject) => downloadContent(bucket, scope.companyId, object, signal);
        try {
          return { sha256: found.sha256, content: await readFound(again, found, download) };
        } catch (error) {
          if (!isBadObject(error)) throw error;
          return { sha256: found.sha256, content: null, fault: error };
        }
      });
      const bad = contents.filter(({ fault }) => fault !== undefined);
      const read = contents.filter(({ content }) => content !== null);
      if (read.length === 0 && bad[0]?.fault !== undefined) throw bad[0].fault;
      for (const { sha256: hash, fault } of bad)
        logger.error({ err: fault, sha256: hash }, 'a stored file is damaged or missing');
      return new Map([...read, ...bad].map((each) => [each.sha256, each.content]));
    },
    readPart: async (scope, sha256, part) => {
      const find = async () => (await readOnce(database, scope, (tx) => findContents(tx, [sha256], part)))[0];
      return readFound(find, await find(), (object) => downloadPart(bucket, scope.companyId, object, part));
    },
    prune: async () => {
      const { objects, ...pruned } = await asWorker(database, pruneContents);
      // After the rows: an object without a row is harmless, and a row without its object would be a lost content.
      // If the bucket does not answer, this throws, so that no other rows are deleted without their objects.
      const names = objects.map(parseObjectName).filter((name) => name !== null);
      await deleteObjects(names.map((name) => bucket.keyOf(name)));
      return pruned;
    },
  };
}
