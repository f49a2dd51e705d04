import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { type Database, transaction } from '../../../db/driver/database.ts';
import { insertImport } from '../../../db/queries/imports.ts';
import { newId } from '../../../shared/ids.ts';
import type { QueueName } from '../../../shared/queues.ts';
import { jobScope } from '../../../shared/scope.ts';
import { addCaptures } from '../../support/captures.ts';
import { doJob as doJobOn } from '../../support/do-job.ts';
import { createTestCompany, type TestCompany } from '../../support/needs/database.ts';
import { openOwnDatabase } from '../../support/needs/own-database.ts';
import { addClient, addTeam, ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { type CatalogTable, readTables, TenantRows } from '../../support/tenant-rows.ts';
import { removedInSlices } from './run-job.ts';

/** No one else has a job here, and no worker takes any. */
const database = await openOwnDatabase();
after(() => database.close());
const tables = await readTables(database);
const teamTables = tables.filter(({ columns }) => columns.some(({ name }) => name === 'team_id'));

/** Does a job by the worker's own handler. */
const doJob = (queue: QueueName, data: object, on: Database = database) => doJobOn(on, queue, data);

const jobOf = ({ companyId, teamId, ownerId: userId }: TestCompany) => ({ companyId, teamId, userId });
const purge = (team: TestCompany, on?: Database) => doJob('team.purge', jobOf(team), on);

async function markDeleted({ teamId }: TestCompany): Promise<void> {
  await database.query('update identity.team set deleted_at = now() where id = $1', [teamId]);
}

/** A Team with a row in every table that there is, in the Team layer and in a client. Its memories have sources. */
async function fill(team: TestCompany): Promise<void> {
  const clientId = await addClient(database, team);
  for (const layer of [null, clientId]) {
    await new TenantRows({ ...team, clientId: layer }).insertAll(database, tables);
  }
  const linked = await database.query(
    `update memory.memory_item m set source_id = s.id from memory.source s
      where m.team_id = $1 and s.team_id = m.team_id and s.layer_id = m.layer_id returning m.id`,
    [team.teamId],
  );
  assert.ok(linked.length > 0);
}

/** Every row of the Team, by table. */
async function rowsOf({ teamId }: TestCompany): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const { name } of [...teamTables, { name: 'identity.team' } as CatalogTable]) {
    const key = name === 'identity.team' ? 'id' : 'team_id';
    const rows = await database.query<{ row: string }>(
      `select t::text as row from ${name} t where ${key} = $1 order by 1`,
      [teamId],
    );
    if (rows.length > 0) all[name] = rows.map(({ row }) => row);
  }
  return all;
}

async function assertGone(team: TestCompany): Promise<void> {
  const { 'memory.audit_event': _, ...left } = await rowsOf(team);
  assert.deepEqual(left, {});
}

/** A source of so many chunks. */
async function store(team: TestCompany, chunks: number): Promise<void> {
  const given = Array.from({ length: chunks }, (_, n) => ({ text: `chunk number ${n}` }));
  await storeSource(database, ownerScope(team), { layer: null, chunks: given });
}

/** A file in the Team that waits to be imported, and its job. */
async function addImport(team: TestCompany, text = 'a text') {
  const job = { ...jobOf(team), layerId: team.teamId, importId: newId() };
  const content = Buffer.from(text);
  const item = {
    id: job.importId,
    layerId: team.teamId,
    filename: 'a.txt',
    title: 'a',
    mediaType: 'text/plain',
    content,
  };
  await transaction(database, jobScope(job), (tx) => insertImport(tx, item));
  return job;
}

