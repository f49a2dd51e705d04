import type { OccurredBounds } from '../../../shared/formats/times.ts';
import type { Facets, Hit } from '../../../shared/schemas/search.ts';
import type { Chunk } from '../../../shared/schemas/sources.ts';
import type { QueryTerms } from '../../../shared/text/terms/terms.ts';
import { prepared, type TeamTransaction } from '../../driver/database.ts';
import { halfvecBinary, int4ArrayBinary } from '../../driver/wire-format.ts';
import { inScope, inScopeByKey, isActive, scopeValues } from '../common.ts';
import { queryNamed } from '../query-named.ts';
import { CHUNK_COLUMNS, type ChunkRow, toChunk } from '../sources/chunks.ts';

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
  /** What the z-score by meaning is multiplied by in the fusion: `weight` of the model's profile. 1 by default. */
  vectorWeight?: number | undefined;
  topK: number;
  /** Whether each source has one hit, with its best chunks as passages. */
  bySource?: boolean;
  /** Least cosine of a chunk found by meaning, from -1 to 1. It does not restrict chunks found by keyword. */
  minSimilarity?: number;
  /** Whether the candidates are counted by what a search can be narrowed to. */
  facets?: boolean;
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

/** The hits of a search; with `facets` of the query, those too. */
export interface FoundChunks<T extends Hit = Hit> {
  hits: T[];
  facets?: Facets;
}

type Faceted<Row> = Row & { facets?: Facets | null };

/** Returns the best chunks within the scope, by meaning and by keyword, best first, each text once. */
export async function searchChunks(tx: TeamTransaction, query: ChunkQuery): Promise<Hit[]> {
  return (await searchAndCount(tx, query)).hits;
}

/** Searches as `searchChunks` does, and returns the facets too. */
export async function searchAndCount(tx: TeamTransaction, query: ChunkQuery): Promise<FoundChunks> {
  const text = query.facets === true ? FACETED_SEARCH : SEARCH;
  const rows = await queryNamed<Faceted<RankedRow>>(
    tx,
    text,
    searchValues(query, false),
    scopeValues(tx.scope),
  );
  return { hits: toHits(rows, query, toHit), ...facetsOf(query, rows) };
}

const NO_FACETS: Facets = { kind: [], client: [], tag: [], year: [] };

/** The facets that the first row has. */
function facetsOf({ facets = false }: ChunkQuery, rows: readonly Faceted<object>[]): { facets?: Facets } {
  return facets ? { facets: rows[0]?.facets ?? NO_FACETS } : {};
}

/**
 * A search is one statement: `search_hits` returns the ids of the best chunks within the claims, and their texts are
 * joined under row-level security.
 */
const CANDIDATES = `memory.search_hits($embedding::halfvec, $model, $vectorWeight, $minSimilarity,
  $dims::int[], $factors::real[], $lengths::real[], $keys::int[], $identifierKeys::int[],
  $guessedKeys::int[], $guessPercents::int[], $guessPlaces::int[], $guessWords::int[],
  $kinds::text[], $sourceIds::uuid[], $createdAfter, $createdBefore, $tags::text[], $occurredAfter, $occurredBefore,
  $topK, $explain, $bySource) f`;
/** All candidates, to be counted, of which `$shown` are shown. */
const ALL_FOUND = `with found as materialized (select * from ${CANDIDATES})`;
const FACETS = `case when row_number() over (order by f.place, f.passage) = 1 then memory.search_facets(
  array(select a.chunk_id from found a where a.place > 0 and a.passage = 1)) end as facets`;
/** The columns of a candidate. Without `offset 0`, a plan without statistics would read all of the Team's texts. */
const CANDIDATE_TEXT = `lateral (select ${CHUNK_COLUMNS}
  from memory.chunk c join memory.source s on s.team_id = c.team_id and s.id = c.source_id
  where c.id = f.chunk_id and ${inScopeByKey('c')} and ${isActive('s')} offset 0) t`;
