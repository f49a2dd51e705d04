import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workerTransaction } from '../../../db/driver/database.ts';
import {
  endSourceTerms,
  findOutdatedSource,
  readSourceTexts,
  replaceTerms,
} from '../../../db/queries/search/stored-terms.ts';
import { newId } from '../../../shared/ids.ts';
import type { Hit, Source } from '../../../shared/schemas/memory.ts';
import { textHash } from '../../../shared/text/equal-texts.ts';
import { fieldsNow, fieldsText } from '../../../shared/text/fields.ts';
import { chunkTerms } from '../../../shared/text/terms/chunk-terms.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import type { SignedIn } from '../../support/app.ts';
import { doJob } from '../../support/do-job.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { ownerScope } from '../../support/scopes.ts';
import { storeSource } from '../../support/sources.ts';
import { addClient, addPerson, type Caller, get, post, readStatus } from '../../support/team.ts';

/** A job goes over the sources of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

const outdated = async (caller: Caller) => (await readStatus(service, caller)).terms.outdated;

async function find(caller: Caller, query: string): Promise<string[]> {
  const body = { query, scope: { include: ['team', 'client'] }, embeddingMode: 'keyword', topK: 50 };
  const answer = await post(service, caller, '/v1/memory/search', body);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ hits: Hit[] }>().hits.map((hit) => hit.text);
}

async function ingest(caller: Caller, body: object): Promise<void> {
  const answer = await post(service, caller, '/v1/memory/ingest', body);
  assert.ok(answer.statusCode < 300, answer.body);
}

const renew = ({ companyId, teamId, ownerId: userId }: SignedIn) =>
  doJob(database, 'terms.renew', { companyId, teamId, userId });

/** The Teams for which the job enqueues another. */
async function teamsFound(): Promise<string[]> {
  const found: string[] = [];
  const queue = {
    settle: async () => undefined,
    enqueue: async (_tx: unknown, name: string, { teamId }: { teamId: string }) =>
      void found.push(`${name} ${teamId}`),
  };
  await HANDLERS['terms.outdated']({ id: newId(), data: {} } as never, { database, queue } as never);
  return found;
}

/** A source that had the title Walrus, as a worker reads it that is to make its terms again for Pelican. */
async function retitled() {
  const company = await service.company();
  const doc = { text: 'The valve is shut.', externalId: 'doc' };
  await ingest(company, { ...doc, title: 'Walrus' });
  await ingest(company, { ...doc, title: 'Pelican' });
  const scope = ownerScope(company);
  const source = await workerTransaction(database, scope, findOutdatedSource);
  assert.ok(source);
  assert.deepEqual(source.fields, fieldsNow('Pelican'));
  return { company, doc, scope, source };
}

describe('the terms of a source with another title', () => {
  test('find it by the new title when the job has run, and by the old one until then', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 120 }, (_, n) => ({ text: `The valve number ${n} is shut.` }));
    const doc = { chunks, externalId: 'doc' };
    await ingest(company, { ...doc, title: 'Walrus' });
    assert.equal(await outdated(company), 0);
    await ingest(company, { ...doc, title: 'Pelican' });
    assert.equal(await outdated(company), 120);
    assert.equal((await find(company, 'walrus')).length, 50);
    assert.deepEqual(await find(company, 'pelican'), []);
    assert.deepEqual(await renew(company), ['terms.renew']);
    assert.equal(await outdated(company), 0);
    assert.equal((await find(company, 'pelican')).length, 50);
    assert.deepEqual(await find(company, 'walrus'), []);
    assert.deepEqual(await find(company, 'valve 119'), await find(company, '119 valve'));
  });

  test('are enqueued by the request: of a document, by ingest or by PATCH, and of a memory', async () => {
    const company = await service.company();
    const waiting = async () => {
      const jobs = await service.queue.boss.findJobs('terms.renew', { key: company.teamId });
      return jobs.length;
    };
    await ingest(company, { title: 'Walrus', text: 'The valve is shut.', externalId: 'doc' });
    const memory = await addMemory(service, company, 'published', { title: 'Heron', content: 'It rains.' });
    assert.equal(await waiting(), 0);
    await ingest(company, { title: 'Pelican', text: 'The valve is shut.', externalId: 'doc' });
    assert.equal(await waiting(), 1);
    await service.queue.boss.deleteQueuedJobs('terms.renew');
    const { items } = (await get(service, company, '/v1/memory/sources?q=pelican')).json<{
      items: Source[];
    }>();
    const url = `/v1/memory/sources/${items[0]?.id}`;
    const { headers } = company;
    const renamed = await service.app.inject({ method: 'PATCH', url, headers, payload: { title: 'Auk' } });
    assert.equal(renamed.statusCode, 200, renamed.body);
    assert.equal(await waiting(), 1);
    await decided(service, company, { action: 'update', memoryId: memory.id, title: 'Ibis' });
    assert.equal(await outdated(company), 2);
    await renew(company);
    assert.deepEqual(await find(company, 'ibis auk').then((texts) => texts.toSorted()), [
      'It rains.',
      'The valve is shut.',
    ]);
  });

  test('stay outdated if the title changes again while they are made', async () => {
    const { company, doc, scope, source } = await retitled();
    await ingest(company, { ...doc, title: 'Ibis' });
    await workerTransaction(database, scope, (tx) => endSourceTerms(tx, source, 1));
    assert.equal(await outdated(company), 1);
    await renew(company);
    assert.deepEqual(await find(company, 'ibis'), ['The valve is shut.']);
  });

  test('are not replaced by a worker that read an earlier title and is late', async () => {
    const { company, doc, scope, source } = await retitled();
    const [chunk] = await workerTransaction(database, scope, (tx) => readSourceTexts(tx, source.id, -1, 1));
    const { id, headings, text } = chunk!;
    const terms = chunkTerms(scope.teamId, text, fieldsText(source.fields, headings));
    const late = { id, terms, textHash: textHash(text) };
    await ingest(company, { ...doc, title: 'Ibis' });
    await renew(company);
    assert.equal(await workerTransaction(database, scope, (tx) => replaceTerms(tx, source, [late])), false);
    assert.deepEqual(await find(company, 'pelican'), []);
    assert.deepEqual(await find(company, 'ibis'), ['The valve is shut.']);
  });
});

