import type { Queryable, TeamTransaction, WorkerTransaction } from '../../driver/database.ts';

/** A content that is an object of the bucket. */
export interface StoredObject {
  sha256: string;
  bytes: number;
  objectId: string;
  /** The SHA-256 of each MiB of it, in hexadecimal, one after another. */
  blocks: string;
}

/** Part of the name of an object: `company/sha256/object`. */
export interface ObjectName {
  companyId: string;
  sha256: string;
  objectId: string;
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