const HIT_COLUMNS = 't.*, f.passage, f.score, f.semantic_rank, f.keyword_rank, f.duplicates';
const HIT_ORDER = 'f.place, f.passage';
const SEARCH = prepared(
  `select ${HIT_COLUMNS} from ${CANDIDATES} cross join ${CANDIDATE_TEXT} order by ${HIT_ORDER}`,
);
const FACETED_SEARCH = prepared(
  `${ALL_FOUND} select ${HIT_COLUMNS}, ${FACETS} from found f cross join ${CANDIDATE_TEXT}
    where f.place <= $shown order by ${HIT_ORDER}`,
);

/** The values of `CANDIDATES`. */
function searchValues(query: ChunkQuery, explain: boolean): Record<string, unknown> {
  const { terms, embedding, kinds, sourceIds, tags } = query;
  return {
    embedding: embedding === null ? null : halfvecBinary(embedding),
    model: query.model,
    vectorWeight: query.vectorWeight ?? 1,
    minSimilarity: query.minSimilarity ?? null,
    dims: terms.dims,
    factors: terms.factors,
    lengths: terms.lengths,
    keys: terms.keys,
    identifierKeys: terms.identifierKeys,
    guessedKeys: int4ArrayBinary(terms.guesses.keys),
    guessPercents: int4ArrayBinary(terms.guesses.percents),
    guessPlaces: int4ArrayBinary(terms.guesses.places),
    guessWords: int4ArrayBinary(terms.guesses.words),
    kinds: kinds ?? null,
    sourceIds: sourceIds ?? null,
    createdAfter: query.createdAfter ?? null,
    createdBefore: query.createdBefore ?? null,
    tags: tags ?? null,
    occurredAfter: query.occurredAfter ?? null,
    occurredBefore: query.occurredBefore ?? null,
    ...(query.facets === true ? { topK: ALL_CANDIDATES, shown: query.topK } : { topK: query.topK }),
    explain,
    bySource: query.bySource ?? false,
  };
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

/** The explanation of one hit. */
export interface HitDetail {
  /** Cosine with the query's vector, also for a hit that was found only by keyword; null without a vector. */
  similarity: number | null;
  semanticZ: number;
  keywordZ: number;
  /** What the hits of the source by keyword add to the keyword score; null if its source has none. */
  sourceEvidence: number | null;
  /** The part of the keyword score that guessed words count; null without guesses. */
  guessed: number | null;
  identifier: boolean;
}

/** The explanation of the search as a whole. */
export interface SearchTrace {
  weights: { dim: number; documents: number; weight: number }[];
  /** How many chunks passed the filters; null without a filter. */
  filtered: number | null;
  keyword: { keysRead: number[]; rareKeys: number[]; scored: number; hits: number };
  semantic: { path: 'exact' | 'quantised' | 'graph'; candidates: number; hits: number } | null;
  milliseconds: Record<'weights' | 'filters' | 'keyword' | 'semantic' | 'fusion', number>;
  counted: { chunks: number; sampled: number; at: string } | null;
}

export type ExplainedHit = Hit & { detail: HitDetail };
type ExplainedHitRow = RankedRow & { detail: HitDetail };
type ExplainedRow = ExplainedHitRow | { chunk_id: null; detail: SearchTrace };

/** Searches as `searchChunks` does. Returns each hit with its explanation, and the explanation of the search. */
export async function searchExplained(
  tx: TeamTransaction,
  query: ChunkQuery,
): Promise<FoundChunks<ExplainedHit> & { trace: SearchTrace }> {
  const [every, columns, shown] =
    query.facets === true ? [ALL_FOUND, `, ${FACETS}`, 'and f.place <= $shown'] : ['', '', ''];
  const rows = await queryNamed<Faceted<ExplainedRow>>(
    tx,
    // The row that explains the search has no chunk.
    `${every} select ${HIT_COLUMNS}, f.detail ${columns}
       from ${every === '' ? CANDIDATES : 'found f'}
       left join ${CANDIDATE_TEXT} on true
      where (t.chunk_id is not null or f.place = 0) ${shown}
      order by ${HIT_ORDER}`,
    searchValues(query, true),
    scopeValues(tx.scope),
  );
  const found: ExplainedHitRow[] = [];
  let trace: SearchTrace | undefined;
  for (const row of rows) {
    if (row.chunk_id === null) trace = row.detail;
    else found.push(row);
  }
  if (trace === undefined) throw new Error('search_hits returned no explanation');
  const hits = toHits(found, query, (row) => ({ ...toHit(row), detail: row.detail }));
  return { hits, trace, ...facetsOf(query, rows) };
}

/** The stored weight of a chunk for one dimension. */
export interface MatchedWeight {
  chunk_id: string;
  dim: number;
  weight: number;
}

/** Returns the stored weights of the given chunks, within the scope, for the given dimensions. */
export async function matchedWeights(
  tx: TeamTransaction,
  chunkIds: readonly string[],
  dims: readonly number[],
): Promise<MatchedWeight[]> {
  return tx.query<MatchedWeight>(
    'select chunk_id, dim, weight from memory.matched_weights($1::uuid[], $2::int[])',
    [chunkIds, dims],
  );
}

/** Up to this many chunks of a scope, all are counted. Of more, a sample of about this many is counted and scaled. */
const MAX_COUNTED_CHUNKS = 4000;
/** More than a search has candidates. */
const ALL_CANDIDATES = 1000;

/** A term to count, by its dimension. */
export interface CountedTerm {
  dim: number;
  /** By which a rare term is counted in a large scope; null if it has none, or should not be counted by it. */
  key: number | null;
}

/** How many chunks contain a term. */
export interface DocumentCount {
  documents: number;
  /** Whether the number was scaled from a sample. */
  scaled: boolean;
}

/**
 * Counts the chunks within the scope that contain each term.
 * @param terms the most important first
 * @param mostChunks of a larger scope, a sample of about this many chunks is counted
 * @returns the number by dimension. Of very many terms, the last ones are left out
 */
export async function countDocuments(
  tx: TeamTransaction,
  terms: readonly CountedTerm[],
  mostChunks = MAX_COUNTED_CHUNKS,
): Promise<Map<number, DocumentCount>> {
  if (terms.length === 0) return new Map();
  const rows = await tx.query<DocumentCount & { dim: number }>(
    'select dim, documents, scaled from memory.count_documents($1::int[], $2::int[], $3)',
    [terms.map(({ dim }) => dim), terms.map(({ key }) => key), mostChunks],
  );
  return new Map(rows.map(({ dim, ...count }) => [dim, count]));
}

/** Counts the chunks within the scope that contain one of the keys, up to `most`. */
export async function countCandidates(
  tx: TeamTransaction,
  keys: readonly number[],
  most: number,
): Promise<number> {
  const [row] = await tx.query<{ candidates: number }>(
    'select memory.count_candidates($1::int[], $2) as candidates',
    [keys, most],
  );
  return row?.candidates ?? 0;
}

/** The place of a chunk among all candidates of a search, from 1. */
export interface CandidatePlace {
  chunkId: string;
  place: number;
}

/** Finds the best candidate of a search that is a chunk of the source; null if none is. */
export async function findPlace(
  tx: TeamTransaction,
  query: ChunkQuery,
  sourceId: string,
): Promise<CandidatePlace | null> {
  const [row] = await queryNamed<CandidatePlace>(
    tx,
    `select f.chunk_id as "chunkId", f.place
       from ${CANDIDATES}
       join memory.chunk c on c.team_id = $1 and c.id = f.chunk_id
      where ${inScope('c')} and c.source_id = $sourceId
      order by f.place limit 1`,
    { ...searchValues({ ...query, topK: ALL_CANDIDATES, facets: false }, false), sourceId },
    scopeValues(tx.scope),
  );
  return row ?? null;
}

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
