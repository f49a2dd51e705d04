import type { Source } from '../../../shared/schemas/memory.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { TERMS_VERSION } from '../../../shared/text/terms.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { lockDueRepeats } from '../memory/expiry.ts';
import { SOURCE_COLUMNS, type SourceRow, toStored } from '../memory/source-rows.ts';
import { lockSource } from '../memory/sources.ts';

/** The names of a source, which no other active source of its layer can have. */
export interface SourceNames {
  layerId: LayerId;
  externalId: string | null;
  contentHash: Buffer;
  /** Whether the time of its expiry has come. */
  isDue: boolean;
}

async function findNames(tx: TeamTransaction, id: string): Promise<SourceNames | null> {
  const [row] = await tx.query<SourceNames>(
    `select s.client_id as "layerId", s.external_id as "externalId", s.content_hash as "contentHash",
            memory.is_due(s.expires_at) as "isDue"
       from memory.source s where s.team_id = $1 and s.id = $2`,
    [tx.scope.teamId, id],
  );
  return row ?? null;
}

/**
 * Locks the names of a source as `lockSource` does, and the due sources that it would repeat. Call it before the source is
 * locked: a request that stores a source locks its names first, and a purge of a due source locks it before its copies.
 */
export async function lockNamesOf(tx: TeamTransaction, id: string): Promise<void> {
  const names = await findNames(tx, id);
  if (names === null) return;
  await lockSource(tx, names);
  await lockDueRepeats(tx, names);
}

/** Returns the names of a source. Lock the source before. */
export async function readNames(tx: TeamTransaction, id: string): Promise<SourceNames> {
  const names = await findNames(tx, id);
  if (names === null) throw new Error('the source does not exist');
  return names;
}

/** Finds an active source of the layer with the same external id or the same text. Lock the names before. */
export async function findRepeat(
  tx: TeamTransaction,
  { layerId, externalId, contentHash }: SourceNames,
): Promise<{ id: string; hasSameId: boolean } | null> {
  const [row] = await tx.query<{ id: string; hasSameId: boolean }>(
    `select s.id, s.external_id is not distinct from $3::text and $3 is not null as "hasSameId" from memory.source s
      where s.team_id = $1 and s.client_id is not distinct from $2::uuid and ${isActive('s')}
        and s.kind in ('ingest', 'import') and (s.external_id = $3 or s.content_hash = $4)
      order by 2 desc, s.id limit 1`,
    [tx.scope.teamId, layerId, externalId, contentHash],
  );
  return row ?? null;
}

/**
 * Makes an archived source active again. Its chunks must be restored in the same transaction.
 * @returns the source, and whether its terms were made by an earlier version
 */
export async function activateRestored(
  tx: TeamTransaction,
  id: string,
  chunks: number,
): Promise<{ source: Source; isOutdated: boolean }> {
  const [row] = await tx.query<SourceRow & { isOutdated: boolean }>(
    `update memory.source s set state = 'active', chunk_count = $3, same_as = null, updated_at = now()
      where s.team_id = $1 and s.id = $2 and s.state = 'archived'
      returning ${SOURCE_COLUMNS}, s.terms_version < ${TERMS_VERSION} as "isOutdated"`,
    [tx.scope.teamId, id, chunks],
  );
  if (row === undefined) throw new Error('the source to restore is not archived');
  const { isOutdated, ...source } = row;
  return { source: toStored(source).source, isOutdated };
}
