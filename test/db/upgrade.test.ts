import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { asWorker, type Database, transaction } from '../../db/driver/database.ts';
import { countTeamFigures } from '../../db/queries/jobs/status.ts';
import { findTeamUsage } from '../../db/queries/jobs/usage.ts';
import { claimCaptures } from '../../db/queries/memory/consolidation/captures.ts';
import { findMemory } from '../../db/queries/memory/memories.ts';
import { listVersions } from '../../db/queries/memory/memory-versions.ts';
import { findSimilarToReview } from '../../db/queries/memory/similar-memories.ts';
import { searchExplained } from '../../db/queries/search/search-explained.ts';
import { outdatedTeams } from '../../db/queries/search/stored-terms.ts';
import { readFunctions } from '../../db/startup/functions.ts';
import { migrate } from '../../db/startup/migrate.ts';
import { ensureServiceRoles } from '../../db/startup/service-role.ts';
import { newId } from '../../shared/ids.ts';
import { narrowScope, type TeamScope } from '../../shared/scope.ts';
import { queryTerms } from '../../shared/text/terms.ts';
import { countUsage } from '../api/quotas/counted-usage.ts';
import { doJob } from '../support/do-job.ts';
import { prepareDatabase, TEST_MODEL_NAME } from '../support/needs/database.ts';
import { openOwnDatabase } from '../support/needs/own-database.ts';
import { ownerScope } from '../support/scopes.ts';
import { axis } from '../support/sources.ts';
import { type BaselineTeam, insertBaselineTeam, MEMORY, SOURCES } from './baseline-team.ts';
import { dumpSchema, SCHEMA_FILE } from './schema-dump.ts';

const DB = join(import.meta.dirname, '..', '..', 'db');
const BASELINE = ['0001-memory.sql', '0002-identity.sql'];
/** Functions of that version that have another name, other arguments or another result now. */
const FORMER_FUNCTIONS = [
  'memory.end_layer_counts(uuid, int, int)',
  'memory.filtered_chunks(text[], uuid[], timestamptz, timestamptz)',
  'memory.keys_one_by_one(boolean, uuid[], sparsevec, int[], uuid[], uuid[], int, int)',
  'memory.keyword_leg(boolean, uuid[], sparsevec, int[], float8[], float8[], int[], float8, uuid[], uuid[], int)',
  'memory.layer_scale(int, int, int)',
  'memory.replace_layer_counts(uuid, text, int, int, int[], int[])',
  'memory.sample_chunks(uuid, int)',
  'memory.scattered_keys(boolean, uuid[], sparsevec, int[], int[], uuid[], uuid[], uuid[], int, int)',
  'memory.search_candidates(halfvec, text, float8, int[], real[], real[], int[], int[], text[], uuid[], ' +
    'timestamptz, timestamptz, int, boolean)',
  'memory.semantic_leg(halfvec, text, uuid[], uuid[], int, float8, boolean)',
  'memory.similar_memories(uuid, halfvec, text, int[], real[], int[], int)',
  'memory.similar_memories(uuid, halfvec, text, int[], real[], int[], int, uuid)',
  'memory.count_documents(int[], int[], int)',
  'memory.matched_weights(uuid[], int[])',
  'memory.nearest_in_full(boolean, uuid[], halfvec, text, record, int)',
  'memory.readable_counts(boolean, uuid[])',
  'memory.stored_terms(uuid[])',
  'memory.team_figures()',
  'memory.uncounted_teams()',
  'memory.weigh_query(boolean, uuid[], int[], real[], real[], int[], boolean)',
];

/**
 * Makes a database as migration 0002 left it. Of its functions it has those that policies, defaults and triggers call,
 * and those that no longer exist as they were, without their bodies.
 */
async function makeBaseline(database: Database): Promise<BaselineTeam> {
  const folder = await mkdtemp(join(tmpdir(), 'team-memory-baseline-'));
  try {
    const [migrations, functions] = [join(folder, 'migrations'), join(folder, 'functions')];
    for (const file of BASELINE) await cp(join(DB, 'migrations', file), join(migrations, file));
    for (const { name, text } of (await readFunctions()).files) {
      if (!name.startsWith('claims/') && name !== 'status/fold-layer' && !text.includes(' trigger '))
        continue;
      // Their tables came later.
      const later = ['consolidation/record-version', 'identity/add-layer', 'workspace/release-original'];
      if (later.includes(name) || name.startsWith('usage/')) continue;
      const file = join(functions, `${name}.sql`);
      await mkdir(dirname(file), { recursive: true });
      // The column that had the layer.
      await writeFile(file, text.replaceAll('layer_id', 'client_id'));
    }
    await cp(join(DB, 'functions', 'revision.json'), join(functions, 'revision.json'));
    await ensureServiceRoles(database);
    await migrate(database, { migrations, functions });
  } finally {
    await rm(folder, { recursive: true });
  }
  for (const name of FORMER_FUNCTIONS) {
    await database.query(`create function ${name} returns void language plpgsql as 'begin end'`);
  }
  return insertBaselineTeam(database);
}

