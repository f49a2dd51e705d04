import type { TeamScope } from '../../../shared/scope.ts';
import {
  asWorker,
  type Database,
  type Queryable,
  readOnce,
  type TeamTransaction,
  transaction,
  type WorkerTransaction,
} from '../../driver/database.ts';
import { type Bucket, ObjectFault, type ObjectName } from '../../objects/bucket.ts';
import { BehindError, readFromReplica } from '../../replica/follow-replica.ts';

/** A content that is an object of the bucket. */
export interface StoredObject {
  sha256: string;
  bytes: number;
  objectId: string;
  /** The SHA-256 of each MiB of it, in hexadecimal, one after another. */
  blocks: string;
}

/** A content within the scope: its bytes, or its object. */
export type FoundContent =
  | { sha256: string; content: Buffer; object: null }
  | { sha256: string; content: null; object: StoredObject };

interface FoundRow extends StoredObject {
  content: string | null;
}

const bytesOf = (sha256: readonly string[]) => Buffer.from(sha256.join(''), 'hex');

/** Finds out which contents exist in the Company, and whether new ones are stored in the bucket. */
export async function renewContents(
  tx: TeamTransaction,
  sha256: readonly string[],
): Promise<{ usesBucket: boolean; known: Set<string> }> {
  const [row] = await tx.query<{ usesBucket: boolean; known: string[] }>(
    'select r.uses_bucket as "usesBucket", r.known from memory.renew_workspace_blobs($1) r',
    [bytesOf(sha256)],
  );
  return { usesBucket: row?.usesBucket === true, known: new Set(row?.known) };
}

/**
 * Stores contents whose objects have been uploaded.
 * @returns the objects that are in use; null if nothing was stored, because new contents belong to the database
 */
export async function keepObjects(
  tx: TeamTransaction,
  objects: readonly StoredObject[],
): Promise<Set<string> | null> {
  const [row] = await tx.query<{ used: string[] | null }>(
    'select memory.keep_bucket_blobs($1, $2, $3, $4) as used',
    [
      bytesOf(objects.map(({ sha256 }) => sha256)),
      objects.map(({ bytes }) => bytes),
      objects.map(({ objectId }) => objectId),
      objects.map(({ blocks }) => blocks),
    ],
  );
  const used = row?.used ?? null;
  return used === null ? null : new Set(used);
}

/**
 * Finds contents within the scope by SHA-256.
 * @param part which bytes of those in the database are read
 */
export async function findContents(
  tx: TeamTransaction,
  sha256: readonly string[],
  part: { start: number; length: number } | null = null,
): Promise<FoundContent[]> {
  // Base64 is two thirds as long as the text form of bytea. PostgreSQL reads only the pages of a part, or the pages up to
  // it if it has compressed the content.
  const rows = await tx.query<FoundRow>(
    `select encode(b.sha256, 'hex') as sha256, b.bytes, b.object_id as "objectId",
            encode(b.block_sha256, 'hex') as blocks,
            encode(case when $3::int is null then b.content else substring(b.content from $3 for $4) end, 'base64') as content
       from memory.workspace_blob b
      where b.company_id = $1 and b.sha256 = any (array(select decode(h, 'hex') from unnest($2::text[]) as h))`,
    [tx.scope.companyId, sha256, part === null ? null : part.start + 1, part?.length ?? null],
  );
  return rows.map(({ content, ...object }) =>
    content === null
      ? { sha256: object.sha256, content: null, object }
      : { sha256: object.sha256, content: Buffer.from(content, 'base64'), object: null },
  );
}

/** Finds out which of these objects no content has. Objects of unknown Companies are not among them. */
export async function findUnusedObjects(
  tx: WorkerTransaction,
  names: readonly ObjectName[],
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>('select u as id from memory.unused_objects($1, $2, $3) u', [
    names.map(({ companyId }) => companyId),
    names.map(({ sha256 }) => sha256),
    names.map(({ objectId }) => objectId),
  ]);
  return new Set(rows.map(({ id }) => id));
}

/** Whether any content is in a bucket. Runs as the owner of the tables. */
export async function hasObjects(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ any: boolean }>(
    'select exists (select from memory.workspace_blob where object_id is not null) as any',
  );
  return row?.any === true;
}

/** Some objects that contents have, of the newest Company that has any. Runs as the owner of the tables. */
export async function listSomeObjects(
  database: Queryable,
  limit: number,
): Promise<(ObjectName & { bytes: number })[]> {
  // In the order of the index of objects, so this is as fast with many of them.
  return database.query(
    `select company_id as "companyId", encode(sha256, 'hex') as sha256, object_id as "objectId", bytes
       from memory.workspace_blob where object_id is not null and bytes > 0
      order by company_id desc, sha256 desc limit $1`,
    [limit],
  );
}

/** Whether new contents are stored in the bucket, if the service has one. Runs as the owner of the tables. */
export async function usesBucket(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ uses: boolean }>('select uses_bucket as uses from memory.blob_place');
  return row?.uses !== false;
}

