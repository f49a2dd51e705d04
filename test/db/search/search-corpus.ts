import assert from 'node:assert/strict';
import { stageSource } from '../../../core/sources/store.ts';
import { type Database, transaction } from '../../../db/driver/database.ts';
import { type SearchFilters, searchChunks } from '../../../db/queries/search/search.ts';
import type { Hit } from '../../../shared/schemas/search.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { chunkTerms, queryTerms } from '../../../shared/text/terms/terms.ts';
import { createTestCompany, TEST_MODEL_NAME, type TestCompany } from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { draftOf, type GivenChunk, storeSource } from '../../support/sources.ts';
import { countTermsNow } from '../../support/term-counts.ts';
import {
  countReferenceTerms,
  type RankedChunk,
  rankByReference,
  sumReferenceTerms,
  type TermCounts,
} from './reference-ranking.ts';

/** A stored chunk, and where it lies. */
interface StoredChunk extends Omit<RankedChunk, 'visible'> {
  sourceId: string;
  clientId: string | null;
  loading: boolean;
}

/** A Team with a client and chunks, known both to the database and to the test. */
export interface SearchCorpus {
  database: Database;
  team: TestCompany;
  clientId: string;
  scope: TeamScope;
  chunks: StoredChunk[];
  /** Of each layer that was counted. */
  counts: Map<string | null, TermCounts>;
}

export async function openSearchCorpus(database: Database): Promise<SearchCorpus> {
  const team = await createTestCompany(database);
  const clientId = await addClient(database, team);
  const counts = new Map();
  return { database, team, clientId, scope: ownerScope(team, [clientId]), chunks: [], counts };
}

/** Stores chunks as one source, left loading if it is to be so, and returns its id. */
export async function addToCorpus(
  corpus: SearchCorpus,
  chunks: readonly GivenChunk[],
  options: { layer?: string | null; loading?: boolean; model?: string } = {},
): Promise<string> {
  const { layer = null, loading = false, model = TEST_MODEL_NAME } = options;
  const { database, scope, team } = corpus;
  const given = { layer, chunks, model };
  let sourceId: string;
  if (loading) {
    const staged = await stageSource(database, scope, draftOf(team.teamId, given));
    assert.ok(staged.written, 'only a large draft is written before it is committed');
    sourceId = staged.source.id;
  } else {
    sourceId = await storeSource(database, scope, given);
  }
  const rows = await database.query<{ id: string; text: string; ordinal: number; createdAt: Date }>(
    'select id, text, ordinal, created_at as "createdAt" from memory.chunk where team_id = $1 and source_id = $2 order by ordinal',
    [team.teamId, sourceId],
  );
  for (const { id, text, ordinal, createdAt } of rows) {
    // One of another model is compared with nothing.
    const embedding = model === TEST_MODEL_NAME ? (chunks[ordinal]?.embedding ?? null) : null;
    const terms = chunkTerms(team.teamId, text);
    corpus.chunks.push({ id, text, createdAt, terms, embedding, sourceId, clientId: layer, loading });
  }
  return sourceId;
}

/**
 * Counts the terms of the Team. With a scale the counts are said to be of a sample of so many times more chunks: terms
 * that are common in it then stand in more chunks than are read for a search.
 */
export async function countCorpus(corpus: SearchCorpus, scale = 1): Promise<void> {
  await countTermsNow(corpus.database, corpus.team);
  await corpus.database.query('update memory.keyword_layer set chunks = sampled * $2 where team_id = $1', [
    corpus.team.teamId,
    scale,
  ]);
  // As the owner of the tables: no role can call this function by itself.
  await corpus.database.transaction(async (tx) => {
    await tx.query("select set_config('app.team', $1, true)", [corpus.team.teamId]);
    await tx.query('select memory.sum_layer_counts()');
  });
  corpus.counts = new Map(
    [...Map.groupBy(corpus.chunks, ({ clientId }) => clientId)].map(([layer, chunks]) => [
      layer,
      countReferenceTerms(
        chunks.map((chunk) => ({ ...chunk, visible: true })),
        scale,
      ),
    ]),
  );
}

export interface CorpusQuestion extends SearchFilters {
  query: string;
  embedding?: Float32Array | null;
  vectorWeight?: number;
  scope?: TeamScope;
  topK?: number;
}

/** What the database finds, best first. */
export function searchCorpus(corpus: SearchCorpus, question: CorpusQuestion): Promise<Hit[]> {
  const { query, embedding = null, scope = corpus.scope, topK = 50, ...filters } = question;
  const terms = queryTerms(corpus.team.teamId, query);
  return transaction(corpus.database, scope, (tx) =>
    searchChunks(tx, { terms, embedding, model: TEST_MODEL_NAME, topK, ...filters }),
  );
}

/** Two scores that differ by less can change places: a score of the database was up to 1.3e-6 off that of the reference. */
const ROUNDING = 1e-5;

/** The same, held to agree with the reference: order, ranks and scores. */
export async function askCorpus(corpus: SearchCorpus, question: CorpusQuestion): Promise<Hit[]> {
  const { query, embedding = null, vectorWeight = 1, scope = corpus.scope, topK = 50 } = question;
  const hits = await searchCorpus(corpus, question);
  const terms = queryTerms(corpus.team.teamId, query);
  const reads = (clientId: string | null) => scope.reads.includes(clientId ?? scope.teamId);
  const ranked = rankByReference(
    corpus.chunks.map(({ clientId, loading, ...chunk }) => ({
      ...chunk,
      visible: !loading && reads(clientId),
    })),
    sumReferenceTerms([...corpus.counts].flatMap(([layer, counts]) => (reads(layer) ? [counts] : []))),
    { terms, embedding, vectorWeight },
  );
  const known = new Map(ranked.map((hit) => [hit.id, hit]));
  assert.equal(hits.length, Math.min(topK, ranked.length), query);
  assert.equal(new Set(hits.map((hit) => hit.chunk_id)).size, hits.length, 'none twice');
  for (const [index, hit] of hits.entries()) {
    const expected = known.get(hit.chunk_id);
    const here = ranked[index];
    assert.ok(expected && here, `${hit.text} is found for ${query}`);
    assert.deepEqual(
      [hit.semantic_rank, hit.keyword_rank, hit.duplicates],
      [expected.semanticRank, expected.keywordRank, expected.duplicates],
      `ranks of ${hit.text} for ${query}`,
    );
    assert.ok(Math.abs(hit.score - expected.score) < 1e-3, `${hit.score}, not ${expected.score}: ${query}`);
    // Another chunk can stand here if only rounding tells apart what the two are placed by. Equals stand by their ids.
    const { named, score } = expected.placedBy;
    const difference = Math.abs(score - here.placedBy.score);
    const isInPlace =
      hit.chunk_id === here.id || (named === here.placedBy.named && difference > 0 && difference < ROUNDING);
    assert.ok(isInPlace, `${hit.text} in place ${index + 1}, not ${here.id}: ${query}`);
  }
  return hits;
}
