import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction, workerTransaction } from '../../../db/driver/database.ts';
import { archiveSource } from '../../../db/queries/sources/removal.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { chunkTerms } from '../../../shared/text/terms/terms.ts';
import { type NewCounts, storeLayerCounts } from '../../../worker/jobs/search/word-counts.ts';
import { createTestCompany, openTestDatabase, type TestCompany } from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { countTermsNow, readCounts, setLayerCounts, WHOLE } from '../../support/term-counts.ts';
import { searchIn } from './search-in.ts';

const database = await openTestDatabase();

const WRITERS = 3;
const ROUNDS = 6;
/** More than one step replaces the counts of. */
const MANY_TERMS = 9000;
/** Chunks of the count that may have moved before it is made again: one in five. */
const STALE_SHARE = 0.2;

/** As searches read them: `space term` with how many chunks of the one layer hold it. */
async function storedCounts(team: TestCompany) {
  const counts = await readCounts(database, team);
  const [layer] = await database.query<{ chunks: number; sampled: number }>(
    'select chunks, sampled from memory.keyword_layer where team_id = $1',
    [team.teamId],
  );
  return { terms: Object.fromEntries(counts.map(({ term, count }) => [term, count])), ...layer };
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

/** Of layers in the order of their places: what is stored for each space. */
function entriesOf(layers: readonly ReadonlyMap<number, number>[]) {
  return layers.flatMap((counts, nth) =>
    [...counts].flatMap(([term, count]) =>
      ['d', 'k'].map((space) => ({ term: `${space} ${term}`, place: nth + 1, count })),
    ),
  );
}

/** Counts of so many chunks, which were all sampled. */
const countsOf = (layerId: LayerId, chunks: number, terms: ReadonlyMap<number, number>) => ({
  layerId,
  chunks,
  sampled: Math.max(chunks, 1),
  dims: terms,
  keys: terms,
});

/** Texts that share words with every other, and one code that stands nowhere else. */
const textsOf = (code: string) => [
  `the heron of ${code}`,
  'the heron and the stork by the river',
  `the ${code.startsWith('A') ? 'early' : 'late'} boats of the harbour`,
];

async function findsByWord(team: TestCompany, query: string): Promise<string[]> {
  const { hits } = await searchIn(database, ownerScope(team), query);
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
    const store = (counts: NewCounts) =>
      workerTransaction(database, ownerScope(team), (tx) => storeLayerCounts(tx, counts));
    const terms = new Map([
      [7, 2],
      [8, 2],
    ]);
    const full = { ...countsOf(team.teamId, 2, terms), ...WHOLE };
    const empty = { ...countsOf(team.teamId, 0, new Map()), ...WHOLE };
    assert.equal(await store(full), true);
    assert.equal(await store(empty), false, 'made before the layer was counted');
    // Another layer has a place of its own then.
    await setLayerCounts(database, team, countsOf(await addClient(database, team), 1, new Map([[7, 1]])));
    const rows = await database.query<{
      terms: number[];
      places: number[];
      counts: number[];
      vectors: string;
    }>(
      `select terms, places::int[], counts::int[], vectors::text
         from memory.keyword_slice where team_id = $1 and space = 'd'`,
      [team.teamId],
    );
    assert.deepEqual(rows, [
      { terms: [7, 8], places: [0, 1], counts: [1, 2], vectors: '{"{1:2,2:1}/16000"}' },
    ]);
  });

  test('are one complete set when several sets are stored at once', async () => {
    const team = await createTestCompany(database);
    const set = (df: number) => new Map(Array.from({ length: 100 }, (_, term) => [term, df]));
    for (let round = 0; round < 3; round += 1) {
      const stored = await Promise.all(
        [2, 3, 4, 5].map((df) => setLayerCounts(database, team, countsOf(team.teamId, df, set(df)))),
      );
      assert.ok(stored.includes(true));
      const { terms, chunks } = await storedCounts(team);
      assert.equal(Object.keys(terms).length, 200);
      assert.deepEqual(new Set(Object.values(terms)), new Set([chunks]), 'all of one count');
    }
  });

  test('are those of the last count of each layer, in rows that do not grow with the Team', async () => {
    const team = await createTestCompany(database);
    const clientId = await addClient(database, team);
    const set = (from: number, df: number, length = MANY_TERMS) =>
      new Map(Array.from({ length }, (_, n) => [Math.imul(from + n, 0x9e3779b1) | 0, df + (n % 3)]));
    const rows = async () => {
      const [row] = await database.query<{ n: number; most: number }>(
        `select count(*)::int as n, max(cardinality(terms)) as most from memory.keyword_slice
          where team_id = $1 and space = 'k'`,
        [team.teamId],
      );
      return row ?? { n: Number.NaN, most: Number.NaN };
    };
    await setLayerCounts(database, team, countsOf(team.teamId, 9, set(300, 4, 100)));
    assert.ok((await rows()).n <= 2, 'few terms');
    await setLayerCounts(database, team, countsOf(clientId, 9, set(-200, 3)));
    await setLayerCounts(database, team, countsOf(team.teamId, 9, set(1, 4)));
    const expected = entriesOf([set(1, 4), set(-200, 3)]);
    const byTerm = (one: { term: string; place: number }, other: { term: string; place: number }) =>
      one.term < other.term ? -1 : one.term > other.term ? 1 : one.place - other.place;
    assert.deepEqual((await readCounts(database, team)).sort(byTerm), expected.sort(byTerm));
    assert.ok((await rows()).most < 1000, 'in many rows');
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
  const counts = { ...countsOf(team.teamId, 3, new Map([[7, 3]])), ...WHOLE };
  let deleted: Promise<unknown> | undefined;
  await workerTransaction(database, ownerScope(team), async (tx) => {
    assert.ok(await storeLayerCounts(tx, counts));
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
