import type { Origin } from '../../../shared/origin.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import { layerOf } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { inScope, scopeValues, wireTime } from '../fragments/layers.ts';

/** A text that a memory had. */
export interface VersionText {
  title: string;
  content: string;
}

/** A text that a memory had, and who it came from. */
export type VersionToRestore = VersionText & { origin: Origin };

/** Finds the text that a memory within the scope had at a version, or null if the memory has not had that version. */
export async function findVersionText(
  tx: TeamTransaction,
  memoryId: string,
  version: number,
): Promise<VersionToRestore | null> {
  const [row] = await tx.query<VersionToRestore>(
    `select v.title, v.content, v.origin
       from memory.memory_item m
       join memory.memory_version v on v.team_id = m.team_id and v.memory_id = m.id
      where ${inScope('m')} and ${inScope('v')} and m.id = $3 and m.version >= $4 and v.version <= $4
      order by v.version desc limit 1`,
    [...scopeValues(tx.scope), memoryId, version],
  );
  return row ?? null;
}

/** Inserts the present text of a published memory as a version, unless it is one already. */
export async function insertVersion(
  tx: TeamTransaction,
  { id, version, clientId, title, content }: Memory,
  origin: Origin,
): Promise<void> {
  await tx.query(
    `insert into memory.memory_version (team_id, memory_id, version, layer_id, title, content, published, actor_id, origin)
     values ($1, $2, $3, $4, $5, $6, true, $7, $8) on conflict do nothing`,
    [tx.scope.teamId, id, version, layerOf(tx.scope, clientId), title, content, tx.scope.userId, origin],
  );
}

/** A version of a memory, with the content of the version before it. */
export interface StoredVersion extends VersionText {
  version: number;
  actorId: string;
  createdAt: string;
  /** Null if there is no version before it. */
  contentBefore: string | null;
}

/**
 * Lists versions of a memory within the scope, newest first.
 * @param part `before`: only lower versions; `publishedOnly`: only texts that were published; `maxBytes`: the most of the
 *   contents and those before them, together. The first version is listed in any case
 */
export async function listVersions(
  tx: TeamTransaction,
  memoryId: string,
  part: { before: number | null; limit: number; publishedOnly: boolean; maxBytes: number },
): Promise<StoredVersion[]> {
  const rows = await tx.query<Omit<StoredVersion, 'createdAt'> & { createdAt: Date }>(
    `with kept as (
       select v.*, lead(v.content) over (order by v.version desc) as content_before
         from memory.memory_version v
        where ${inScope('v')} and v.memory_id = $3 and (not $6 or v.published)
     ), page as (
       select k.*, row_number() over upto as place,
              sum(octet_length(k.content) + coalesce(octet_length(k.content_before), 0)) over upto as bytes
         from kept k where $4::int is null or k.version < $4
       window upto as (order by k.version desc)
        order by k.version desc limit $5
     )
     select p.version, p.title, p.content, p.actor_id as "actorId", p.created_at as "createdAt",
            p.content_before as "contentBefore"
       from page p where p.place = 1 or p.bytes <= $7 order by p.version desc`,
    [...scopeValues(tx.scope), memoryId, part.before, part.limit, part.publishedOnly, part.maxBytes],
  );
  return rows.map((row) => ({ ...row, createdAt: wireTime(row.createdAt) }));
}
