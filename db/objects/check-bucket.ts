import { ConfigError } from '../../shared/config.ts';
import type { BlobPlace } from '../../shared/formats/bucket-address.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { assertContent, blockHashes } from './content-blocks.ts';
import { ObjectFault } from './object-fault.ts';

const CHECK_MS = 10_000;
const DELETE_MS = 4_000;
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
  const deleteProbe = () => bucket.delete(key, AbortSignal.timeout(DELETE_MS));
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