test('an imported document is found by its own day, also when its terms are made again', async () => {
  const company = await service.company();
  const text = 'Subject: The pump\nDate: Wed, 31 Jan 2024 10:20:00 +0000\n\nIt leaks.';
  const items = [{ filename: 'pump.eml', title: 'Walrus', text }];
  const answer = await post(service, company, '/v1/memory/imports', { items });
  const [{ id: importId } = { id: '' }] = answer.json<{ imports: { id: string }[] }>().imports;
  const { companyId, teamId, ownerId: userId } = company;
  await doJob(database, 'import.process', { companyId, teamId, userId, clientId: null, importId });
  // Another day than the one in the text, so that only the stored day of the document finds it.
  await database.query(`update memory.source set document_date = '2023-12-30' where team_id = $1`, [teamId]);
  await database.query('update memory.source set terms_version = 1 where team_id = $1', [teamId]);
  assert.equal((await find(company, '2024-01-31')).length, 1);
  assert.equal((await find(company, '2023-12-30')).length, 0);
  await renew(company);
  assert.equal((await find(company, '2023-12-30')).length, 1);
});

test('a new text of a source that was created on another day keeps that day, and is not outdated', async () => {
  const company = await service.company();
  await ingest(company, { title: 'Walrus', text: 'The valve is shut.', externalId: 'doc' });
  const memory = await addMemory(service, company, 'published', { content: 'It rains.' });
  await database.query(`update memory.source set created_at = '2023-12-30' where team_id = $1`, [
    company.teamId,
  ]);
  await ingest(company, { title: 'Walrus', text: 'The valve is open.', externalId: 'doc' });
  await decided(service, company, { action: 'update', memoryId: memory.id, content: 'It snows.' });
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
    await database.query('update memory.source set terms_version = 1 where team_id = $1', [one.teamId]);
    await database.query('update memory.chunk set text_hash = null where team_id = $1', [one.teamId]);
    await ingest(other, { title: 'Walrus team', text });
    const member = await addPerson(service, one, { teamRole: 'member' });
    assert.deepEqual([await outdated(one), await outdated(member), await outdated(other)], [2, 1, 0]);
    assert.deepEqual(await teamsFound(), [`terms.renew ${one.teamId}`]);
    assert.deepEqual(await find(one, 'walrus'), []);
    await renew(one);
    assert.deepEqual([await outdated(one), await teamsFound()], [0, []]);
    assert.deepEqual(await find(one, 'walrus'), [text], 'equal chunks once, by the hash that it adds');
    const weights = async ({ teamId }: SignedIn) => {
      const rows = await database.query<{ weights: string }>(
        'select weights::text from memory.chunk_keyword where team_id = $1 and client_id is null',
        [teamId],
      );
      return rows;
    };
    assert.deepEqual(await weights(one), await weights(other));
  });

  test('are counted again when those of a fifth of the layer were made', async () => {
    const company = await service.company();
    const scope = ownerScope(company);
    const { companyId, teamId, ownerId: userId } = company;
    const count = () => doJob(database, 'keywords.count', { companyId, teamId, userId });
    for (const n of [1, 2, 3, 4, 5, 6]) {
      const chunks = [{ text: `The valve number ${n} is shut.` }];
      await storeSource(database, scope, { layer: null, title: 'Walrus', chunks, withFields: n > 1 });
    }
    await count();
    const stale = () =>
      database.query('select from memory.keyword_layer where team_id = $1 and renewed >= chunks * 0.2', [
        teamId,
      ]);
    await renew(company);
    assert.equal((await stale()).length, 0, 'of one in six');
    await database.query('update memory.source set terms_version = 1 where team_id = $1', [teamId]);
    await renew(company);
    assert.equal((await stale()).length, 1);
    await count();
    assert.equal((await stale()).length, 0);
  });
});
