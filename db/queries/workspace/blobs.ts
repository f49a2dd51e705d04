import type { TeamScope } from '../../../shared/scope.ts';
import {
  asWorker,
  type Database,
  type Queryable,
  readOnce,
  transaction,
  type WorkerTransaction,
} from '../../driver/database.ts';
import type { Bucket } from '../../objects/bucket.ts';
import { ObjectFault } from '../../objects/object-fault.ts';
import { readFromReplica } from '../../replica/read-from-replica.ts';
import { BehindError } from '../../replica/unread.ts';
import { type FoundContent, findContents } from './bucket-contents.ts';

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
