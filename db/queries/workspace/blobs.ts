import type { TeamScope } from '../../../shared/scope.ts';
import { asWorker, type Database, type Queryable, readOnce, transaction } from '../../driver/database.ts';

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
   * the scope refers.
   */
  read(scope: TeamScope, sha256: readonly string[]): Promise<Map<string, Buffer>>;
  /**
   * Returns a part of a content, as `read` does. It is shorter at the end of the content.
   * @returns null if nothing within the scope refers to the content
   */
  readPart(scope: TeamScope, sha256: string, part: { start: number; length: number }): Promise<Buffer | null>;
  /**
   * Deletes a slice of the contents without a reference for an hour, in all Companies.
   * @returns how many were examined, which is 0 at the end, and how many were deleted
   */
  prune(): Promise<{ seen: number; removed: number }>;
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
    readPart: (scope, sha256, { start, length }) =>
      readOnce(database, scope, async (tx) => {
        // PostgreSQL reads only the pages of the part, or the pages up to it if it has compressed the content.
        const [row] = await tx.query<{ part: string }>(
          `select encode(substring(b.content from $3 for $4), 'base64') as part from memory.workspace_blob b
            where b.company_id = $1 and b.sha256 = decode($2, 'hex')`,
          [scope.companyId, sha256, start + 1, length],
        );
        return row === undefined ? null : Buffer.from(row.part, 'base64');
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
