import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, transaction, workerTransaction } from '../../../db/driver/database.ts';
import { archiveSource } from '../../../db/queries/memory/sources.ts';
import { replaceLayerCounts } from '../../../db/queries/search/keywords.ts';
import { searchChunks } from '../../../db/queries/search/search.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { chunkTerms, queryTerms } from '../../../shared/text/terms.ts';
import {
  createTestCompany,
  databaseUrl,
  openTestDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../../support/needs/database.ts';
import { withOwnDatabase } from '../../support/needs/own-database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { countTermsNow } from '../../support/term-counts.ts';

const database = await openTestDatabase();

const WRITERS = 3;
const ROUNDS = 6;
/** More than one step replaces the counts of. */
const MANY_TERMS = 9000;
/** Chunks of the count that may have moved before it is made again: one in five. */
const STALE_SHARE = 0.2;

/** As searches read them: `space term` with how many chunks of the one layer hold it. */
async function storedCounts({ teamId }: TestCompany) {
  const rows = await database.query<{ term: string; df: number }>(
    `select d.space::text || ' ' || d.term as term, substring(d.counts::text from ':(\\d+)}')::int as df
       from memory.keyword_df d where d.team_id = $1`,
    [teamId],
  );
  const [layer] = await database.query<{ chunks: number; sampled: number }>(
    'select chunks, sampled from memory.keyword_layer where team_id = $1',
    [teamId],
  );
  return { terms: Object.fromEntries(rows.map(({ term, df }) => [term, df])), ...layer };
}

/** The same made afresh from the texts, of so few chunks that what stands in one of them is kept too. */
async function freshCounts({ teamId }: TestCompany) {
  const rows = await database.query<{ text: string }>('select text from memory.chunk where team_id = $1', [
    teamId,
  ]);
  const counted = new Map<string, number>();
  for (const { text } of rows) {
    const { dims, keys } = chunkTerms(teamId, text);
    for (const term of [...Array.from(dims, (dim) => `d ${dim}`), ...Array.from(keys, (key) => `k ${key}`)]) {
      counted.set(term, (counted.get(term) ?? 0) + 1);
    }
  }
  return { terms: Object.fromEntries(counted), chunks: rows.length, sampled: rows.length };
}

async function chunksOf({ teamId }: TestCompany): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'select count(*)::int as n from memory.chunk where team_id = $1',
    [teamId],
  );
  return row?.n ?? Number.NaN;
}

function store(team: TestCompany, texts: readonly string[]): Promise<string> {
  return storeSource(database, ownerScope(team), { layer: null, chunks: texts.map((text) => ({ text })) });
}

/** Of layers in the order of their places: the place, the term and the count of each that is counted. */
function entriesOf(layers: readonly ReadonlyMap<number, number>[]): number[][] {
  const entries = layers.flatMap((counts, nth) => [...counts].map(([term, df]) => [nth + 1, term, df]));
  return [0, 1, 2].map((column) => entries.map((entry) => entry[column] ?? Number.NaN));
}

/** Texts that share words with every other, and one code that stands nowhere else. */
const textsOf = (code: string) => [
  `the heron of ${code}`,
  'the heron and the stork by the river',
  `the ${code.startsWith('A') ? 'early' : 'late'} boats of the harbour`,
];

async function findsByWord(team: TestCompany, query: string): Promise<string[]> {
  const hits = await transaction(database, ownerScope(team), (tx) =>
    searchChunks(tx, {
      terms: queryTerms(team.teamId, query),
      embedding: null,
      model: TEST_MODEL_NAME,
      topK: 50,
    }),
  );
  return hits.map((hit) => hit.text);
}

/** Writes sources, finds the code of each at once, and archives every second one. */
async function write(team: TestCompany, writer: string): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const code = `${writer}X_${1000 + round}`;
    const sourceId = await store(team, textsOf(code));
    assert.deepEqual((await findsByWord(team, `which heron is ${code}`))[0], `the heron of ${code}`);
    if (round % 2 === 0) await transaction(database, ownerScope(team), (tx) => archiveSource(tx, sourceId));
  }
}

