import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { type Database, transaction } from '../../db/driver/database.ts';
import { readTeamActivity } from '../../db/queries/activity.ts';
import { claimCaptures } from '../../db/queries/captures.ts';
import { countTeamFigures, findTeamUsage } from '../../db/queries/status.ts';
import { newId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { countUsage } from '../status/quotas/counted-usage.ts';
import { doJob } from '../support/do-job.ts';
import { createTestCompany, prepareDatabase, type TestCompany } from '../support/needs/database.ts';
import { openOwnDatabase } from '../support/needs/own-database.ts';
import { ownerScope } from '../support/scopes.ts';
import { axis } from '../support/sources.ts';
import { loadDump } from './dump.ts';
import { dumpSchema, SCHEMA_FILE } from './schema-dump.ts';
import { searchIn } from './search/search-in.ts';

/** Tables whose rows the start writes itself. */
const OF_THE_START = ['memory.migration', 'memory.function_file'];

/** The number of rows of each table. */
async function countRows(database: Database): Promise<Map<string, number>> {
  const tables = await database.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('memory', 'identity') and c.relkind = 'r' order by 1`,
  );
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await database.query<{ n: number }>(`select count(*)::int as n from ${name}`);
    if (!OF_THE_START.includes(name)) counts.set(name, row?.n ?? 0);
  }
  return counts;
}

/** Adds three events of searches to the Team with clients: two are sealed, one waits for it. */
async function addSearchesOfToday(database: Database): Promise<void> {
  await database.query(
    `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, subject_id, detail)
     select t.company_id, gen_random_uuid(), 'memory.search', gen_random_uuid(), t.id, 'query', gen_random_uuid(),
            jsonb_build_object('nth', n)
       from identity.team t, generate_series(1, 3) n
      where exists (select from identity.client c where c.team_id = t.id)`,
  );
  await database.query(
    `delete from memory.audit_unsealed
      where event_id in (select id from memory.audit_event where (detail ->> 'nth')::int < 3)`,
  );
}

describe('a database of an earlier version that is upgraded', () => {
  let database: Database;
  let rows: Map<string, number>;
  let team: TestCompany;
  let everything: TeamScope;
  let withoutClients: TeamScope;
  before(async () => {
    database = await openOwnDatabase({ prepared: false });
    await loadDump(database);
    await addSearchesOfToday(database);
    rows = await countRows(database);
    await prepareDatabase(database);
    const [found] = await database.query<TestCompany & { clientId: string }>(
      `select t.company_id as "companyId", t.id as "teamId", a.id as "ownerId", a.email as "ownerEmail", c.id as "clientId"
         from identity.team t join identity.client c on c.team_id = t.id
         join identity.account a on a.company_id = t.company_id and a.role = 'owner'`,
    );
    assert.ok(found);
    team = found;
    everything = ownerScope(team, [found.clientId]);
    withoutClients = ownerScope(team);
  });
  after(() => database.close());

  const search = async (scope: TeamScope, query: string, embedding: Float32Array | null = null) => {
    const { hits } = await searchIn(database, scope, query, { embedding });
    return hits.map(({ text }) => text);
  };

  /** What searches find of the records, whether or not the jobs after an upgrade have run. */
  async function assertFound(): Promise<void> {
    for (const [word, text] of [
      ['heron', 'The heron nests by the river.'],
      ['walrus', 'The walrus dives under the ice.'],
      ['tapir', 'The tapir rests.'],
      ['otter', 'The otter sleeps on its back.'],
      ['moose', 'A moose passed the lock.'],
      ['stork', 'The stork of the harbour waits for a vector.'],
    ] as const) {
      assert.equal((await search(everything, word))[0], text);
    }
    assert.deepEqual(await search(everything, 'pelican'), [], 'it is archived');
    assert.deepEqual(await search(withoutClients, 'stork'), []);
    for (const [nth, text] of [
      [1, 'The heron nests by the river.'],
      [3, 'The walrus dives under the ice.'],
      [5, 'The pump was mended in March.'],
    ] as const) {
      assert.equal((await search(everything, '?', axis(nth)))[0], text);
    }
  }

  test('has the schema of a new one', async () => {
    const committed = await readFile(SCHEMA_FILE, 'utf8');
    assert.equal(await dumpSchema(database), committed.replaceAll('\r\n', '\n'));
  });

  test('keeps every row of every table', async () => {
    const upgraded = await countRows(database);
    const kept = [...rows].filter(([name]) => upgraded.has(name));
    assert.ok(kept.filter(([, count]) => count > 0).length > 30);
    assert.deepEqual(
      kept.map(([name]) => [name, upgraded.get(name)]),
      kept,
    );
  });

  test('counts its usage', async () => {
    const { usage, added } = await transaction(database, everything, findTeamUsage);
    assert.deepEqual(usage, await countUsage(database, team));
    assert.ok(usage.sources > 0 && usage.chunks > 0 && usage.files > 0 && usage.bytes > 0);
    assert.deepEqual(added, { chunks: 0, bytes: 0 });
  });

  test('has the figures of its records', async () => {
    const { sources, captures, memories } = await transaction(database, everything, countTeamFigures);
    assert.deepEqual(sources, {
      active: 9,
      archived: 1,
      byKind: { file: 2, import: 2, ingest: 3, memory: 2 },
    });
    // The claim has ended.
    assert.deepEqual(captures, { staged: 2, claimed: 0, completed: 4 });
    assert.deepEqual(memories, { review: 1, published: 2, discarded: 0, archived: 0 });
  });

  test('knows of nothing that was not read of its files, and of no encoding', async () => {
    const files = await database.query<{ unread: object[]; encoding: string | null }>(
      `select distinct unread, encoding from (
         select unread, encoding from memory.import union all select unread, encoding from memory.source) files`,
    );
    assert.deepEqual(files, [{ unread: [], encoding: null }]);
  });

  test('knows who its texts come from', async () => {
    const origins = await database.query(
      `select origin, array_agg(name order by name collate "C") as names from (
         select title as name, origin from memory.source where team_id = $1
         union all select 'memory ' || title, origin from memory.memory_item where team_id = $1
         union all select 'version ' || title, origin from memory.memory_version where team_id = $1
         union all select 'capture ' || coalesce(sequence, 0), origin from memory.capture where team_id = $1) named
        group by origin order by origin::text`,
      [team.teamId],
    );
    const agent =
      'Walrus, agent.md, agent.txt, The moose, memory Lynx, memory The moose, version Lynx, version Moose';
    const person =
      'Heron, Pelican, Pump, Stork, memory Pump, version Pump, capture 0, capture 1, capture 4, capture 5';
    const expected = {
      agent: `${agent}, version The moose, capture 2, capture 3`,
      file: 'note.md, report.md',
      person,
    };
    assert.deepEqual(
      origins,
      Object.entries(expected).map(([origin, names]) => ({ origin, names: names.split(', ').sort() })),
    );
  });

  test('knows when its captures were completed: with their memories, or else when their batch was claimed', async () => {
    const completed = await database.query<{ sequence: number; at: string }>(
      `select c.sequence, case c.completed_at when m.created_at then 'memory' when b.created_at then 'batch' end as at
         from memory.capture c join memory.consolidation_batch b on b.team_id = c.team_id and b.id = c.batch_id
         left join memory.memory_item m on m.team_id = c.team_id and m.capture_ids @> array[c.id]
        where c.state = 'completed' order by c.sequence`,
    );
    assert.deepEqual(
      completed.map(({ sequence, at }) => [Number(sequence), at]),
      [
        [1, 'memory'],
        [2, 'memory'],
        [3, 'memory'],
        [4, 'batch'],
      ],
    );
  });

  test('is searched at once, and after its chunks were indexed and its words counted again', async () => {
    const { companyId, teamId, ownerId: userId } = team;
    await assertFound();
    await doJob(database, 'terms.renew', { companyId, teamId, userId });
    await doJob(database, 'keywords.count', { companyId, teamId, userId });
    const { terms, chunks } = await transaction(database, everything, countTeamFigures);
    assert.deepEqual([terms, chunks.total - chunks.embedded], [{ outdated: 0 }, chunks.pending]);
    await assertFound();
  });

  test('counts how its Team was used, each event once, before and after those that wait are sealed', async () => {
    const searchesOfToday = async () => {
      const { days } = await transaction(database, everything, (tx) => readTeamActivity(tx, 1));
      return days[0]!.searches;
    };
    const [counted] = await database.query(
      'select searches from memory.team_activity where team_id = $1 order by day desc limit 1',
      [team.teamId],
    );
    assert.deepEqual(counted, { searches: 2 });
    assert.equal(await searchesOfToday(), 3);
    await database.query('select memory.seal_audit($1, 1000)', [team.companyId]);
    assert.equal(await searchesOfToday(), 3);
  });

  test('has each email once in a Company, and accepts it in another one', async () => {
    const { companyId: other } = await createTestCompany(database);
    const add = (companyId: string) =>
      database.query(
        `insert into identity.account (company_id, id, email, name, role) values ($1, $2, $3, 'Someone', 'member')`,
        [companyId, newId(), team.ownerEmail],
      );
    await assert.rejects(add(team.companyId), { code: '23505' });
    await add(other);
    await assert.rejects(add(other), { code: '23505' });
  });

  test('lends its captures', () =>
    transaction(database, everything, async (tx) => {
      const claim = { id: newId(), layers: everything.writes, limit: 9, leaseSeconds: 60, ownOnly: false };
      const batch = await claimCaptures(tx, { ...claim, maxBytes: null });
      assert.ok(batch?.captures.some(({ summary }) => summary === 'It waits.'));
    }));
});

test('files that no reader could read before an upgrade are decided on again, and others are not', async (t) => {
  const database = await openOwnDatabase({ prepared: false });
  t.after(() => database.close());
  await loadDump(database);
  await database.query(`update memory.workspace_version set indexed = 'no'`);
  const [read] = await database.query<{ id: string }>(
    `update memory.workspace_version set indexed = 'yes'
      where id = (select min(id::text)::uuid from memory.workspace_version where until_revision is null and sha256 is not null)
      returning id`,
  );
  await prepareDatabase(database);
  const versions = await database.query<{ id: string; isLive: boolean; indexed: string | null }>(
    `select id, until_revision is null and sha256 is not null and bytes > 0 as "isLive", indexed
       from memory.workspace_version`,
  );
  assert.ok(versions.filter(({ isLive }) => isLive).length > 1);
  for (const { id, isLive, indexed } of versions)
    assert.equal(indexed, id === read?.id ? 'yes' : isLive ? null : 'no');
});
