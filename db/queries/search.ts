import type { Hit } from '../../shared/schemas/memory.ts';
import type { QueryTerms } from '../../shared/terms.ts';
import type { TeamTransaction } from '../database.ts';
import { halfvecBinary } from '../wire-format.ts';
import { CHUNK_COLUMNS, type ChunkRow, toChunk } from './chunks.ts';
import { inScope, scopeValues } from './layers.ts';

export interface ChunkQuery {
  terms: QueryTerms;
  /** Of unit length, or null to search by keywords alone. */
  embedding: Float32Array | null;
  model: string;
  topK: number;
}

type HitRow = ChunkRow & { score: number; semantic_rank: number | null; keyword_rank: number | null };

/**
 * The best chunks within the scope, by meaning and by keyword, best first. One statement: the candidates come
 * as ids from a function that reads the claims, and their text is joined under row-level security.
 */
export async function searchChunks(tx: TeamTransaction, query: ChunkQuery): Promise<Hit[]> {
  const { terms } = query;
  const rows = await tx.query<HitRow>(
    `select ${CHUNK_COLUMNS}, f.score, f.semantic_rank, f.keyword_rank
       from memory.search_candidates($4::halfvec, $5, $6::int[], $7::real[], $8::int[], $9::int[], $10) f
       join memory.chunk c on c.id = f.chunk_id
       join memory.source s on s.team_id = c.team_id and s.id = c.source_id
      where ${inScope('c')} and s.state = 'active'
      order by f.place`,
    [
      ...scopeValues(tx.scope),
      query.embedding === null ? null : halfvecBinary(query.embedding),
      query.model,
      terms.dims,
      terms.factors,
      terms.keys,
      terms.identifierKeys,
      query.topK,
    ],
  );
  return rows.map((row) => ({
    ...toChunk(row),
    score: row.score,
    semantic_rank: row.semantic_rank,
    keyword_rank: row.keyword_rank,
  }));
}
