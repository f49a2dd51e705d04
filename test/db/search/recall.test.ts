import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { halfvecBinary } from '../../../db/driver/wire-format.ts';
import { type SearchFilters } from '../../../db/queries/search/search.ts';
import { newId } from '../../../shared/ids.ts';
import { narrowScope, type TeamScope } from '../../../shared/scope.ts';
import {
  createTestCompany,
  openTestDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { openStandInVectors } from '../../support/stand-in-vectors.ts';
import { setTermCounts } from '../../support/term-counts.ts';
import { searchIn } from './search-in.ts';

const database = await openTestDatabase();

/** Above 1,000 vectors of a scope their signs are compared first; fewer are all compared in full. */
const TEAM_CHUNKS = 1100;
const FIRST_CLIENT_CHUNKS = 1050;
const SECOND_CLIENT_CHUNKS = 150;
/** Of another model, and nearer to the queries than any other. */
const OTHER_MODEL = 'another/model';
const QUERIES = 15;
const NEAREST = 10;
const HELD = 0.99;
/** The most hits that are asked for, and a leg's own. */
const TOP_K = 50;

const [STORED_SEED, QUERY_SEED] = [1, 2];

interface Corpus {
  team: TestCompany;
  scope: TeamScope;
  clients: [string, string];
  /** By layer: the Team's of two, then each client's. */
  sources: [string, string, string, string];
}

const asked = openStandInVectors(QUERY_SEED);
const queries = Array.from({ length: QUERIES }, () => asked.vector());

async function openCorpus(): Promise<Corpus> {
  const team = await createTestCompany(database);
  const clients: [string, string] = [await addClient(database, team), await addClient(database, team)];
  const scope = ownerScope(team, clients);
  const stored = openStandInVectors(STORED_SEED);
  let texts = 0;
  const add = (layer: string | null, size: number) => {
    const chunks = Array.from({ length: size }, () => ({
      text: `text ${(texts += 1)}`,
      embedding: stored.vector(),
    }));
    return storeSource(database, scope, { layer, chunks });
  };
  const sources: Corpus['sources'] = [
    await add(null, TEAM_CHUNKS - SECOND_CLIENT_CHUNKS),
    await add(null, SECOND_CLIENT_CHUNKS),
    await add(clients[0], FIRST_CLIENT_CHUNKS),
    await add(clients[1], SECOND_CLIENT_CHUNKS),
  ];
  const chunks = queries.map((embedding, n) => ({ text: `elsewhere ${n}`, embedding }));
  await storeSource(database, scope, { layer: null, chunks, model: OTHER_MODEL });
  return { team, scope, clients, sources };
}

/** What the vector leg alone finds, best first, and the way it took. */
async function search(scope: TeamScope, embedding: Float32Array, filters: SearchFilters) {
  const { hits, trace } = await searchIn(database, scope, '?!', { embedding, ...filters });
  return { ids: hits.map((hit) => hit.chunk_id), trace };
}

/** A chunk and where it lies. */
interface Place {
  id: string;
  client: string | null;
  source: string;
}

/** All chunks of the Team with a vector of the model, nearest first, by an exact scan. */
function sortExactly(teamId: string, embedding: Float32Array): Promise<Place[]> {
  return database.query<Place>(
    `with compared as materialized (
       select e.chunk_id as id, nullif(e.layer_id, e.team_id) as client, e.embedding <#> $3::halfvec as distance
         from memory.chunk_embedding e where e.team_id = $1 and e.model = $2)
     select n.id, n.client, (select c.source_id from memory.chunk c where c.team_id = $1 and c.id = n.id) as source
       from compared n order by n.distance`,
    [teamId, TEST_MODEL_NAME, halfvecBinary(embedding)],
  );
}

/** Of those, the nearest within the scope and the sources. */
function nearestOf(
  sorted: readonly Place[],
  { reads, teamId }: TeamScope,
  sources: readonly string[] | null,
): Set<string> {
  const within = sorted.filter(
    ({ client, source }) => reads.includes(client ?? teamId) && (sources?.includes(source) ?? true),
  );
  return new Set(within.slice(0, NEAREST).map(({ id }) => id));
}

describe('the vector leg', () => {
  let corpus: Corpus;
  /** By query. */
  const sorted: Place[][] = [];
  before(async () => {
    corpus = await openCorpus();
    // As autovacuum does: without statistics the exact scans here read the Team's texts for each vector.
    await database.query('analyze memory.chunk');
    for (const query of queries) sorted.push(await sortExactly(corpus.team.teamId, query));
  });

  const layers = (include: ('team' | 'client')[], client?: 0 | 1) =>
    narrowScope(corpus.scope, {
      include,
      ...(client === undefined ? {} : { clientId: corpus.clients[client] }),
    });
  const all = TEAM_CHUNKS + FIRST_CLIENT_CHUNKS + SECOND_CLIENT_CHUNKS;

  for (const [what, scopeOf, sourcesOf, rows] of [
    ['the whole Team', () => layers(['team', 'client']), null, all],
    ['the Team layer', () => layers(['team']), null, TEAM_CHUNKS],
    ['one client', () => layers(['client'], 0), null, FIRST_CLIENT_CHUNKS],
    ['a small client', () => layers(['client'], 1), null, SECOND_CLIENT_CHUNKS],
    [
      'the Team layer and a client',
      () => layers(['team', 'client'], 1),
      null,
      TEAM_CHUNKS + SECOND_CLIENT_CHUNKS,
    ],
    ['most of the sources', () => layers(['team', 'client']), [0, 2], all - 2 * SECOND_CLIENT_CHUNKS],
    ['one source', () => layers(['team', 'client']), [1], SECOND_CLIENT_CHUNKS],
    ['one source among others out of scope', () => layers(['team']), [1, 2], SECOND_CLIENT_CHUNKS],
  ] as const) {
    test(`finds what an exact scan finds: ${what}`, async () => {
      const scope = scopeOf();
      const sourceIds = sourcesOf?.map((index) => corpus.sources[index]) ?? null;
      let found = 0;
      for (const [nth, query] of queries.entries()) {
        const { ids, trace } = await search(scope, query, sourceIds === null ? {} : { sourceIds });
        const exact = nearestOf(sorted[nth] ?? [], scope, sourceIds);
        found += ids.slice(0, NEAREST).filter((id) => exact.has(id)).length;
        assert.equal(ids.length, Math.min(TOP_K, rows));
        assert.equal(new Set(ids).size, ids.length);
        assert.deepEqual(trace.semantic, {
          path: rows > 1000 ? 'quantised' : 'exact',
          candidates: rows,
          hits: TOP_K,
        });
      }
      const recall = found / (QUERIES * NEAREST);
      assert.ok(recall >= (rows > 1000 ? HELD : 1), `recall@${NEAREST} ${recall}`);
    });
  }

  test('finds the same as a full sort when only some of very many vectors are sorted', {
    skip: database.backend === 'pglite' && 'so many vectors are made in time on PostgreSQL alone',
  }, async () => {
    const large = await multiply(corpus);
    for (const query of queries.slice(0, 5)) {
      for (const sourceIds of [undefined, [large.sources[0]]]) {
        const { ids, trace } = await search(large.scope, query, sourceIds === undefined ? {} : { sourceIds });
        assert.equal(trace.semantic?.path, 'quantised');
        assert.ok(trace.semantic.candidates > LARGE);
        assert.deepEqual(ids, await bySigns(large.scope, query, sourceIds ?? large.sources));
      }
    }
  });
});

/** From so many on some vectors' signs tell which others are too far away to be sorted. */
const LARGE = 10_000;
const LARGE_SOURCES = [LARGE + 200, 400] as const;
/** Best by signs, which are compared in full. */
const RERANK = 200;

/** A Team of many chunks, whose vectors are sums of two of the corpus: as near to each other as those. */
async function multiply(corpus: Corpus): Promise<{ scope: TeamScope; sources: [string, string] }> {
  const team = await createTestCompany(database);
  const sources: [string, string] = [newId(), newId()];
  await database.transaction(async (tx) => {
    // Of tables just made nothing is known, and what seems small is joined row by row.
    await tx.query('set local enable_nestloop = off');
    // On a busy machine it takes longer than a request may.
    await tx.query('set local statement_timeout = 0');
    for (const [index, size] of LARGE_SOURCES.entries()) {
      await tx.query(
        `with one as (
           insert into memory.source (team_id, layer_id, id, kind, state, title, content_hash, created_by, chunk_count)
           values ($1, $1, $2::uuid, 'ingest', 'active', 'Many', uuid_send($2::uuid), $3, $4::int)
         ), made as (
           insert into memory.chunk (team_id, layer_id, id, source_id, ordinal, text)
           select $1::uuid, $1::uuid, gen_random_uuid(), $2::uuid, n, 'text' from generate_series(1, $4::int) n returning id, ordinal
         ), given as (
           select e.embedding, row_number() over (order by e.chunk_id) as nth, count(*) over () as size
             from memory.chunk_embedding e where e.team_id = $5 and e.model = $6::text
         )
         insert into memory.chunk_embedding (team_id, layer_id, chunk_id, model, embedding)
         select $1::uuid, $1::uuid, m.id, $6::text, l2_normalize(a.embedding + b.embedding)
           from made m
           join given a on a.nth = 1 + m.ordinal % a.size
           join given b on b.nth = 1 + (m.ordinal * 7 + m.ordinal / a.size) % a.size`,
        [team.teamId, sources[index], team.ownerId, size, corpus.team.teamId, TEST_MODEL_NAME],
      );
    }
  });
  await database.query('analyze memory.chunk');
  // As the worker's count tells: by it a Team is known to be large.
  await setTermCounts(database, team, { chunks: LARGE_SOURCES[0] + LARGE_SOURCES[1], words: {} });
  return { scope: ownerScope(team), sources };
}

/** The nearest by sorting all the signs, and the best of those in full. */
async function bySigns(
  scope: TeamScope,
  embedding: Float32Array,
  sources: readonly string[],
): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `with compared as materialized (
       select e.chunk_id as id, e.embedding, e.signs <~> binary_quantize($4::halfvec)::bit(1024) as distance
         from memory.chunk_embedding e where e.team_id = $1 and e.model = $2
     ), best as (
       select n.id, n.embedding from compared n
        where (select c.source_id from memory.chunk c where c.team_id = $1 and c.id = n.id) = any ($3::uuid[])
        order by n.distance, n.id limit ${RERANK})
     select b.id from best b order by b.embedding <#> $4::halfvec, b.id limit ${TOP_K}`,
    [scope.teamId, TEST_MODEL_NAME, sources, halfvecBinary(embedding)],
  );
  return rows.map((row) => row.id);
}
