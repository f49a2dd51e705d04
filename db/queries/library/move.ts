import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** A statement takes about a second on the embedded database. Statements of more than 15 seconds are cancelled. */
const CHUNKS_PER_STATEMENT = 1000;

/** What must be unique among the active sources of a layer. */
export interface SourceNames {
  contentHash: Buffer;
  externalId: string | null;
}

/** Finds the names of a source within the scope; null if it does not exist. */
export async function findSourceNames(tx: TeamTransaction, id: string): Promise<SourceNames | null> {
  const [row] = await tx.query<SourceNames>(
    `select s.content_hash as "contentHash", s.external_id as "externalId" from memory.source s
      where ${inScope('s')} and s.id = $4`,
    [...scopeValues(tx.scope), id],
  );
  return row ?? null;
}

/**
 * Whether a layer has an active source with this text or this external id, except those of memories and workspace files.
 * Lock the names before.
 */
export async function hasSourceNamed(
  tx: TeamTransaction,
  layerId: LayerId,
  { contentHash, externalId }: SourceNames,
): Promise<boolean> {
  const rows = await tx.query(
    `select from memory.source s
      where s.team_id = $1 and s.client_id is not distinct from $2::uuid and ${isActive('s')}
        and s.kind in ('ingest', 'import') and (s.content_hash = $3 or s.external_id = $4)
      limit 1`,
    [tx.scope.teamId, layerId, contentHash, externalId],
  );
  return rows.length > 0;
}

/** Moves a source to another layer that the scope can write, with everything that belongs to it. Lock the source before. */
export async function moveSource(tx: TeamTransaction, id: string, layerId: LayerId): Promise<void> {
  const [row] = await tx.query<{ moved: boolean }>('select memory.move_source($1, $2) as moved', [
    id,
    layerId,
  ]);
  if (row?.moved !== true) throw new Error('the source to move does not exist');
  await moveChunks(tx, id);
}

/**
 * Moves a memory to another layer that the scope can write, with its versions and its source. Lock the memory before.
 * @param sourceId null if it has no source
 */
export async function moveMemory(
  tx: TeamTransaction,
  { id, sourceId }: { id: string; sourceId: string | null },
  layerId: LayerId,
): Promise<void> {
  const [row] = await tx.query<{ moved: boolean }>('select memory.move_memory($1, $2) as moved', [
    id,
    layerId,
  ]);
  if (row?.moved !== true) throw new Error('the memory to move does not exist');
  if (sourceId !== null) await moveChunks(tx, sourceId);
}

/** Moves the chunks of a source to its layer, in several statements. */
async function moveChunks(tx: TeamTransaction, sourceId: string): Promise<void> {
  let last: number | null = -1;
  while (last !== null) {
    const rows: { last: number | null }[] = await tx.query('select memory.move_chunks($1, $2, $3) as last', [
      sourceId,
      last,
      CHUNKS_PER_STATEMENT,
    ]);
    last = rows[0]?.last ?? null;
  }
}
