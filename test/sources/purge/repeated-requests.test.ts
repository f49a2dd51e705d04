import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { IngestResponse } from '../../../shared/schemas/sources.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { claimAll, completed, lend } from '../../support/consolidation.ts';
import { addMemory, decided } from '../../support/memories.ts';
import { imported, textFile } from '../../support/originals.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, readSource } from '../../support/source-library.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';
import { tablesWith, tracesOf } from '../../support/traces.ts';

/** Rows of every table are searched, so the database has only what these tests write. */
const service = await openOwnTestApp();

const newWord = () => `quokka${crypto.randomUUID().replaceAll('-', '')}`;
/** More than ten words, so that near duplicates are found. */
const PROSE = 'The pump in hall four lost pressure again, so the crew closed valve nine and went home.';

/** A request with a key of its own, to send again and again. */
function repeatable(caller: Caller, path: string, body: object) {
  const key = { 'idempotency-key': crypto.randomUUID() };
  return () => caller.send('POST', `/v1/memory/${path}`, body, key);
}

/** The first answer; the second is the same. */
async function firstOf<T = IngestResponse>(send: ReturnType<typeof repeatable>): Promise<T> {
  const first = await send();
  assert.ok(first.statusCode < 300, first.body);
  assert.equal((await send()).body, first.body);
  return first.json<T>();
}

/** A Team with a client, and a member who cannot read it. */
async function openTeam() {
  const company = await service.company();
  const member = await addPerson(service, company, { teamRole: 'member' });
  return { company, member, clientId: await addClient(service, company) };
}

describe('a request that is repeated after a purge', () => {
  test('returns 404 if it stored the source, and does not store it again', async () => {
    const { company, member } = await openTeam();
    const word = newWord();
    const send = repeatable(member, 'ingest', { title: word, text: `${word} swims` });
    const { source } = await firstOf(send);
    await company.api.purgeSource(source.id);
    assert.equal(outcome(await send()), '404 not_found');
    assert.deepEqual(await tracesOf(service, word), []);
    assert.deepEqual(await tablesWith(service, source.id), ['memory.audit_event']);
  });

  test('returns 404 if it imported the file, and does not import it again', async () => {
    const company = await service.company();
    const word = newWord();
    const file = textFile('a.txt', word);
    const items = [{ filename: file.filename, text: file.content.toString() }];
    const send = repeatable(company, 'imports', { items });
    const { id } = (await firstOf<{ imports: { id: string }[] }>(send)).imports[0]!;
    // The import is not run here. It is made that of the source.
    const sourceId = await imported(service, company, file);
    await service.database.query(
      `update memory.import set state = 'completed', source_id = $2 where id = $1`,
      [id, sourceId],
    );
    await company.api.purgeSource(sourceId);
    assert.equal(outcome(await send()), '404 not_found');
    assert.deepEqual(await tablesWith(service, id), ['memory.audit_event', 'pgboss.job_common']);
  });

  test('returns 404 if it staged a capture of the memory, and does not stage it again', async () => {
    const { company, member } = await openTeam();
    const word = newWord();
    const send = repeatable(member, 'captures', { sessionId: 's', summary: word });
    await firstOf(send);
    const { batchId, captureIds } = await claimAll(company);
    const [made] = await completed(company, batchId, [
      { captureIds, action: 'publish', title: 'A', content: 'A fact.' },
    ]);
    await company.api.purgeMemory(made?.memoryId ?? '');
    assert.equal(outcome(await send()), '404 not_found');
    assert.deepEqual(await tracesOf(service, word), []);
  });

  test('returns the first response without a near duplicate that was purged, and changes nothing', async () => {
    const { company, member } = await openTeam();
    const title = newWord();
    const near = await addSource(company, { title, text: PROSE });
    const body = { title: 'Pump', externalId: 'pump' };
    const send = repeatable(member, 'ingest', { ...body, text: PROSE.toUpperCase() });
    const first = await firstOf(send);
    assert.equal(first.similarSources[0]?.title, title);
    const newer = 'The pump was sold.';
    await member.ask.ingestSource({ ...body, text: newer });
    await company.api.purgeSource(near.id);
    const again = await send();
    assert.equal(again.statusCode, 201);
    assert.deepEqual(again.json(), { ...first, similarSources: [] });
    assert.equal((await readSource(company, first.source.id)).chunks[0]?.text, newer);
    assert.deepEqual(await tracesOf(service, title), []);
  });

  test('returns the first response without the purged source that had the text of the file first', async () => {
    const company = await service.company();
    const [first, second] = [await addSource(company), await addSource(company)];
    await service.database.query('update memory.source set same_as = $2 where id = $1', [
      second.id,
      first.id,
    ]);
    const text = (await readSource(company, second.id)).chunks[0]?.text;
    const send = repeatable(company, 'ingest', { title: 'x', text });
    assert.equal((await firstOf(send)).source.sameAs, first.id);
    await company.api.purgeSource(first.id);
    const again = await send();
    assert.equal(again.statusCode, 200);
    const { source } = again.json<IngestResponse>();
    assert.deepEqual([source.id, source.sameAs], [second.id, null]);
  });
});

