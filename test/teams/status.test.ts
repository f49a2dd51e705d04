import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stageSource } from '../../core/sources/store.ts';
import { transaction } from '../../db/driver/database.ts';
import { activateSource } from '../../db/queries/sources/sources.ts';
import { newId } from '../../shared/ids.ts';
import { QUEUES } from '../../shared/queues.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { via } from '../support/client/client.ts';
import { FAULT, plantImports } from '../support/import-records.ts';
import { ownerScope } from '../support/scopes.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addSource, archived } from '../support/source-library.ts';
import { draftOf } from '../support/sources.ts';
import { addClient, addPerson, along, type Caller, CLAIM, readStatus } from '../support/team.ts';
import { type CountedFigures, countRows } from './counted-figures.ts';

const service = await openTestApp();

const { database } = service;

const status = (caller: Caller) => readStatus(caller);

/** A worker whose last heartbeat was this many seconds ago. */
async function addWorker(secondsAgo: number): Promise<string> {
  const id = newId();
  await database.query(
    `insert into memory.worker (id, queues, rss_bytes, last_seen_at)
     values ($1, '{import.process}', 1, now() - make_interval(secs => $2))`,
    [id, secondsAgo],
  );
  return id;
}

test('GET /v1/memory/status has exactly the fields of the contract, all zero in a new Team', async () => {
  const { health, jobs, workers: _, ...rest } = await status(await service.company());
  assert.deepEqual(Object.keys(health), ['ok', 'database', 'queue', 'worker']);
  assert.deepEqual(rest, {
    sources: { active: 0, archived: 0, byKind: {} },
    expired: 0,
    chunks: { total: 0, embedded: 0, pending: 0 },
    terms: { outdated: 0 },
    imports: { queued: 0, running: 0, completed: 0, failed: 0, recentFailures: [] },
    captures: { staged: 0, claimed: 0, completed: 0 },
    memories: { review: 0, published: 0, discarded: 0, archived: 0 },
    embedder: { mode: 'client-provided', model: CLAIM.embeddingModel, dim: 1024, serverModeEnabled: false },
    usage: { sources: 0, chunks: 0, files: 0, bytes: 0 },
    quota: { chunks: null, bytes: null },
  });
  assert.deepEqual(jobs.map((job) => String(job['queue'])).sort(), Object.keys(QUEUES).sort());
});

// What is counted for whom is compared with a model in `test/memories/life`, and with the rows below.
test('status shows jobs and workers only with Full access', async () => {
  const company = await service.company();
  await addWorker(0);
  const admin = await status(await addPerson(service, company, { teamRole: 'admin' }));
  assert.ok(admin.jobs.length > 0 && admin.workers.length > 0);
  for (const ties of [{ companyRole: 'admin', companyGrant: 'read' }, { teamRole: 'member' }] as const) {
    const { jobs, workers } = await status(await addPerson(service, company, ties));
    assert.deepEqual([jobs, workers], [[], []]);
  }
});

async function told(caller: Caller): Promise<CountedFigures> {
  const { sources, chunks, imports } = await readStatus(caller);
  const { recentFailures: _, ...states } = imports;
  return { sources, chunks, imports: states };
}

/** Asserts that the figures for the Owner match the rows of these layers. */
async function assertExact(company: SignedIn, layers: readonly (string | null)[]): Promise<CountedFigures> {
  const counted = await countRows(database, company, layers);
  assert.deepEqual(await told(company), counted);
  return counted;
}

const texts = (count: number) => Array.from({ length: count }, () => ({ text: newId() }));

const scopeOf = (clientId: string | null) => (clientId === null ? {} : { clientId });