describe('the counts of terms', () => {
  test('are right when many write and archive during the count, and no search fails', async () => {
    const team = await createTestCompany(database);
    let writing = true;
    const writers = Promise.all(Array.from('ABC'.slice(0, WRITERS), (writer) => write(team, writer))).finally(
      () => {
        writing = false;
      },
    );
    const counting = (async () => {
      while (writing) await countTermsNow(database, team);
    })();
    const searching = (async () => {
      while (writing) await findsByWord(team, 'heron by the river');
    })();
    await Promise.all([writers, counting, searching]);

    await countTermsNow(database, team);
    const { chunks = Number.NaN } = await storedCounts(team);
    const there = await chunksOf(team);
    assert.equal(there, (WRITERS * ROUNDS * textsOf('').length) / 2);
    assert.ok(Math.abs(there - chunks) < STALE_SHARE * chunks, `${chunks} counted of ${there}`);

    // Enough more that they are counted once again: with nobody writing, to the last chunk.
    await store(
      team,
      Array.from({ length: there }, (_, n) => `stork ${n % 5}`),
    );
    await countTermsNow(database, team);
    assert.deepEqual(await storedCounts(team), await freshCounts(team));
  });

  test('remain when one run found a layer empty while another counted it', async () => {
    const team = await createTestCompany(database);
    const counts = (terms: [number, number][], layer: LayerId = null) => ({
      layerId: layer,
      chunks: terms.length,
      sampled: terms.length,
      dims: new Map(terms),
      keys: new Map(terms),
    });
    const run = async (steps: ReturnType<typeof replaceLayerCounts>) => {
      for (const step of steps) await workerTransaction(database, ownerScope(team), step);
    };
    const empty = replaceLayerCounts(counts([]));
    const full = replaceLayerCounts(
      counts([
        [7, 2],
        [8, 2],
      ]),
    );
    await run(empty.slice(0, -1));
    await run(full.slice(0, -1));
    await run(empty.slice(-1));
    await run(full.slice(-1));
    // Another layer has a place of its own then.
    await run(replaceLayerCounts(counts([[7, 1]], await addClient(database, team))));
    const rows = await database.query<{ counts: string }>(
      `select counts::text from memory.keyword_df where team_id = $1 and space = 'd' order by term`,
      [team.teamId],
    );
    assert.deepEqual(
      rows.map((row) => row.counts),
      ['{1:2,2:1}/16000', '{1:2}/16000'],
    );
  });

  test('are one complete set when two runs count at once', async () => {
    const team = await createTestCompany(database);
    for (let round = 1; round <= 4; round += 1) {
      await store(
        team,
        Array.from({ length: 30 * round }, (_, n) => `heron ${round} ${n % 7}`),
      );
      await Promise.all([countTermsNow(database, team), countTermsNow(database, team)]);
      assert.deepEqual(await storedCounts(team), await freshCounts(team), `round ${round}`);
    }
  });

  test('are one complete set when several sets are stored at once', async () => {
    const team = await createTestCompany(database);
    const set = (df: number) => new Map(Array.from({ length: 100 }, (_, term) => [term, df]));
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        [2, 3, 4, 5].map((df) =>
          workerTransaction(database, ownerScope(team), async (tx) => {
            const counts = { layerId: null, chunks: df, sampled: df, dims: set(df), keys: new Map() };
            for (const step of replaceLayerCounts(counts)) await step(tx);
          }),
        ),
      );
      const { terms, chunks } = await storedCounts(team);
      assert.equal(Object.keys(terms).length, 100);
      assert.deepEqual(new Set(Object.values(terms)), new Set([chunks]), 'all of one count');
    }
  });

  test('are those of the last count of each layer when an earlier count was interrupted', async () => {
    const team = await createTestCompany(database);
    const clientId = await addClient(database, team);
    const set = (from: number, df: number) =>
      new Map(Array.from({ length: MANY_TERMS }, (_, n) => [from + n, df + (n % 3)]));
    const replace = async (layer: LayerId, dims: Map<number, number>, most = Number.POSITIVE_INFINITY) => {
      const steps = replaceLayerCounts({ layerId: layer, chunks: 9, sampled: 9, dims, keys: dims });
      assert.ok(steps.length > 5, 'several for each space');
      for (const step of steps.slice(0, most)) await workerTransaction(database, ownerScope(team), step);
    };
    await replace(null, set(-100, 2));
    await replace(clientId, set(-200, 3));
    await replace(null, set(300, 4), 2);
    await replace(null, set(1, 4));
    const [wrong] = await database.query<{ terms: number }>(
      `select count(*)::int as terms from memory.keyword_df d
         full join (select s.space, t.term, string_agg(t.entry, ',') as entries
                      from unnest(array['d', 'k']) s (space),
                           (select l.term, l.place || ':' || l.df as entry
                              from unnest($2::int[], $3::int[], $4::int[]) l (place, term, df) order by l.place) t
                     group by 1, 2) e
           on d.team_id = $1 and d.space::text = e.space and d.term = e.term
        where coalesce(d.team_id, $1) = $1 and d.counts::text is distinct from '{' || e.entries || '}/16000'`,
      [team.teamId, ...entriesOf([set(1, 4), set(-200, 3)])],
    );
    assert.equal(wrong?.terms, 0);
  });

  test('are stored once for a layer without words', async () => {
    const team = await createTestCompany(database);
    await store(team, ['?!']);
    await countTermsNow(database, team);
    assert.deepEqual(await storedCounts(team), { terms: {}, chunks: 1, sampled: 1 });
  });

  test('are empty after the last source is archived, and searches answer before and after', async () => {
    const team = await createTestCompany(database);
    const sourceId = await store(team, textsOf('AX_1000'));
    assert.equal((await findsByWord(team, 'AX_1000')).length, 1);
    await countTermsNow(database, team);
    assert.deepEqual(await storedCounts(team), await freshCounts(team));
    await transaction(database, ownerScope(team), (tx) => archiveSource(tx, sourceId));
    assert.deepEqual(await findsByWord(team, 'AX_1000'), [], 'counted still, and found no more');
    await countTermsNow(database, team);
    assert.deepEqual(await storedCounts(team), { terms: {} });
    assert.deepEqual(await findsByWord(team, 'AX_1000'), []);
    await store(team, textsOf('BX_2000'));
    assert.equal((await findsByWord(team, 'BX_2000')).length, 1);
  });
});