describe('a request that is repeated after its record was moved out of reach', () => {
  test('returns the 404 of an unknown record, until it can be read again', async () => {
    const { company, member, clientId } = await openTeam();
    const send = repeatable(member, 'ingest', { title: 'x', text: `${newWord()} swims` });
    const first = await firstOf(send);
    const { id } = first.source;
    await company.api.changeSource(id, { clientId });
    assert.equal(outcome(await send()), '404 not_found');
    await company.api.changeSource(id, { clientId: null });
    assert.deepEqual((await send()).json(), first);
  });

  test('returns the first response without a near duplicate that was moved', async () => {
    const { company, member, clientId } = await openTeam();
    const title = newWord();
    const near = await addSource(company, { title, text: PROSE });
    const send = repeatable(member, 'ingest', { title: 'x', text: PROSE.toUpperCase() });
    const first = await firstOf(send);
    assert.equal(first.similarSources[0]?.title, title);
    await company.api.changeSource(near.id, { clientId });
    assert.deepEqual((await send()).json(), { ...first, similarSources: [] });
    await company.api.changeSource(near.id, { clientId: null });
    assert.deepEqual((await send()).json(), first);
  });
});

for (const [who, isReadable] of [
  ['a member', false],
  ['a caller with Full access, who reads memories in any state', true],
] as const) {
  test(`a complete that is repeated after a similar memory is in review ${isReadable ? 'shows it' : 'does not show it'} to ${who}`, async () => {
    const { company, member } = await openTeam();
    const caller = isReadable ? company : member;
    const similar = await addMemory(company, 'published', { content: PROSE });
    const { batchId, captureIds } = await lend(caller);
    const items = [{ captureIds, action: 'publish', title: 'Again', content: PROSE }];
    const send = (key: string) => caller.api.completeCaptures({ batchId, items }, { 'idempotency-key': key });
    const [first] = (await send('the first')).results;
    assert.equal(first?.similar[0]?.memoryId, similar.id);
    await decided(company, { action: 'unpublish', memoryId: similar.id });
    for (const key of ['the first', 'another']) {
      assert.deepEqual((await send(key)).results, [isReadable ? first : { ...first, similar: [] }]);
    }
  });
}

describe('a request that is repeated after the erasure of a person', () => {
  test('returns the first response without the name of their agent token, and changes nothing', async () => {
    const { company, member } = await openTeam();
    const name = newWord();
    const agent = await createAgent(service, member, company, { name });
    const body = { title: 'Pump', externalId: 'pump' };
    const { id } = await addSource(agent, { ...body, text: 'The pump was bought.' });
    const send = repeatable(company, 'ingest', { ...body, text: 'The pump was repaired.' });
    const first = await firstOf(send);
    assert.equal(first.source.createdWith?.name, name);
    const newer = 'The pump was sold.';
    await company.ask.ingestSource({ ...body, text: newer });
    await company.api.eraseCompanyMember(member.userId);
    const createdWith = { tokenId: agent.record.id, name: 'Former agent token' };
    assert.deepEqual((await send()).json(), { ...first, source: { ...first.source, createdWith } });
    assert.equal((await readSource(company, id)).chunks[0]?.text, newer);
    assert.deepEqual(await tracesOf(service, name), []);
  });
});
