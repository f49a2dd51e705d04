import { type Config, ConfigError } from '../../shared/config.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { type BlobStore, databaseBlobs } from '../queries/workspace/blobs.ts';
import { hasObjects, listSomeObjects, usesBucket } from '../queries/workspace/bucket-contents.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { bucketBlobs } from './bucket-blobs.ts';
import { checkBucket } from './check-bucket.ts';
import { isBadObject, ObjectFault } from './object-fault.ts';

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