test('are deleted with their Team if it is deleted while they are written', {
  skip: database.backend === 'pglite' ? 'one connection' : false,
}, async () => {
  const team = await createTestCompany(database);
  const counts = { layerId: null, chunks: 3, sampled: 3, dims: new Map([[7, 3]]), keys: new Map() };
  let deleted: Promise<unknown> | undefined;
  await workerTransaction(database, ownerScope(team), async (tx) => {
    for (const step of replaceLayerCounts(counts)) await step(tx);
    // It has seen no counts, and waits for the row of the Team that they were written with.
    deleted = database.query('delete from identity.team where id = $1', [team.teamId]);
    await waitForLock('delete from identity.team');
  });
  await deleted;
  assert.deepEqual(await storedCounts(team), { terms: {} });
});

/** Until a statement that begins so waits for a lock. */
async function waitForLock(beginning: string): Promise<void> {
  for (;;) {
    const [row] = await database.query<{ waits: boolean }>(
      `select exists (select from pg_stat_activity
                       where wait_event_type = 'Lock' and starts_with(query, $1)) as waits`,
      [beginning],
    );
    if (row?.waits) return;
  }
}

/** Chunks that the indexes of the table of chunks gave so far. */
async function chunksReadByIndexes(of: Database): Promise<number> {
  await of.query('select pg_stat_force_next_flush()');
  const [row] = await of.query<{ n: number }>(
    `select sum(idx_tup_read)::int as n from pg_stat_user_indexes where schemaname = 'memory' and relname = 'chunk'`,
  );
  return row?.n ?? Number.NaN;
}

const skip = databaseUrl !== undefined && 'PostgreSQL renews its statistics by itself';
test(
  'storing a large text after a small one looks up each chunk instead of all chunks of the Team',
  {
    skip,
  },
  () =>
    withOwnDatabase(async (own) => {
      const team = await createTestCompany(own);
      const scope = ownerScope(team);
      await storeSource(own, scope, { layer: null, chunks: [{ text: 'the first' }] });
      await countTermsNow(own, team);
      const before = await chunksReadByIndexes(own);
      const chunks = Array.from({ length: 600 }, (_, n) => ({ text: `heron ${n}` }));
      await storeSource(own, scope, { layer: null, chunks });
      const read = (await chunksReadByIndexes(own)) - before;
      assert.ok(read > 0 && read < 20 * chunks.length, `${read} for ${chunks.length}`);
    }),
);
