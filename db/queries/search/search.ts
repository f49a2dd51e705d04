import type { OccurredBounds } from '../../../shared/formats/times.ts';
import type { Hit } from '../../../shared/schemas/memory.ts';
import type { QueryTerms } from '../../../shared/text/terms.ts';
import { prepared, type TeamTransaction } from '../../driver/database.ts';
import { halfvecBinary, int4ArrayBinary } from '../../driver/wire-format.ts';
import { isActive } from '../fragments/expiry.ts';
import { inScopeByKey, scopeValues } from '../fragments/layers.ts';
import { CHUNK_COLUMNS, type ChunkRow, toChunk } from '../memory/chunks.ts';

/** The filters of a search, within the scope. */
export interface SearchFilters extends Partial<OccurredBounds> {
  kinds?: readonly Hit['kind'][];
  sourceIds?: readonly string[];
  /** Exclusive bounds of a chunk's time. Times are compared in milliseconds. */
  createdAfter?: Date | null;
  createdBefore?: Date | null;
  /** Normalized. The source of a hit has all of them. */
  tags?: readonly string[];
}

export interface ChunkQuery extends SearchFilters {
  terms: QueryTerms;
  /** Of unit length, or null to search by keyword only. */
  embedding: Float32Array | null;
  model: string;
  topK: number;
  /** Whether each source has one hit, with its best chunks as passages. */
  bySource?: boolean;
  /** Least cosine of a chunk found by meaning, from -1 to 1. It does not restrict chunks found by keyword. */
  minSimilarity?: number;
}

/** A chunk with its score and ranks. */
export interface RankedRow extends ChunkRow {
  /** From 1. The first passage of a place is the hit. */
  passage: number;
  duplicates: number;
  score: number;
  semantic_rank: number | null;
  keyword_rank: number | null;
}

/** Returns the best chunks within the scope, by meaning and by keyword, best first, each text once. */
export async function searchChunks(tx: TeamTransaction, query: ChunkQuery): Promise<Hit[]> {
  const rows = await tx.query<RankedRow>(SEARCH, searchValues(tx, query, false));
  return toHits(rows, query, toHit);
}

/**
 * A search is one statement: `search_hits` returns the ids of the best chunks within the claims, and their texts are
 * joined under row-level security.
 */
export const CANDIDATES = `memory.search_hits($3::halfvec, $4, $5, $6::int[], $7::real[], $8::real[],
  $9::int[], $10::int[], $11::int[], $12::int[], $13::int[], $14::int[],
  $15::text[], $16::uuid[], $17, $18, $19::text[], $20, $21, $22, $23, $24) f`;
/** The columns of a candidate. Without `offset 0`, a plan without statistics would read all of the Team's texts. */
export const CANDIDATE_TEXT = `lateral (select ${CHUNK_COLUMNS}
  from memory.chunk c join memory.source s on s.team_id = c.team_id and s.id = c.source_id
  where c.id = f.chunk_id and ${inScopeByKey('c')} and ${isActive('s')} offset 0) t`;
export const HIT_COLUMNS = 't.*, f.passage, f.score, f.semantic_rank, f.keyword_rank, f.duplicates';
export const HIT_ORDER = 'f.place, f.passage';
const SEARCH = prepared(
  `select ${HIT_COLUMNS} from ${CANDIDATES} cross join ${CANDIDATE_TEXT} order by ${HIT_ORDER}`,
);

/** The values of `CANDIDATES`, and of `inScopeByKey`. */
export function searchValues(tx: TeamTransaction, query: ChunkQuery, explain: boolean): unknown[] {
  const { terms, embedding, kinds, sourceIds, tags } = query;
  return [
    ...scopeValues(tx.scope),
    embedding === null ? null : halfvecBinary(embedding),
    query.model,
    query.minSimilarity ?? null,
    terms.dims,
    terms.factors,
    terms.lengths,
    terms.keys,
    terms.identifierKeys,
    int4ArrayBinary(terms.guesses.keys),
    int4ArrayBinary(terms.guesses.percents),
    int4ArrayBinary(terms.guesses.places),
    int4ArrayBinary(terms.guesses.words),
    kinds ?? null,
    sourceIds ?? null,
    query.createdAfter ?? null,
    query.createdBefore ?? null,
    tags ?? null,
    query.occurredAfter ?? null,
    query.occurredBefore ?? null,
    query.topK,
    explain,
    query.bySource ?? false,
  ];
}

/** Converts rows, in the order of `HIT_ORDER`, to hits as they are sent to clients. */
export function toHits<Row extends RankedRow, T extends Hit>(
  rows: readonly Row[],
  { bySource = false }: Pick<ChunkQuery, 'bySource'>,
  convert: (row: Row) => T,
): T[] {
  const hits: T[] = [];
  for (const row of rows) {
    if (row.passage === 1) hits.push(bySource ? { ...convert(row), passages: [toChunk(row)] } : convert(row));
    else hits.at(-1)?.passages?.push(toChunk(row));
  }
  return hits;
}

/** Converts a row to a hit without passages. */
export function toHit(row: RankedRow): Hit {
  return {
    ...toChunk(row),
    score: row.score,
    semantic_rank: row.semantic_rank,
    keyword_rank: row.keyword_rank,
    duplicates: row.duplicates,
  };
}
