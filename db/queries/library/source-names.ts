import type { LayerId } from '../../../shared/scope.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScope, scopeValues } from '../fragments/layers.ts';

/** The names of a source, which no other active source of its layer can have. */
export interface SourceNames {
  layerId: LayerId;
  externalId: string | null;
  contentHash: Buffer;
}

/** Finds the names of a source within the scope; null if it does not exist. */
export async function findSourceNames(tx: TeamTransaction, id: string): Promise<SourceNames | null> {
  const [row] = await tx.query<SourceNames>(
    `select s.layer_id as "layerId", s.external_id as "externalId", s.content_hash as "contentHash"
       from memory.source s where ${inScope('s')} and s.id = $3`,
    [...scopeValues(tx.scope), id],
  );
  return row ?? null;
}

/**
 * Finds an active source of the layer with the same external id or the same text, except those of memories and workspace
 * files. Lock the names before.
 */
export async function findRepeat(
  tx: TeamTransaction,
  { layerId, externalId, contentHash }: SourceNames,
): Promise<{ id: string; hasSameId: boolean } | null> {
  const [row] = await tx.query<{ id: string; hasSameId: boolean }>(
    `select s.id, s.external_id is not distinct from $3::text and $3 is not null as "hasSameId" from memory.source s
      where s.team_id = $1 and s.layer_id = $2 and ${isActive('s')}
        and s.kind in ('ingest', 'import') and (s.external_id = $3 or s.content_hash = $4)
      order by 2 desc, s.id limit 1`,
    [tx.scope.teamId, layerId, externalId, contentHash],
  );
  return row ?? null;
}
