import type { Chunk } from '../../../shared/schemas/memory.ts';
import type { TeamTransaction } from '../../driver/database.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScopeByKey, scopeValues } from '../fragments/layers.ts';
import { CHUNK_COLUMNS, type ChunkRow, toChunk } from '../memory/chunks.ts';

/**
 * Returns the chunks within the scope that are at most `distance` chunks before or after one of the given chunks in its
 * source, each once, in no particular order. The given chunks are not returned.
 */
export async function selectNeighbours(
  tx: TeamTransaction,
  chunkIds: readonly string[],
  distance: number,
): Promise<Chunk[]> {
  // `offset 0` makes the planner look up each hit and each place.
  const rows = await tx.query<ChunkRow>(
    `select n.*
       from (select distinct a.source_id, nearby.ordinal
               from unnest($3::uuid[]) as h (id)
              cross join lateral (select asked.source_id, asked.ordinal from memory.chunk asked
                                   where asked.id = h.id and ${inScopeByKey('asked')} offset 0) a
              cross join lateral generate_series(a.ordinal - $4::int, a.ordinal + $4::int) as nearby (ordinal)) p
      cross join lateral (
        select ${CHUNK_COLUMNS}
          from memory.chunk c join memory.source s on s.team_id = c.team_id and s.id = c.source_id
         where c.source_id = p.source_id and c.ordinal = p.ordinal and c.id <> all ($3::uuid[])
           and ${inScopeByKey('c')} and ${isActive('s')} offset 0) n`,
    [...scopeValues(tx.scope), chunkIds, distance],
  );
  return rows.map(toChunk);
}
