import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Database, transaction, workerTransaction } from '../../../db/driver/database.ts';
import { callRows } from '../../../db/queries/call.ts';
import { searchExplained } from '../../../db/queries/search/search.ts';
import { uncountedTeams } from '../../../db/queries/search/terms.ts';
import { archiveSource } from '../../../db/queries/sources/removal.ts';
import { type LayerId, narrowScope } from '../../../shared/scope.ts';
import { chunkTerms, queryTerms } from '../../../shared/text/terms/terms.ts';
import { COUNT_LIMITS, countLayer } from '../../../worker/jobs/search/word-counts.ts';
import {
  createTestCompany,
  openTestDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../../support/needs/database.ts';
import { addClient, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { countTermsNow, readCounts } from '../../support/term-counts.ts';

const database = await openTestDatabase();

/** So low that a few chunks reach them. */
const LIMITS = { ...COUNT_LIMITS, sampled: 24, onceMatters: 12 };
const RUNS = 12;
const WORDS = ['heron', 'stork', 'harbour', 'boats', 'river', 'late', 'early', 'ice', 'fog', 'pier'];

/** In how many chunks of the layer's sample each term occurs, made from the texts. */
async function freshCounts(from: Database, { teamId }: TestCompany): Promise<Map<string, number>> {
  const rows = await from.query<{ text: string }>(
    `select text from memory.chunk where team_id = $1 order by uuid_hash(id), id limit $2`,
    [teamId, LIMITS.sampled],
  );
  const counts = new Map<string, number>();
  for (const { text } of rows) {
    const { dims, keys } = chunkTerms(teamId, text);
    for (const term of [...Array.from(dims, (dim) => `d ${dim}`), ...Array.from(keys, (key) => `k ${key}`)]) {
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return counts;
}

async function layerOf(from: Database, { teamId }: TestCompany) {
  const [layer] = await from.query<{ chunks: number; sampled: number; gone: number; members: number }>(
    `select chunks, sampled, gone, cardinality(members) as members from memory.keyword_layer where team_id = $1`,
    [teamId],
  );
  return layer;
}

/** Counts the Team layer now, whether or not it is out of date. Returns how many chunks were read for it. */
async function countNow(team: TestCompany): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'select count(*)::int as n from memory.chunk where team_id = $1',
    [team.teamId],
  );
  let read = 0;
  const noting: Database = {
    ...database,
    transaction: (fn, opening) =>
      database.transaction(
        (tx) =>
          fn({
            query: (text, values) => {
              if (text.includes('stored_terms')) read += (values as [string[]])[0].length;
              return tx.query(text, values);
            },
          }),
        opening,
      ),
  };
  const size = { layerId: team.teamId, chunks: row?.n ?? Number.NaN };
  assert.equal(await countLayer(noting, ownerScope(team), size, LIMITS), true);
  return read;
}

const source = fc.array(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
});
const step = fc.oneof(
  { weight: 4, arbitrary: source.map((texts) => ({ store: texts.map((words) => words.join(' ')) })) },
  { weight: 1, arbitrary: fc.nat({ max: 20 }).map((archive) => ({ archive })) },
  { weight: 2, arbitrary: fc.constant({ count: true }) },
);

describe('counts to which new chunks are added', () => {
  test('equal a count from the beginning, except for deleted chunks, which stay counted up to a tenth', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        const team = await createTestCompany(database);
        const scope = ownerScope(team);
        const sources: string[] = [];
        for (const next of [...steps, { count: true }]) {
          if ('store' in next) {
            const chunks = next.store.map((text) => ({ text }));
            sources.push(await storeSource(database, scope, { layer: null, chunks }));
          } else if ('archive' in next) {
            const [id] = sources.splice(next.archive % Math.max(1, sources.length), 1);
            if (id !== undefined) await transaction(database, scope, (tx) => archiveSource(tx, id));
          } else {
            await countNow(team);
            const fresh = await freshCounts(database, team);
            const layer = await layerOf(database, team);
            if (layer === undefined) {
              assert.equal(fresh.size, 0);
              assert.deepEqual(await readCounts(database, team), []);
              continue;
            }
            assert.equal(layer.sampled, layer.members + layer.gone);
            assert.ok(layer.gone <= LIMITS.outdatedShare * layer.sampled);
            const least = layer.sampled < LIMITS.onceMatters ? 1 : 2;
            const stored = new Map(
              (await readCounts(database, team)).map(({ term, count }) => [term, count]),
            );
            for (const [term, count] of fresh) {
              const found = stored.get(term) ?? 0;
              const most = count + layer.gone;
              assert.ok(
                count >= least ? found >= count : found === 0 || found >= least,
                `${found} of ${count}`,
              );
              assert.ok(found <= most, `${found} is more than ${most}`);
            }
            for (const [term, count] of stored) {
              assert.ok(
                count >= least && count <= (fresh.get(term) ?? 0) + layer.gone,
                `${count} of ${term}`,
              );
            }
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a layer without passages', () => {
  test('never adds its counts to those of a new layer', async () => {
    const team = await createTestCompany(database);
    const [former, later] = [await addClient(database, team), await addClient(database, team)];
    const scope = ownerScope(team, [former, later]);
    const store = (layer: string | null, texts: readonly string[]) =>
      storeSource(database, scope, { layer, chunks: texts.map((text) => ({ text })) });
    await store(null, WORDS);
    const sourceId = await store(
      former,
      WORDS.map((word) => `${word} by the river`),
    );
    await countTermsNow(database, team);

    await transaction(database, scope, (tx) => archiveSource(tx, sourceId));
    await countLayer(database, scope, { layerId: former, chunks: 0 });
    await store(later, ['stork', 'pier']);
    await countLayer(database, scope, { layerId: later, chunks: 2 });
    const { trace } = await transaction(database, narrowScope(scope, { clientId: later }), (tx) =>
      searchExplained(tx, {
        terms: queryTerms(team.teamId, 'river'),
        embedding: null,
        model: TEST_MODEL_NAME,
        topK: 1,
      }),
    );
    const documents = new Set(trace.weights.map((weight) => weight.documents));
    assert.deepEqual(documents, new Set([0.5]), 'in one text of the Team layer, and in none of the new one');
    const stale = await workerTransaction(database, scope, (tx) => callRows(tx, 'memory.stale_layers'));
    assert.deepEqual(stale, []);

    await countTermsNow(database, team);
    assert.equal(await isUncounted(team), false);
    const rows = await database.query<{ layerId: LayerId }>(
      'select layer_id as "layerId" from memory.keyword_layer where team_id = $1 order by place',
      [team.teamId],
    );
    assert.deepEqual(rows, [{ layerId: team.teamId }, { layerId: later }]);
  });
});

/** Whether the start of a worker finds the Team, page by page. */
async function isUncounted(team: TestCompany): Promise<boolean> {
  let found = false;
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof uncountedTeams>> = await workerTransaction(
      database,
      ownerScope(team),
      (tx) => uncountedTeams(tx, after, 2),
    );
    found ||= page.teams.some(({ teamId }) => teamId === team.teamId);
    after = page.last;
  } while (after !== null);
  return found;
}
