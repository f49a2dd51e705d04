import type { Queryable } from '../../driver/database.ts';
import type { StoredObject } from './contents.ts';

/*
 * Statements for moving contents between the database and the bucket. They run as the owner of the tables.
 */

/** Where contents are moved to. */
export type MoveTarget = 's3' | 'database';

/** A content to move. `object` is its object, if it is in the bucket. */
export interface Movable {
  companyId: string;
  sha256: string;
  bytes: number;
  object: StoredObject | null;
}

/** The condition of contents that are not in the target. */
const ELSEWHERE: Readonly<Record<MoveTarget, string>> = {
  s3: 'b.object_id is null',
  database: 'b.object_id is not null',
};

/**
 * Decides where new contents are stored. When it returns, no process stores one in the bucket if that is not the target. A
 * push that began before can still store one in the database.
 */
export async function setPlace(database: Queryable, to: MoveTarget): Promise<void> {
  await database.query('update memory.blob_place set uses_bucket = $1 where uses_bucket <> $1', [
    to === 's3',
  ]);
}

/** Counts contents that are not in the target. */
export async function countMovable(database: Queryable, to: MoveTarget): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*) as count from memory.workspace_blob b where ${ELSEWHERE[to]}`,
  );
  return row?.count ?? 0;
}

interface MovableRow {
  companyId: string;
  sha256: string;
  bytes: number;
  objectId: string | null;
  blocks: string | null;
}

/** Lists contents that are not in the target, in the order of their keys. */
export async function listMovable(
  database: Queryable,
  to: MoveTarget,
  after: Movable | null,
  limit: number,
): Promise<Movable[]> {
  const rows = await database.query<MovableRow>(
    `select b.company_id as "companyId", encode(b.sha256, 'hex') as sha256, b.bytes, b.object_id as "objectId",
            encode(b.block_sha256, 'hex') as blocks
       from memory.workspace_blob b
      where ${ELSEWHERE[to]} and ($1::uuid is null or (b.company_id, b.sha256) > ($1, decode($2, 'hex')))
      order by b.company_id, b.sha256 limit $3`,
    [after?.companyId ?? null, after?.sha256 ?? null, limit],
  );
  return rows.map(({ companyId, sha256, bytes, objectId, blocks }) => ({
    companyId,
    sha256,
    bytes,
    object: objectId === null ? null : { sha256, bytes, objectId, blocks: blocks ?? '' },
  }));
}

/** Reads a content that is in the database; null if it no longer is. */
export async function readRow(
  database: Queryable,
  { companyId, sha256 }: Pick<Movable, 'companyId' | 'sha256'>,
): Promise<Buffer | null> {
  const [row] = await database.query<{ content: string | null }>(
    `select encode(content, 'base64') as content from memory.workspace_blob
      where company_id = $1 and sha256 = decode($2, 'hex')`,
    [companyId, sha256],
  );
  return row === undefined || row.content === null ? null : Buffer.from(row.content, 'base64');
}

/** Gives a content to its object. Returns false if it is no longer in the database. */
export async function placeInBucket(
  database: Queryable,
  companyId: string,
  { sha256, objectId, blocks }: StoredObject,
): Promise<boolean> {
  const rows = await database.query(
    `update memory.workspace_blob set content = null, object_id = $3, block_sha256 = decode($4, 'hex')
      where company_id = $1 and sha256 = decode($2, 'hex') and object_id is null returning 1`,
    [companyId, sha256, objectId, blocks],
  );
  return rows.length > 0;
}

/** Stores the bytes of a content in the database. Returns false if it no longer has this object. */
export async function placeInDatabase(
  database: Queryable,
  companyId: string,
  { sha256, objectId }: StoredObject,
  content: Uint8Array,
): Promise<boolean> {
  const rows = await database.query(
    `update memory.workspace_blob set content = $4, object_id = null, block_sha256 = null
      where company_id = $1 and sha256 = decode($2, 'hex') and object_id = $3 returning 1`,
    [companyId, sha256, objectId, content],
  );
  return rows.length > 0;
}
