import type { TeamScope } from '../../../shared/scope.ts';
import { asWorker, type Database, type Queryable, transaction } from '../../driver/database.ts';

/** A content, and its SHA-256 in hexadecimal, which identifies it. */
export interface Blob {
  sha256: string;
  content: Uint8Array;
}

/**
 * The store of the contents of files. It stores each content once for each Company. Versions of files are in the
 * database and refer to contents by SHA-256. The store can be outside of the database, so contents are stored before
 * the transaction that refers to them, and contents without a reference are deleted later.
 */
export interface BlobStore {
  /** Stores contents for the scope's Company, for at least an hour and as long as a version refers to them. */
  store(scope: TeamScope, blobs: readonly Blob[]): Promise<void>;
  /** Returns contents by SHA-256: those of the given ones to which a version within the scope refers. */
  read(scope: TeamScope, sha256: readonly string[]): Promise<Map<string, Buffer>>;
  /**
   * Deletes a slice of the contents without a reference for an hour, in all Companies.
   * @returns how many were examined, which is 0 at the end, and how many were deleted
   */
  prune(): Promise<{ seen: number; removed: number }>;
}

/** Bytes of contents in one statement. With the embedded database all other requests wait until it ends. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Contents that one statement deletes. Each can have 10 MiB. */
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

async function insertSlice(tx: Queryable, slice: readonly Blob[]): Promise<void> {
  await tx.query('select memory.keep_workspace_blobs($1, $2, $3)', [
    Buffer.from(slice.map(({ sha256 }) => sha256).join(''), 'hex'),
    slice.map(({ content }) => content.length),
    Buffer.concat(slice.map(({ content }) => content)),
  ]);
}

/** Stores contents in the service's database. */
export function databaseBlobs(database: Database): BlobStore {
  return {
    store: async (scope, blobs) => {
      const distinct = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
      for (const slice of slices(distinct))
        await transaction(database, scope, (tx) => insertSlice(tx, slice));
    },
    read: (scope, sha256) =>
      transaction(database, scope, async (tx) => {
        // Base64 is two thirds as long as the text form of bytea.
        const rows = await tx.query<{ sha256: string; content: string }>(
          `select encode(b.sha256, 'hex') as sha256, encode(b.content, 'base64') as content from memory.workspace_blob b
            where b.company_id = $1
              and b.sha256 = any (array(select decode(h, 'hex') from unnest($2::text[]) as h))`,
          [scope.companyId, sha256],
        );
        return new Map(rows.map((row) => [row.sha256, Buffer.from(row.content, 'base64')]));
      }),
    prune: async () => {
      const [row] = await asWorker(database, (tx) =>
        tx.query<{ seen: number; removed: number }>(
          'select p.seen, p.removed from memory.prune_workspace_blobs($1) p',
          [PRUNE_SLICE],
        ),
      );
      return row ?? { seen: 0, removed: 0 };
    },
  };
}
