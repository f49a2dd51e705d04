import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction } from '../../db/database.ts';
import { replaceTermCounts } from '../../db/queries/keywords.ts';
import { searchChunks } from '../../db/queries/search.ts';
import { archiveSource } from '../../db/queries/sources.ts';
import { chunkTerms, queryTerms } from '../../shared/terms.ts';
import {
  createTestCompany,
  openTestDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../support/database.ts';
import { ownerScope } from '../support/scopes.ts';
import { storeSource } from '../support/sources.ts';
import { countTermsNow } from '../support/term-counts.ts';

const database = await openTestDatabase();

const WRITERS = 3;
const ROUNDS = 6;
/** Chunks of the count that may have moved before it is made anew: one in five. */
const STALE_SHARE = 0.2;

/** As it is stored: `space term` with how many chunks hold it. */
async function storedCounts({ teamId }: TestCompany) {
  const rows = await database.query<{ term: string; df: number }>(
    `select space::text || ' ' || term as term, df from memory.keyword_df where team_id = $1`,
    [teamId],
  );
  const [team] = await database.query<{ chunks: number; sampled: number }>(
    'select chunks, sampled from memory.keyword_team where team_id = $1',
    [teamId],
  );
  return { terms: Object.fromEntries(rows.map(({ term, df }) => [term, df])), ...team };
}

/** The same made afresh from the texts; what stands in one chunk only is left out. */
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
  const terms = Object.fromEntries([...counted].filter(([, df]) => df >= 2));
  return { terms, chunks: rows.length, sampled: Math.max(rows.length, 1) };
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

describe('the frequencies of terms', () => {
  test('are right however many write and archive while they are counted, and no search fails', async () => {
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

  test('are one whole set where two runs count at once', async () => {
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

  test('are one whole set where several are put in place at once', async () => {
    const team = await createTestCompany(database);
    const set = (df: number) => Array.from({ length: 100 }, (_, term) => ({ space: 'd', term, df }) as const);
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        [2, 3, 4, 5].map((df) =>
          transaction(database, ownerScope(team), (tx) =>
            replaceTermCounts(tx, set(df), { total: df, sampled: df }),
          ),
        ),
      );
      const { terms, chunks } = await storedCounts(team);
      assert.equal(Object.keys(terms).length, 100);
      assert.deepEqual(new Set(Object.values(terms)), new Set([chunks]), 'all of one count');
    }
  });

  test('are none once the last source is archived, and searches answer before and after', async () => {
    const team = await createTestCompany(database);
    const sourceId = await store(team, textsOf('AX_1000'));
    assert.equal((await findsByWord(team, 'AX_1000')).length, 1);
    await countTermsNow(database, team);
    assert.deepEqual(await storedCounts(team), await freshCounts(team));
    await transaction(database, ownerScope(team), (tx) => archiveSource(tx, sourceId));
    assert.deepEqual(await findsByWord(team, 'AX_1000'), [], 'counted still, and found no more');
    await countTermsNow(database, team);
    assert.deepEqual(await storedCounts(team), { terms: {}, chunks: 0, sampled: 1 });
    assert.deepEqual(await findsByWord(team, 'AX_1000'), []);
    await store(team, textsOf('BX_2000'));
    assert.equal((await findsByWord(team, 'BX_2000')).length, 1);
  });
});

test('counts that are written while their Team is deleted go with it', {
  skip: database.backend === 'pglite' ? 'one connection' : false,
}, async () => {
  const team = await createTestCompany(database);
  const counts = [{ space: 'd', term: 7, df: 3 } as const];
  let deleted: Promise<unknown> | undefined;
  await transaction(database, ownerScope(team), async (tx) => {
    await replaceTermCounts(tx, counts, { total: 3, sampled: 3 });
    // It has seen no counts, and waits for the row of the Team that they were written with.
    deleted = database.query('delete from identity.team where id = $1', [team.teamId]);
    await waitForLock('delete from identity.team');
  });
  await deleted;
  assert.deepEqual((await storedCounts(team)).terms, {});
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
