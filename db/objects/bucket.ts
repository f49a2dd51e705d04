import { addAbortSignal, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { GetObjectCommandOutput } from '@aws-sdk/client-s3';
import { ConfigError } from '../../shared/config.ts';
import type { BucketAddress } from '../../shared/formats/bucket-address.ts';
import type { ObjectName } from '../queries/workspace/bucket-contents.ts';
import { type FaultReason, ObjectFault } from './object-fault.ts';
import { formatObjectName, parseObjectName } from './object-names.ts';

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
