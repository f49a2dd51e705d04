import type { ValueType } from '../settings/value-types.ts';
import { canonicalBaseUrl } from './addresses.ts';

/** A bucket of S3, or of another service that has the interface of S3. */
export interface BucketAddress {
  readonly bucket: string;
  /** What the names of all objects begin with, without a slash at the end; can be empty. */
  readonly prefix: string;
  /** The address of the service; null: AWS. */
  readonly endpoint: string | null;
  /** Null: that of the variables of AWS. */
  readonly region: string | null;
}

/** The bytes of files are in the database, or in a bucket. */
export type BlobPlace = 'database' | BucketAddress;

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,7}$/;
const REGION = /^[a-z0-9-]{1,40}$/;

const PARAMETERS = new Set(['endpoint', 'region']);

/** Reads `s3://bucket/prefix?endpoint=…&region=…`. Returns null if it is not one. */
function parseBucketAddress(text: string): BucketAddress | null {
  if (!text.startsWith('s3://') || !URL.canParse(text)) return null;
  const { hostname, pathname, searchParams, username, password, port, hash } = new URL(text);
  const names = [...searchParams.keys()];
  if (names.length !== new Set(names).size || !names.every((name) => PARAMETERS.has(name))) return null;
  // A credential does not belong here: a message or a list of settings would show it.
  if (username + password + port + hash !== '') return null;
  const [prefix, region] = [pathname.slice(1).replace(/\/$/, ''), searchParams.get('region')];
  const address = searchParams.get('endpoint');
  const endpoint = address === null ? null : canonicalBaseUrl(address);
  const isValid =
    BUCKET.test(hostname) &&
    (prefix === '' || PREFIX.test(prefix)) &&
    (region === null || REGION.test(region)) &&
    (address === null || endpoint !== null);
  return isValid ? Object.freeze({ bucket: hostname, prefix, endpoint, region }) : null;
}

export const BLOB_STORE: ValueType<BlobPlace> = {
  accepts: 'database, or s3://bucket/prefix with the parameters endpoint and region if they are needed',
  example: 's3://bucket/prefix',
  parse: (text) => (text === 'database' ? text : parseBucketAddress(text)),
};