describe('purging a deleted Team', () => {
  test('removes every row from every table that has Teams, except audit events', async () => {
    const team = await createTestCompany(database);
    const [ofCompany, archived, deleted] = [
      await addTeam(database, team),
      await createTestCompany(database),
      await createTestCompany(database),
    ];
    const others = [ofCompany, archived, deleted];
    for (const each of [team, ...others]) await fill(each);
    const before = await rowsOf(team);
    assert.deepEqual(
      Object.keys(before).sort(),
      [...teamTables.map(({ name }) => name), 'identity.team'].sort(),
      'the Team has rows in all of them',
    );
    await database.query(`update identity.team set state = 'archived' where id = $1`, [archived.teamId]);
    await markDeleted(deleted);
    const ofOthers = await Promise.all(others.map(rowsOf));
    await markDeleted(team);
    // The job of a Team that was not deleted does nothing.
    for (const each of [team, archived]) assert.deepEqual(await purge(each), ['team.purge']);
    assert.deepEqual(await rowsOf(team), { 'memory.audit_event': before['memory.audit_event'] });
    assert.deepEqual(await Promise.all(others.map(rowsOf)), ofOthers);
  });

  test('removes rows of a table of a later migration, after the rows that refer to them', async (t) => {
    const own = await openOwnDatabase();
    t.after(() => own.close());
    await own.query('create table memory.later (team_id uuid, id int, primary key (team_id, id))');
    await own.query(
      `create table memory.a_note (team_id uuid, later_id int,
         foreign key (team_id, later_id) references memory.later (team_id, id))`,
    );
    const [team, other] = [await createTestCompany(own), await createTestCompany(own)];
    for (const { teamId } of [team, other]) {
      await own.query('insert into memory.later values ($1, 1)', [teamId]);
      await own.query('insert into memory.a_note values ($1, 1)', [teamId]);
    }
    await own.query('update identity.team set deleted_at = now() where id = $1', [team.teamId]);
    await purge(team, own);
    for (const table of ['later', 'a_note']) {
      const rows = await own.query(`select team_id from memory.${table}`);
      assert.deepEqual(rows, [{ team_id: other.teamId }], table);
    }
  });

  for (const [table, fill] of [
    ['memory.chunk', (team: TestCompany) => store(team, 330)],
    ['memory.capture', (team: TestCompany) => addCaptures({ database }, team, 330)],
  ] as const) {
    test(`deletes in small slices: ${table}`, async () => {
      const team = await createTestCompany(database);
      await fill(team);
      await markDeleted(team);
      const count = async () =>
        (await database.query(`select from ${table} where team_id = $1`, [team.teamId])).length;
      const removed = await removedInSlices(database, count, (watched) => purge(team, watched));
      assert.ok(Math.max(...removed) <= 100, removed.join());
      await assertGone(team);
    });
  }

  test('continues where it was killed', async () => {
    const team = await createTestCompany(database);
    await fill(team);
    await store(team, 330);
    await markDeleted(team);
    const countRows = async () => Object.values(await rowsOf(team)).flat().length;
    const before = await countRows();
    let slices = 0;
    const killed: Database = {
      ...database,
      transaction: async (fn, opening) => {
        slices += 1;
        if (slices > 3) throw new Error('killed');
        return database.transaction(fn, opening);
      },
    };
    await assert.rejects(purge(team, killed), /killed/);
    const left = await countRows();
    assert.ok(left > 0 && left < before, `${left} of ${before} left`);
    assert.deepEqual(await purge(team), ['team.purge']);
    await assertGone(team);
    assert.deepEqual(await purge(team), ['team.purge'], 'and once more, for nothing');
  });
});

describe('a job of a deleted Team', () => {
  for (const when of ['before', 'after'] as const) {
    test(`ends quietly ${when} the purge, and leaves nothing`, async () => {
      const team = await createTestCompany(database);
      await store(team, 3);
      const [first, second] = [await addImport(team), await addImport(team, '')];
      const waiting = await addImport(team);
      await database.query(`update memory.import set state = 'running' where id = $1`, [second.importId]);
      await markDeleted(team);
      if (when === 'after') await purge(team);
      assert.deepEqual(await doJob('import.process', first), ['import.process']);
      assert.deepEqual(await doJob('import.process', second), ['import.process']);
      assert.deepEqual(await doJob('import.dead', waiting), ['import.dead']);
      assert.deepEqual(await doJob('keywords.count', jobOf(team)), ['keywords.count']);
      if (when === 'before') await purge(team);
      await assertGone(team);
    });
  }

  test('that is half-way when its Team is deleted leaves nothing and ends quietly', async () => {
    // Large enough for its chunks to be written ahead, batch by batch.
    const words = { postgres: 75_000, pglite: 26_000 }[database.backend];
    const text = Array.from({ length: words }, (_, n) => `word${n}`).join(' ');
    let step = 2;
    for (let reached = true; reached; step += 1) {
      const team = await createTestCompany(database);
      const job = await addImport(team, text);
      let steps = 0;
      const overtaken: Database = {
        ...database,
        transaction: async (fn, opening) => {
          steps += 1;
          if (steps === step) {
            await markDeleted(team);
            await purge(team);
          }
          return database.transaction(fn, opening);
        },
      };
      // The first try may fail, and is tried again as every job: by then there is nothing left to work on.
      await doJob('import.process', job, overtaken).catch(() => undefined);
      reached = steps >= step;
      if (!reached) break;
      assert.deepEqual(await doJob('import.process', job), ['import.process']);
      await assertGone(team);
    }
    assert.ok(step > 5, `${step} steps`);
  });
});
