import { createHash } from 'node:crypto';
import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import PQueue from 'p-queue';
import { ConfigError } from '../../shared/config.ts';
import type { BucketAddress } from '../../shared/formats/bucket-address.ts';
import { isId } from '../../shared/ids.ts';

/** Part of the name of an object: `company/sha256/object`. */
export interface ObjectName {
  companyId: string;
  sha256: string;
  objectId: string;
}

/**
 * Why an object could not be read or written. `unavailable`: the bucket did not answer in time, or could not. `refused`: it
 * does not exist, or does not accept the credentials. `missing`: the object does not exist. `damaged`: its bytes are not
 * those that were stored.
 */
type FaultReason = 'unavailable' | 'refused' | 'missing' | 'damaged';

/** Whether an error concerns only one object, so that others can be read. */
export const isBadObject = (error: unknown): error is ObjectFault =>
  error instanceof ObjectFault && (error.reason === 'missing' || error.reason === 'damaged');

/**
 * A request to the bucket failed. The message has no credential and no content. It does not have the error of the client as its cause,
 * because it can contain the key with which a request was signed.
 */
export class ObjectFault extends Error {
  override name = 'ObjectFault';
  readonly reason: FaultReason;
  /** The name of the error in the interface of S3, if it has one. */
  readonly errorName: string | undefined;

  constructor(reason: FaultReason, message: string, errorName?: string) {
    super(message);
    this.reason = reason;
    this.errorName = errorName;
  }
}

const SHA256 = /^[0-9a-f]{64}$/;

/** The name of an object, without the prefix of the bucket. All objects of a Company begin with its id. */
export function formatObjectName({ companyId, sha256, objectId }: ObjectName): string {
  return `${companyId}/${sha256}/${objectId}`;
}

/** Reads the name of an object; null if a text is not one. */
export function parseObjectName(text: string): ObjectName | null {
  const [companyId = '', sha256 = '', objectId = '', ...others] = text.split('/');
  const isName = others.length === 0 && isId(companyId) && isId(objectId) && SHA256.test(sha256);
  return isName ? { companyId, sha256, objectId } : null;
}

const OPERATIONS = ['put', 'get', 'delete', 'list'] as const;
export type Operation = (typeof OPERATIONS)[number];
const OUTCOMES = ['ok', 'unavailable', 'refused', 'missing', 'damaged'] as const satisfies readonly (
  | 'ok'
  | FaultReason
)[];

/** How many requests of this process ended in this way. */
export interface ObjectRequests {
  operation: Operation;
  outcome: 'ok' | FaultReason;
  requests: number;
}

/** An object as a list shows it. */
export interface ListedObject {
  key: string;
  /** When it was written; null if the service does not tell. */
  writtenAt: Date | null;
}

/** Bytes of an object, the last one included, and the length of the object. */
export interface Part {
  first: number;
  last: number;
  of: number;
}