describe('the figures of the status', () => {
  test('the figures match the rows when sources are stored, replaced, deduplicated and archived', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    const layers = [null, client];
    for (const layer of layers) {
      const scope = scopeOf(layer);
      const { id } = await addSource(company, { scope, chunks: texts(3) });
      await addSource(company, { scope, text: 'The same text twice.' });
      await company.ask.ingestSource({ title: 'x', scope, text: 'The same text twice.' });
      // A source of this size is written before it is shown.
      await addSource(company, { scope, chunks: texts(130), externalId: 'edition' });
      await assertExact(company, layers);
      for (const length of [2, 120, 7]) {
        const body = { title: 'x', scope, chunks: texts(length), externalId: 'edition' };
        await company.api.ingestSource(body);
        await assertExact(company, layers);
      }
      await archived(company, id);
      const counted = await assertExact(company, layers);
      assert.ok(counted.sources.active > 0 && counted.sources.archived > 0 && counted.chunks.pending > 0);
    }
  });

  test('the figures match the rows while embeddings arrive', async () => {
    const company = await service.company();
    await addSource(company, {
      chunks: [...texts(4), { text: newId(), embedding: along(1) }],
      ...CLAIM,
    });
    assert.deepEqual((await assertExact(company, [null])).chunks, { total: 5, embedded: 1, pending: 4 });
    for (const left of [1, 0]) {
      const claimed = await company.ask.claimEmbeddings({ limit: 3 });
      const { batch } = claimed.json<{ batch: { id: string; chunks: { chunkId: string }[] } }>();
      // While they are claimed, they still have no vector.
      assert.equal((await told(company)).chunks.pending, left + batch.chunks.length);
      const embeddings = batch.chunks.map(({ chunkId }) => ({ chunkId, embedding: along(0) }));
      const body = { batchId: batch.id, ...CLAIM, embeddings };
      assert.equal((await company.ask.completeEmbeddings(body)).statusCode, 200);
      assert.equal((await assertExact(company, [null])).chunks.pending, left);
    }
  });

  test('the figures match the rows while imports change state and are deleted', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    const [first = ''] = await plantImports(service, company, 5, { state: 'queued' });
    const failed = await plantImports(service, company, 3, { clientId: client });
    assert.deepEqual((await assertExact(company, [null, client])).imports, {
      queued: 5,
      running: 0,
      completed: 0,
      failed: 3,
    });
    await database.query(`update memory.import set state = 'running' where team_id = $1`, [company.teamId]);
    await database.query(`update memory.import set progress_percent = 9 where team_id = $1`, [
      company.teamId,
    ]);
    assert.equal((await assertExact(company, [null, client])).imports['running'], 8);
    await database.query(`update memory.import set state = 'completed' where id = $1`, [first]);
    await database.query(`update memory.import set state = 'cancelled' where id = $1`, [failed[0]]);
    await database.query('delete from memory.import where id = $1', [failed[1]]);
    assert.deepEqual((await assertExact(company, [null, client])).imports, {
      queued: 0,
      running: 5,
      completed: 1,
      failed: 0,
    });
  });

  test('the figures leave out an archived client and include it again when it is active', async () => {
    const company = await service.company();
    const [client, other] = [await addClient(service, company), await addClient(service, company)];
    for (const layer of [null, client, other]) {
      await addSource(company, { scope: scopeOf(layer), chunks: texts(2) });
      await plantImports(service, company, 1, { clientId: layer });
    }
    const member = await addPerson(service, company, { teamRole: 'member', clients: { [client]: 'read' } });
    const before = await told(member);
    assert.deepEqual(before, await countRows(database, company, [null, client]));
    assert.equal((await company.ask.archiveClient(client)).statusCode, 204);
    await assertExact(company, [null, other]);
    assert.deepEqual(await told(member), await countRows(database, company, [null]));
    const path = `/v1/team/clients/${client}`;
    assert.equal((await company.send('PATCH', path, { state: 'active' })).statusCode, 200);
    await assertExact(company, [null, client, other]);
    assert.deepEqual(await told(member), before);
  });
});

test('recentFailures are the newest ten of the readable layers, however many failed elsewhere', async () => {
  const company = await service.company();
  const [client, other] = [await addClient(service, company), await addClient(service, company)];
  const inTeam = await plantImports(service, company, 12);
  const inClient = await plantImports(service, company, 3, { clientId: client });
  await plantImports(service, company, 12, { state: 'completed' });
  const elsewhere = await plantImports(service, company, 40, { clientId: other });
  const failures = async (caller: Caller) =>
    (await readStatus(caller)).imports.recentFailures.map(({ id }) => id);
  const latest = (...ids: string[]) => ids.sort().reverse().slice(0, 10);
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [client]: 'read' } });
  const bare = await addPerson(service, company, { teamRole: 'member' });
  assert.deepEqual(await failures(company), latest(...inTeam, ...inClient, ...elsewhere));
  assert.deepEqual(await failures(member), latest(...inTeam, ...inClient));
  assert.deepEqual(await failures(bare), latest(...inTeam));
  const [newest] = (await readStatus(company)).imports.recentFailures;
  assert.deepEqual(newest?.error, FAULT);
});

describe('a source that is being written', () => {
  const draft = ({ teamId }: SignedIn) => draftOf(teamId, { layer: null, chunks: texts(130) });

  test('a source that is being written does not count, nor do its chunks, until it is active', async () => {
    const company = await service.company();
    await addSource(company, { chunks: texts(2) });
    const before = await told(company);
    const scope = ownerScope(company);
    const staged = await stageSource(database, scope, draft(company));
    assert.ok(staged.written);
    assert.deepEqual(await told(company), before);
    await transaction(database, scope, (tx) => activateSource(tx, staged.source.id, 130));
    assert.deepEqual((await assertExact(company, [null])).chunks, { total: 132, embedded: 0, pending: 132 });
  });
});

describe('the stored changes of the figures', () => {
  const notes = async ({ teamId }: SignedIn) =>
    (await database.query('select from memory.layer_tally where team_id = $1', [teamId])).length;

  test('stored changes do not accumulate without limit', async () => {
    const company = await service.company();
    const [id] = await plantImports(service, company, 1, { state: 'queued' });
    for (let n = 0; n < 1000; n += 1) {
      const state = n % 2 === 0 ? 'running' : 'queued';
      await database.query('update memory.import set state = $2 where id = $1', [id, state]);
    }
    assert.ok((await notes(company)) < 1000, `${await notes(company)} of 2001 are left`);
    assert.deepEqual((await assertExact(company, [null])).imports['queued'], 1);
  });

  test('the figures are exact when many requests write to one layer while others read', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    const sources = await Promise.all(
      Array.from({ length: 12 }, () => addSource(company, { chunks: texts(3) })),
    );
    const writes = sources.flatMap(({ id }, n) => {
      const app = n % 2 === 0 ? service : second;
      return [
        archived(via(app, company), id),
        addSource(via(app, company), { chunks: texts(2) }),
        plantImports(service, company, 2),
        told(company),
      ];
    });
    await Promise.all(writes);
    const { sources: counted, chunks } = await assertExact(company, [null]);
    assert.deepEqual([counted.active, counted.archived, chunks.pending], [12, 12, 24]);
  });
});
