import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, transaction, workerTransaction } from '../../../db/driver/database.ts';
import {
  endSourceTerms,
  findOutdatedSource,
  readSourceTexts,
  renewSourceTerms,
  replaceTerms,
} from '../../../db/queries/search/terms.ts';
import { textHash } from '../../../shared/text/content-hash.ts';
import { fieldsNow } from '../../../shared/text/prepared-chunks.ts';
import { chunkTerms } from '../../../shared/text/terms/terms.ts';
import type { SignedIn } from '../../support/app.ts';
import { doJob } from '../../support/do-job.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { addClient, addPerson, type Caller, readStatus } from '../../support/team.ts';
import { runJob } from './run-job.ts';

/** A job goes over the sources of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

const outdated = async (caller: Caller) => (await readStatus(caller)).terms.outdated;

async function find(caller: Caller, query: string): Promise<string[]> {
  const body = { query, scope: { include: ['team', 'client'] }, embeddingMode: 'keyword', topK: 50 };
  return (await caller.api.searchMemory(body)).hits.map((hit) => hit.text);
}

const jobOf = ({ companyId, teamId, ownerId: userId }: SignedIn) => ({ companyId, teamId, userId });
const renew = (company: SignedIn) => runJob(service, 'terms.renew', { data: jobOf(company) });

const jobsWaiting = ({ teamId }: SignedIn) => service.queue.boss.findJobs('terms.renew', { key: teamId });

/** As if an earlier version of the service had made the terms of a Team. */
const age = ({ teamId }: SignedIn) =>
  database.query('update memory.source set terms_version = 1 where team_id = $1', [teamId]);

/** More chunks than a request makes the terms of. */
const manyChunks = (text: string) => Array.from({ length: 120 }, (_, n) => ({ text: `${text} ${n}` }));

/** A source that had the title Walrus, as a worker reads it that is to make its terms again for Pelican. */
async function retitled() {
  const company = await service.company();
  const doc = { chunks: manyChunks('The valve is shut.'), externalId: 'doc' };
  await company.api.ingestSource({ ...doc, title: 'Walrus' });
  await company.api.ingestSource({ ...doc, title: 'Pelican' });
  const scope = ownerScope(company);
  const source = await workerTransaction(database, scope, findOutdatedSource);
  assert.ok(source);
  assert.deepEqual(source.fields, fieldsNow('Pelican'));
  return { company, doc, scope, source };
}

describe('the terms of a source with another title', () => {
  test('find a document, after ingest and PATCH, and a memory by the new title at once', async () => {
    const company = await service.company();
    const doc = { text: 'The valve is shut.', externalId: 'doc' };
    await company.api.ingestSource({ ...doc, title: 'Walrus' });
    const memory = await addMemory(company, 'published', { title: 'Heron', content: 'It rains.' });
    await company.api.ingestSource({ ...doc, title: 'Pelican' });
    assert.deepEqual(await find(company, 'pelican'), [doc.text]);
    const { items } = await company.api.listSources({ q: 'pelican' });
    await company.api.changeSource(items[0]!.id, { title: 'Auk' });
    await decided(company, { action: 'update', memoryId: memory.id, title: 'Ibis' });
    assert.deepEqual(await find(company, 'walrus pelican heron'), []);
    assert.deepEqual([await find(company, 'auk'), await find(company, 'ibis')], [[doc.text], ['It rains.']]);
    assert.equal(await outdated(company), 0);
    assert.deepEqual(await jobsWaiting(company), []);
  });

  test('are made again at once only in layers that the caller can write', async () => {
    const company = await service.company();
    await company.api.ingestSource({ title: 'Walrus', text: 'The valve is shut.', externalId: 'doc' });
    await age(company);
    const [chunk] = await database.query<{ id: string; source: string }>(
      'select id, source_id as source from memory.chunk where team_id = $1',
      [company.teamId],
    );
    assert.ok(chunk);
    const scope = ownerScope(company);
    const reader = { ...scope, writes: [] };
    const terms = chunkTerms(company.teamId, 'pelican');
    const renewed = { id: chunk.id, terms, textHash: textHash('pelican') };
    for (const [as, found] of [
      [reader, []],
      [scope, ['The valve is shut.']],
    ] as const) {
      await transaction(database, as, (tx) =>
        renewSourceTerms(tx, { id: chunk.source, fields: fieldsNow('Walrus') }, [renewed]),
      );
      assert.deepEqual(await find(company, 'pelican'), found);
      assert.equal(await outdated(company), found.length === 0 ? 1 : 0);
    }
  });

  test('find it by the new title when the job has run, if it has many chunks, and by the old one until then', async () => {
    const { company } = await retitled();
    assert.equal((await jobsWaiting(company)).length, 1);
    assert.equal(await outdated(company), 120);
    assert.equal((await find(company, 'walrus')).length, 50);
    assert.deepEqual(await find(company, 'pelican'), []);
    const { completed, enqueued } = await renew(company);
    assert.deepEqual([completed, enqueued], [['terms.renew'], [`keywords.count ${company.teamId}`]]);
    assert.equal(await outdated(company), 0);
    assert.equal((await find(company, 'pelican')).length, 50);
    assert.deepEqual(await find(company, 'walrus'), []);
    assert.equal((await find(company, 'valve 119'))[0], 'The valve is shut. 119');
  });

  test('are made by the next job if the worker stops', async () => {
    const { company } = await retitled();
    const stop = new AbortController();
    const on: Database = {
      ...database,
      transaction: (fn, opening) => database.transaction(fn, opening).finally(() => stop.abort()),
    };
    const run = await runJob(service, 'terms.renew', { data: jobOf(company), on, stopping: stop.signal });
    assert.deepEqual([run.completed, run.enqueued], [['terms.renew'], [`terms.renew ${company.teamId}`]]);
    assert.equal(await outdated(company), 120);
    await renew(company);
  });

  test('are not those of an earlier title by a worker that read it and is late', async () => {
    const { company, doc, scope, source } = await retitled();
    const [chunk] = await workerTransaction(database, scope, (tx) => readSourceTexts(tx, source.id, -1, 1));
    const { id, text } = chunk!;
    const late = { id, terms: chunkTerms(scope.teamId, text, 'Pelican'), textHash: textHash(text) };
    const replace = () => workerTransaction(database, scope, (tx) => replaceTerms(tx, source, [late]));
    await company.api.ingestSource({ ...doc, title: 'Ibis' });
    assert.equal(await replace(), false);
    await workerTransaction(database, scope, (tx) => endSourceTerms(tx, source, 1));
    assert.equal(await outdated(company), 120);
    await renew(company);
    assert.equal(await replace(), false);
    assert.deepEqual(await find(company, 'pelican'), []);
    assert.equal((await find(company, 'ibis')).length, 50);
  });
});