describe('a database of migration 0002 that is upgraded', () => {
  let database: Database;
  let team: BaselineTeam;
  let everything: TeamScope;
  let client: TeamScope;
  before(async () => {
    database = await openOwnDatabase({ prepared: false });
    team = await makeBaseline(database);
    await prepareDatabase(database);
    everything = ownerScope(team, [team.clientId]);
    client = narrowScope(everything, { clientId: team.clientId, include: ['client'] });
  });
  after(() => database.close());

  const search = (scope: TeamScope, query: string, embedding: Float32Array | null = null) =>
    transaction(database, scope, (tx) =>
      searchExplained(tx, {
        terms: queryTerms(team.teamId, query),
        embedding,
        model: TEST_MODEL_NAME,
        topK: 50,
      }),
    );
  const textsOf = async (...asked: Parameters<typeof search>) =>
    (await search(...asked)).hits.map(({ text }) => text);
  const [walrus, pelican] = SOURCES.map(({ chunks }) => chunks.map(([text]) => text));
  const chunks = SOURCES.flatMap((source) => source.chunks);

  /** What searches find of the old records, whether or not the jobs after an upgrade have run. */
  async function assertFound(): Promise<void> {
    assert.deepEqual(await textsOf(everything, 'pump'), [walrus?.[1]]);
    assert.deepEqual(new Set(await textsOf(everything, 'herons river')), new Set([walrus?.[0], MEMORY]));
    assert.deepEqual(await textsOf(client, 'stork'), pelican);
    assert.deepEqual(await textsOf(client, 'pump'), []);
    for (const [text, nth] of chunks) {
      if (nth === null) continue;
      assert.equal((await textsOf(everything, '?', axis(nth)))[0], text);
    }
    assert.deepEqual(await textsOf(client, '?', axis(1)), pelican);
    const { trace } = await search(everything, 'the');
    const most = Math.max(...trace.weights.map(({ documents }) => documents));
    assert.equal(most, chunks.filter(([text]) => text.toLowerCase().includes('the ')).length);
  }

  test('has the schema of a new one', async () => {
    const committed = await readFile(SCHEMA_FILE, 'utf8');
    assert.equal(await dumpSchema(database), committed.replaceAll('\r\n', '\n'));
  });

  test('counts its usage', async () => {
    const { usage, added } = await transaction(database, everything, findTeamUsage);
    assert.deepEqual(usage, await countUsage(database, team));
    assert.ok(usage.sources === 3 && usage.chunks > 0 && usage.bytes > 0);
    assert.deepEqual(added, { chunks: 0, bytes: 0 });
  });

  test('keeps its captures and memories', async () => {
    await transaction(database, everything, async (tx) => {
      const { sources, captures, memories } = await countTeamFigures(tx);
      assert.deepEqual(sources, { active: 3, archived: 0, byKind: { ingest: 2, memory: 1 } });
      assert.deepEqual(captures, { staged: 1, claimed: 0, completed: 1 });
      assert.deepEqual(memories, { review: 1, published: 1, discarded: 0, archived: 0 });
      assert.deepEqual((await findMemory(tx, team.published))?.tags, []);
      for (const [id, published] of [
        [team.published, true],
        [team.inReview, false],
      ] as const) {
        const part = { before: null, limit: 9, publishedOnly: false, maxBytes: 1 };
        const [version, ...others] = await listVersions(tx, id, part);
        assert.deepEqual([version?.version, version?.content, others], [1, MEMORY, []]);
        const shown = await listVersions(tx, id, { ...part, publishedOnly: true });
        assert.equal(shown.length === 1, published);
      }
      const similar = await findSimilarToReview(tx, team.inReview, TEST_MODEL_NAME);
      assert.deepEqual(
        similar.map(({ memoryId }) => memoryId),
        [team.published],
      );
      const claim = { id: newId(), layers: everything.writes, limit: 9, leaseSeconds: 60, ownOnly: false };
      const batch = await claimCaptures(tx, { ...claim, maxBytes: null });
      assert.deepEqual(
        batch?.captures.map(({ id }) => id),
        [team.stagedCapture],
      );
    });
  });

  test('is searched by keyword and by vector at once, and jobs index its chunks again and count their words', async () => {
    const { companyId, teamId, ownerId: userId } = team;
    const figures = () => transaction(database, everything, countTeamFigures);
    await assertFound();
    const { trace } = await search(everything, 'pump');
    assert.equal(trace.counted?.chunks, chunks.length, 'by the counts of that version');
    assert.deepEqual(await textsOf(everything, 'walrus'), [], 'titles were not indexed');
    assert.deepEqual((await figures()).terms, { outdated: chunks.length });
    assert.deepEqual((await figures()).chunks, { total: chunks.length, embedded: 4, pending: 1 });

    assert.deepEqual(await asWorker(database, outdatedTeams), [{ companyId, teamId }]);
    await doJob(database, 'terms.renew', { companyId, teamId, userId });
    assert.deepEqual(await asWorker(database, outdatedTeams), []);
    assert.deepEqual((await figures()).terms, { outdated: 0 });
    const unhashed = await database.query('select from memory.chunk where text_hash is null');
    assert.equal(unhashed.length, 0);

    await doJob(database, 'keywords.count', { companyId, teamId, userId });
    const [counts] = await database.query(
      'select packed, chunks, (select count(*)::int from memory.keyword_df) as old from memory.keyword_team',
    );
    assert.deepEqual(counts, { packed: true, chunks: chunks.length, old: 0 });
    assert.deepEqual(new Set(await textsOf(everything, 'walrus')), new Set(walrus));
    await assertFound();
  });
});
