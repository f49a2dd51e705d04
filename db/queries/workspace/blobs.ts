import type { TeamScope } from '../../../shared/scope.ts';
import { asWorker, type Database, type Queryable, transaction } from '../../driver/database.ts';

/** A content, and the SHA-256 that names it, in hexadecimal. */
export interface Blob {
  sha256: string;
  content: Uint8Array;
}

/**
 * Where the contents of files are kept, once for each Company. Versions of files refer to them by their SHA-256 and live
 * in the database; contents may come to lie elsewhere. So they are kept before the transaction that refers to them, and
 * what nothing came to refer to is let go later.
 */
export interface BlobStore {
  /** Keeps contents of the scope's Company for an hour at least, and as long as a version refers to them. */
  keep(scope: TeamScope, blobs: readonly Blob[]): Promise<void>;
  /** The contents of these that a version within the scope refers to, by their SHA-256. */
  read(scope: TeamScope, sha256: readonly string[]): Promise<Map<string, Buffer>>;
  /**
   * Lets contents go that nothing has referred to for an hour, of all Companies: one slice of them.
   * @returns how many were looked at, which is 0 at the end, and removed
   */
  prune(): Promise<{ seen: number; removed: number }>;
}

/** Bytes that one statement carries. With the embedded database everyone else waits for it to end. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Contents that one statement removes: they may have 10 MiB each. */
const PRUNE_SLICE = 50;

/** Contents in slices of about so many bytes; each has one at least. */
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

async function keepSlice(tx: Queryable, slice: readonly Blob[]): Promise<void> {
  await tx.query('select memory.keep_workspace_blobs($1, $2, $3)', [
    Buffer.from(slice.map(({ sha256 }) => sha256).join(''), 'hex'),
    slice.map(({ content }) => content.length),
    Buffer.concat(slice.map(({ content }) => content)),
  ]);
}

/** Contents in the service's own database. */
export function databaseBlobs(database: Database): BlobStore {
  return {
    keep: async (scope, blobs) => {
      const distinct = [...new Map(blobs.map((blob) => [blob.sha256, blob])).values()];
      for (const slice of slices(distinct)) await transaction(database, scope, (tx) => keepSlice(tx, slice));
    },
    read: (scope, sha256) =>
      transaction(database, scope, async (tx) => {
        // In base64, which is two thirds of the text that a bytea goes over the wire as.
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