test('an imported document is found by its own day, also when its terms are made again', async () => {
  const company = await service.company();
  const text = 'Subject: The pump\nDate: Wed, 31 Jan 2024 10:20:00 +0000\n\nIt leaks.';
  const items = [{ filename: 'pump.eml', title: 'Walrus', text }];
  const { imports } = await company.api.importFiles({ items });
  const job = { ...jobOf(company), layerId: company.teamId, importId: imports[0]!.id };
  await doJob(database, 'import.process', job);
  // Another day than the one in the text, so that only the stored day of the document finds it.
  await database.query(
    `update memory.source set occurred_at = '2023-12-30T00:00:00Z', occurred_is_day = true where team_id = $1`,
    [company.teamId],
  );
  await age(company);
  assert.equal((await find(company, '2024-01-31')).length, 1);
  assert.equal((await find(company, '2023-12-30')).length, 0);
  await renew(company);
  assert.equal((await find(company, '2023-12-30')).length, 1);
});

test('a new text of a source that was created on another day keeps that day, and is not outdated', async () => {
  const company = await service.company();
  await company.api.ingestSource({ title: 'Walrus', text: 'The valve is shut.', externalId: 'doc' });
  const memory = await addMemory(company, 'published', { content: 'It rains.' });
  await database.query(`update memory.source set created_at = '2023-12-30' where team_id = $1`, [
    company.teamId,
  ]);
  await company.api.ingestSource({ title: 'Walrus', text: 'The valve is open.', externalId: 'doc' });
  await decided(company, { action: 'update', memoryId: memory.id, content: 'It snows.' });
  assert.equal(await outdated(company), 0);
  const found = await find(company, '2023-12-30');
  assert.deepEqual(found.toSorted(), ['It snows.', 'The valve is open.']);
});

describe('the terms that an earlier version of the service made', () => {
  test('are replaced Team by Team by those that it makes now, in every layer', async () => {
    const [one, other] = [await service.company(), await service.company()];
    const clientId = await addClient(service, one);
    const text = 'The valve is shut.';
    const scope = ownerScope(one, [clientId]);
    for (const layer of [null, clientId]) {
      await storeSource(database, scope, { layer, title: `Walrus ${layer ?? 'team'}`, chunks: [{ text }] });
    }
    await age(one);
    await database.query('update memory.chunk set text_hash = null where team_id = $1', [one.teamId]);
    await other.api.ingestSource({ title: 'Walrus team', text });
    const member = await addPerson(service, one, { teamRole: 'member' });
    assert.deepEqual([await outdated(one), await outdated(member), await outdated(other)], [2, 1, 0]);
    const teams = () => runJob(service, 'terms.outdated');
    assert.deepEqual((await teams()).enqueued, [`terms.renew ${one.teamId}`]);
    assert.deepEqual(await find(one, 'walrus'), []);
    await renew(one);
    assert.deepEqual([await outdated(one), (await teams()).enqueued], [0, []]);
    assert.deepEqual(await find(one, 'walrus'), [text], 'equal chunks once, by the hash that it adds');
    const weights = ({ teamId }: SignedIn) =>
      database.query(
        'select weights::text from memory.chunk_keyword where team_id = $1 and layer_id = team_id',
        [teamId],
      );
    assert.deepEqual(await weights(one), await weights(other));
  });

  test('are not written again where a run that was stopped has made them', async () => {
    const company = await service.company();
    const { teamId } = company;
    await company.api.ingestSource({ title: 'Walrus', chunks: manyChunks('The valve is shut.') });
    const written = () =>
      database.query<{ place: string; keys: number[] }>(
        'select ctid::text as place, keys from memory.chunk_keyword where team_id = $1 order by chunk_id',
        [teamId],
      );
    const before = await written();
    // The last of the three slices is not made yet.
    await database.query(
      `update memory.chunk_keyword set keys = '{1}' where team_id = $1 and chunk_id in
         (select id from memory.chunk where team_id = $1 and ordinal >= 100)`,
      [teamId],
    );
    const stopped = await written();
    await age(company);
    await renew(company);
    const after = await written();
    assert.deepEqual(
      after.map(({ keys }) => keys),
      before.map(({ keys }) => keys),
    );
    const again = after.filter(({ place }, nth) => place !== stopped[nth]?.place);
    assert.equal(again.length, 20);
  });
});