/** A content, and its SHA-256 in hexadecimal, which identifies it. */
export interface Blob {
  sha256: string;
  content: Uint8Array;
}

/**
 * The store of the contents of files. It stores each content once for each Company. Versions of workspace files, and the
 * originals of sources, are in the database and refer to contents by SHA-256. The store can be outside of the database, so
 * contents are stored before the transaction that refers to them, and contents without a reference are deleted later.
 */
export interface BlobStore {
  /** Stores contents for the scope's Company, for at least an hour and as long as anything refers to them. */
  store(scope: TeamScope, blobs: readonly Blob[]): Promise<void>;
  /**
   * Returns contents by SHA-256: those of the given ones to which a version, or the active source of an original, within
   * the scope refers. null: its object is missing or damaged, and others were read.
   * @throws ObjectFault if the bucket fails, or if it has none of the objects as they were stored
   */
  read(scope: TeamScope, sha256: readonly string[]): Promise<Map<string, Buffer | null>>;
  /**
   * Returns a part of a content, as `read` does. It is shorter at the end of the content.
   * @returns null if nothing within the scope refers to the content
   */
  readPart(scope: TeamScope, sha256: string, part: { start: number; length: number }): Promise<Buffer | null>;
  /**
   * Deletes a slice of the contents without a reference for an hour, in all Companies.
   * @returns how many were examined, which is 0 at the end, and how many were deleted
   * @throws ObjectFault if objects of the slice could not be deleted. Their contents are deleted nevertheless
   */
  prune(): Promise<{ seen: number; removed: number }>;
  /** The bucket, if contents are stored in one. */
  readonly bucket?: Bucket;
}

/** Bytes of contents in one statement. With the embedded database all other requests wait until it ends. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Contents that one statement deletes. Each can have 24 MiB. */
const PRUNE_SLICE = 50;

/** Divides contents into slices of up to `SLICE_BYTES`. A larger content is a slice of its own. */
function* slices(blobs: readonly Blob[]): Generator<Blob[]> {
  let slice: Blob[] = [];
  let bytes = 0;
  for (const blob of blobs) {
    if (slice.length > 0 && bytes + blob.content.length > SLICE_BYTES) {
      yield slice;
      [slice, bytes] = [[], 0];
    }
    slice.push(blob);
    bytes += blob.content.length;
  }
  if (slice.length > 0) yield slice;
}

/** Joins contents. One content is not copied. */
const joined = (contents: readonly Uint8Array[]) =>
  contents.length === 1 && contents[0] !== undefined ? contents[0] : Buffer.concat(contents);

async function insertSlice(tx: Queryable, slice: readonly Blob[]): Promise<void> {
  await tx.query('select memory.keep_workspace_blobs($1, $2, $3)', [
    Buffer.from(slice.map(({ sha256 }) => sha256).join(''), 'hex'),
    slice.map(({ content }) => content.length),
    joined(slice.map(({ content }) => content)),
  ]);
}

/** Whether the content is in the database, and not in a bucket. */
const isHere = ({ content }: FoundContent) => content !== null;

/** The bytes of a content, which must be in the database. */
function contentOf({ content }: FoundContent): Buffer {
  // Another process has a bucket, and this one was not restarted with it.
  if (content === null)
    throw new ObjectFault('refused', 'a content is in a bucket: set MEMORY_BLOB_STORE to it');
  return content;
}

/** Stores contents in the service's database. */
export function databaseBlobs(database: Database): BlobStore {
  return {
    store: async (scope, blobs) => {
      const distinct = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
      for (const slice of slices(distinct))
        await transaction(database, scope, (tx) => insertSlice(tx, slice));
    },
    read: async (scope, sha256) => {
      const found = await readFromReplica(database, scope, async (from) => {
        const contents = await transaction(from, scope, (tx) => findContents(tx, sha256));
        const isComplete = contents.length === new Set(sha256).size && contents.every(isHere);
        if (!isComplete && from !== database) throw new BehindError();
        return contents;
      });
      return new Map(found.map((each) => [each.sha256, contentOf(each)]));
    },
    readPart: async (scope, sha256, part) => {
      const found = await readFromReplica(database, scope, async (from) => {
        const [content] = await readOnce(from, scope, (tx) => findContents(tx, [sha256], part));
        if (from !== database && (content === undefined || !isHere(content))) throw new BehindError();
        return content;
      });
      return found === undefined ? null : contentOf(found);
    },
    prune: () => asWorker(database, pruneContents),
  };
}

/** Deletes rows of contents without a reference, and names their objects as in the bucket. */
export async function pruneContents(
  tx: WorkerTransaction,
): Promise<{ seen: number; removed: number; objects: string[] }> {
  const [row] = await tx.query<{ seen: number; removed: number; objects: string[] }>(
    'select p.seen, p.removed, p.objects from memory.prune_workspace_blobs($1) p',
    [PRUNE_SLICE],
  );
  return row ?? { seen: 0, removed: 0, objects: [] };
}