/** A bucket. Every method throws `ObjectFault`, and ends when its signal aborts. */
export interface Bucket {
  /** The key of an object. */
  keyOf(name: ObjectName): string;
  /** Whose object a key is; null if it is not one of the service. */
  nameOf(key: string): ObjectName | null;
  put(key: string, content: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * Reads a part of an object, which must have these bytes.
   * @param verify throws `ObjectFault` if the bytes are not those that were stored
   */
  get(key: string, part: Part, verify: (bytes: Buffer) => void, signal: AbortSignal): Promise<Buffer>;
  /** Deletes an object, if it exists. */
  delete(key: string, signal: AbortSignal): Promise<void>;
  /** Lists objects in the order of their keys, a page at a time. `next` is null at the end. */
  list(
    limit: number,
    after: string | null,
    signal: AbortSignal,
  ): Promise<{ objects: ListedObject[]; next: string | null }>;
  requests(): ObjectRequests[];
}

/** How long connecting takes at most, and how long a connection can be silent. A request is tried three times. */
const CONNECT_MS = 2_000;
const SILENCE_MS = 4_000;
const ATTEMPTS = 3;

/** The region of services that have no regions but need one in signatures. */
const ANY_REGION = 'us-east-1';

/** What the client of S3 says about an error. */
interface ClientError {
  name?: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

/** Errors with a reason of their own. That of the others is told by their status. */
const REASONS: Readonly<Record<string, FaultReason>> = {
  NoSuchKey: 'missing',
  InvalidRange: 'damaged',
  CredentialsProviderError: 'refused',
};

function reasonOf(name: string, status: number | undefined): FaultReason {
  const isRefusal = status !== undefined && status >= 300 && status < 500 && status !== 408 && status !== 429;
  return REASONS[name] ?? (isRefusal ? 'refused' : 'unavailable');
}

/** Makes a fault of any error. Only names and codes of the error are kept, and the key of the object. */
function faultOf(operation: Operation, key: string | null, error: unknown): ObjectFault {
  if (error instanceof ObjectFault) return error;
  const { name = 'Error', code, $metadata } = error as ClientError;
  const status = $metadata?.httpStatusCode;
  const details = [name, code, status].filter((detail) => detail !== undefined).join(' ');
  const object = key === null ? '' : `, object ${key}`;
  const message = `the request "${operation}" to the bucket failed: ${details}${object}`;
  return new ObjectFault(reasonOf(name, status), message, name);
}

/** Counts requests by their outcome. All begin with 0: Prometheus sees no increase of a series that begins with a fault. */
function requestCounter() {
  const counts = new Map<string, ObjectRequests>(
    OPERATIONS.flatMap((operation) =>
      OUTCOMES.map((outcome) => [`${operation} ${outcome}`, { operation, outcome, requests: 0 }]),
    ),
  );
  return {
    add: (operation: Operation, outcome: ObjectRequests['outcome']) => {
      const key = `${operation} ${outcome}`;
      const count = counts.get(key) ?? { operation, outcome, requests: 0 };
      count.requests += 1;
      counts.set(key, count);
    },
    all: () => [...counts.values()],
  };
}

async function readBody(
  key: string,
  { Body, ContentLength }: GetObjectCommandOutput,
  bytes: number,
  signal: AbortSignal,
) {
  const body = Body as Readable | undefined;
  // Before it is read: a wrong object can be of any size.
  if (body === undefined || (ContentLength !== undefined && ContentLength !== bytes)) {
    body?.destroy();
    throw new ObjectFault('damaged', `the object ${key} does not have the length that was stored`);
  }
  const content = await buffer(addAbortSignal(signal, body));
  if (content.length !== bytes) throw new ObjectFault('damaged', `the object ${key} ended early`);
  return content;
}

/**
 * Opens a bucket. Credentials are found as AWS describes it: variables, profiles, roles. Nothing is requested yet.
 * @throws ConfigError if no region is set
 */
export async function openBucket(address: BucketAddress): Promise<Bucket> {
  // Loaded only here: it takes memory, and most services have no bucket.
  const { S3Client, PutObjectCommand, GetObjectCommand, DeleteObjectCommand, ListObjectsV2Command } =
    await import('@aws-sdk/client-s3');
  const { bucket: Bucket, prefix, endpoint, region } = address;
  const client = new S3Client({
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    // Every request is signed with the SHA-256 of its body. Services other than AWS refuse newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(region === null ? {} : { region }),
    // Names of buckets are not part of the names of other services' machines.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true, region: region ?? ANY_REGION }),
  });
  await client.config.region().catch(() => {
    throw new ConfigError([
      'MEMORY_BLOB_STORE: the region is missing; add it, as s3://bucket/prefix?region=…, or set AWS_REGION',
    ]);
  });
  const folder = prefix === '' ? '' : `${prefix}/`;
  const counter = requestCounter();
  const counted = async <T>(
    operation: Operation,
    key: string | null,
    request: () => Promise<T>,
  ): Promise<T> => {
    try {
      const result = await request();
      counter.add(operation, 'ok');
      return result;
    } catch (error) {
      const fault = faultOf(operation, key, error);
      counter.add(operation, fault.reason);
      throw fault;
    }
  };
  return {
    keyOf: (name) => folder + formatObjectName(name),
    nameOf: (key) => (key.startsWith(folder) ? parseObjectName(key.slice(folder.length)) : null),
    put: (Key, Body, abortSignal) =>
      counted('put', Key, async () => {
        const ContentType = 'application/octet-stream';
        await client.send(new PutObjectCommand({ Bucket, Key, Body, ContentType }), { abortSignal });
      }),
    get: (Key, { first, last, of }, verify, abortSignal) =>
      counted('get', Key, async () => {
        const isWhole = first === 0 && last === of - 1;
        const Range = isWhole ? undefined : `bytes=${first}-${last}`;
        const answer = await client.send(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal });
        const bytes = await readBody(Key, answer, last + 1 - first, abortSignal);
        verify(bytes);
        return bytes;
      }),
    delete: (Key, abortSignal) =>
      counted('delete', Key, async () => {
        await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal });
      }),
    list: (MaxKeys, after, abortSignal) =>
      counted('list', null, async () => {
        const StartAfter = after ?? undefined;
        const command = new ListObjectsV2Command({ Bucket, Prefix: folder, MaxKeys, StartAfter });
        const { Contents = [], IsTruncated } = await client.send(command, { abortSignal });
        const objects = Contents.map(({ Key = '', LastModified }) => ({
          key: Key,
          writtenAt: LastModified ?? null,
        }));
        return { objects, next: IsTruncated === true ? (objects.at(-1)?.key ?? null) : null };
      }),
    requests: counter.all,
  };
}

/** Parts of an object are verified in blocks of this size. */
export const BLOCK_BYTES = 1024 * 1024;

/** The length of a SHA-256 in hexadecimal. */
const HASH_CHARACTERS = 64;

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The SHA-256 of each block of a content, in hexadecimal, one after another. */
export function blockHashes(content: Uint8Array): string {
  const hashes: string[] = [];
  for (let at = 0; at < content.length; at += BLOCK_BYTES) {
    hashes.push(hashOf(content.subarray(at, at + BLOCK_BYTES)));
  }
  return hashes.join('');
}

/**
 * Asserts that bytes are a whole content.
 * @throws ObjectFault `damaged`
 */
export function assertContent(
  content: Uint8Array,
  { sha256, bytes }: { sha256: string; bytes: number },
): void {
  if (content.length !== bytes || hashOf(content) !== sha256) {
    throw new ObjectFault('damaged', `the bytes of the content ${sha256} are not those that were stored`);
  }
}

/**
 * Asserts that bytes are blocks of a content.
 * @param first the place of the first block in the content, from 0
 * @throws ObjectFault `damaged`
 */
export function assertBlocks(
  part: Uint8Array,
  first: number,
  { sha256, blocks }: { sha256: string; blocks: string },
): void {
  const start = first * HASH_CHARACTERS;
  const hashes = blockHashes(part);
  if (hashes !== blocks.slice(start, start + hashes.length)) {
    throw new ObjectFault('damaged', `a part of the content ${sha256} is not what was stored`);
  }
}

/**
 * Does something for each item, some at a time. After the first failure, no other one begins, and this ends when those that
 * have begun end.
 */
export async function forEach<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const queue = new PQueue({ concurrency });
  try {
    return await queue.addAll(items.map((item) => () => work(item)));
  } finally {
    queue.clear();
    await queue.onIdle();
  }
}
