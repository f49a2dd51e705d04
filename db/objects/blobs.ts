import { type Config, ConfigError } from '../../shared/config.ts';
import type { BlobPlace } from '../../shared/formats/bucket-address.ts';
import { newId } from '../../shared/ids.ts';
import type { Logger } from '../../shared/logger.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { asWorker, type Database, type Queryable, readOnce, transaction } from '../driver/database.ts';
import {
  type Blob,
  type BlobStore,
  databaseBlobs,
  type FoundContent,
  findContents,
  hasObjects,
  keepObjects,
  listSomeObjects,
  pruneContents,
  renewContents,
  type StoredObject,
  usesBucket,
} from '../queries/workspace/contents.ts';
import {
  assertBlocks,
  assertContent,
  BLOCK_BYTES,
  type Bucket,
  blockHashes,
  forEach,
  isBadObject,
  ObjectFault,
  openBucket,
  parseObjectName,
} from './bucket.ts';

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

const CHECK_MS = 10_000;
const CHECK_DELETE_MS = 4_000;
/** All versions write the same, because processes that start at the same time write the same object. */
const PROBE = Buffer.from('Written by the service to check that it can.\n');

const WRONG_KEY =
  'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY: expected credentials that the bucket of MEMORY_BLOB_STORE accepts, ' +
  'or a role or profile of AWS that has them';
const WRONG_REGION = 'MEMORY_BLOB_STORE: the bucket is in another region; correct the parameter region';

/** What to do about an error, by its name in the interface of S3. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'MEMORY_BLOB_STORE: the bucket does not exist; create it, or correct its name',
  InvalidAccessKeyId: WRONG_KEY,
  SignatureDoesNotMatch: WRONG_KEY,
  CredentialsProviderError: WRONG_KEY,
  ExpiredToken: WRONG_KEY,
  InvalidToken: WRONG_KEY,
  AccessDenied:
    'MEMORY_BLOB_STORE: the bucket denies access; allow s3:ListBucket for it, and s3:GetObject, s3:PutObject and ' +
    's3:DeleteObject for its objects',
  RequestTimeTooSkewed:
    'MEMORY_BLOB_STORE: the clock of this machine is wrong; the bucket refuses its signatures',
  PermanentRedirect: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
};

/**
 * Checks that the service can list, write, read and delete objects of a bucket.
 * @throws ConfigError with one line for the operator, if the bucket refuses
 * @throws ObjectFault if it does not answer
 */
export async function checkBucket(bucket: Bucket): Promise<void> {
  try {
    await useBucket(bucket);
  } catch (error) {
    if (!(error instanceof ObjectFault) || error.reason === 'unavailable') throw error;
    const advice = ADVICE[error.errorName ?? ''] ?? `MEMORY_BLOB_STORE: ${error.message}`;
    throw new ConfigError([advice]);
  }
}

/** Lists the bucket, and writes, reads and deletes an object. */
async function useBucket(bucket: Bucket): Promise<void> {
  const signal = AbortSignal.timeout(CHECK_MS);
  const probe = { sha256: blockHashes(PROBE), bytes: PROBE.length };
  // No Company has this name, so the object is in nobody's way. The key is always the same, so at most one is left.
  const key = bucket.keyOf({ companyId: 'check', sha256: probe.sha256, objectId: 'probe' });
  const deleteProbe = () => bucket.delete(key, AbortSignal.timeout(CHECK_DELETE_MS));
  await bucket.list(1, null, signal);
  await bucket.put(key, PROBE, signal);
  try {
    const part = { first: 0, last: PROBE.length - 1, of: PROBE.length };
    await bucket.get(key, part, (bytes) => assertContent(bytes, probe), signal);
  } catch (error) {
    // Another process that starts has deleted it. A bucket that denies reading does not answer that an object is missing.
    if (!(error instanceof ObjectFault && error.reason === 'missing')) {
      await deleteProbe().catch(() => undefined);
      throw error;
    }
  }
  await deleteProbe();
}

/**
 * Checks the bucket of the setting, if it names one.
 * @throws ConfigError with one line for the operator, if the bucket refuses
 * @throws ObjectFault if it does not answer
 */
export async function checkBlobStore(place: BlobPlace): Promise<void> {
  if (place !== 'database') await checkBucket(await openBucket(place));
}

const WRONG_BUCKET = 'the bucket does not have the files of this database: correct MEMORY_BLOB_STORE';
/** A single one can be lost, and all are not. */
const EXAMINED = 3;
const EXAMINE_MS = 10_000;

/**
 * Whether the bucket has any of some objects of the database.
 * @throws ObjectFault if it does not answer
 */
export async function hasFiles(database: Queryable, bucket: Bucket): Promise<boolean> {
  const objects = await listSomeObjects(database, EXAMINED);
  const signal = AbortSignal.timeout(EXAMINE_MS);
  for (const { bytes, ...name } of objects) {
    try {
      await bucket.get(bucket.keyOf(name), { first: 0, last: 0, of: bytes }, () => undefined, signal);
      return true;
    } catch (error) {
      if (!isBadObject(error)) throw error;
      if (error.reason === 'damaged') return true;
    }
  }
  return objects.length === 0;
}

/**
 * Asserts that a service without a bucket can read all files.
 * @throws ConfigError with one line for the operator
 */
export async function assertNoObjects(database: Queryable): Promise<void> {
  if (await hasObjects(database)) {
    throw new ConfigError([
      'MEMORY_BLOB_STORE: expected the bucket that has files of this database, for example MEMORY_BLOB_STORE=s3://bucket/prefix; to do without it, move them first with ' +
        '`npm run move-blobs -- --to database`',
    ]);
  }
}

/**
 * Opens the store of contents. A bucket that does not answer is only logged: all that needs no file works without it.
 * @throws ConfigError with one line for the operator, if the bucket refuses, or if contents are in a bucket that is not set
 */
export async function openBlobs(
  database: Database,
  { blobStore }: Pick<Config, 'blobStore'>,
  logger: Logger,
): Promise<BlobStore> {
  if (blobStore === 'database') {
    await assertNoObjects(database);
    return databaseBlobs(database);
  }
  const bucket = await openBucket(blobStore);
  try {
    await checkBucket(bucket);
    if (!(await hasFiles(database, bucket))) logger.error(WRONG_BUCKET);
  } catch (error) {
    if (!(error instanceof ObjectFault)) throw error;
    logger.warn({ err: error }, 'the bucket does not answer: requests that need a file fail until it does');
  }
  if (!(await usesBucket(database))) {
    logger.warn('new files are stored in the database, because `move-blobs --to database` has been run');
  }
  return bucketBlobs(database, bucket, logger);
}
