import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expireRecords } from '../../../core/sources/expiry.ts';
import { newId } from '../../../shared/ids.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import type { Memory } from '../../../shared/schemas/memories.ts';
import type { Source } from '../../../shared/schemas/sources.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { type Caller } from '../../support/client/client.ts';
import { recordedBy, recordsNothing } from '../../support/company.ts';
import { complete, completed, foundByMeaning, foundByWords, lend } from '../../support/consolidation.ts';
import { doJob } from '../../support/do-job.ts';
import { called, callTool } from '../../support/mcp.ts';
import { addMemories, decide, decided, listMemories } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, readSource } from '../../support/source-library.ts';
import { addClient, addPerson, along, CLAIM } from '../../support/team.ts';
import { expireItems, expireSources, inDays, storedStates } from './expire.ts';

const service = await openTestApp();
const { database } = service;
const PAST = '2001-02-03T04:05:06.000Z';
const SOON = inDays(1);
const LATER = inDays(30);

const ingest = (company: SignedIn, body: object, headers = {}) =>
  company.ask.ingestSource({ title: 'A title', text: 'A heron.', ...body }, headers);
const change = (company: Caller, id: string, body: object) => company.ask.changeSource(id, body);

async function importNow(company: SignedIn, item: object): Promise<Import> {
  const items = [{ filename: 'heron.txt', text: 'A heron of a file.', ...item }];
  const [accepted] = (await company.api.importFiles({ items })).imports;
  const { companyId, teamId, ownerId: userId } = company;
  const data = { companyId, teamId, userId, layerId: teamId, importId: accepted!.id };
  await doJob(database, 'import.process', data);
  return await company.api.getImport(accepted!.id);
}

describe('expiresAt', () => {
  test('is shown by sources, imports and memories, and is null if none was given', async () => {
    const company = await service.company();
    const stored = await addSource(company, { expiresAt: SOON });
    assert.equal(stored.expiresAt, SOON);
    assert.equal((await readSource(company, stored.id)).expiresAt, SOON);
    assert.equal((await addSource(company, {})).expiresAt, null);
    assert.equal((await addSource(company, { expiresAt: null })).expiresAt, null);

    const imported = await importNow(company, { expiresAt: SOON });
    assert.equal(imported.expiresAt, SOON);
    assert.equal((await readSource(company, imported.sourceId!)).expiresAt, SOON);
    const never = await importNow(company, { filename: 'gull.txt', text: 'A gull.' });
    assert.equal(never.expiresAt, null);

    const given = [{ expiresAt: SOON }, {}];
    for (const state of ['review', 'published'] as const) {
      const memories = await addMemories(company, state, given);
      assert.deepEqual(
        memories.map(({ expiresAt }) => expiresAt),
        [SOON, null],
      );
      if (state === 'published') {
        assert.equal((await readSource(company, memories[0]!.sourceId!)).expiresAt, SOON);
      }
    }
  });

  test('goes from an item in review to its source when it is published', async () => {
    const company = await service.company();
    const [item] = await addMemories(company, 'review', [{ expiresAt: SOON }]);
    const published = await decided(company, { action: 'publish', memoryId: item!.id });
    assert.equal(published.expiresAt, SOON);
    assert.equal((await readSource(company, published.sourceId!)).expiresAt, SOON);
  });

  test('is 400 in the past, on every route, and nothing is stored', async () => {
    const company = await service.company();
    const { id } = await addSource(company);
    const [memory] = await addMemories(company, 'published', [{}]);
    const { batchId, captureIds } = await lend(company);
    const item = { captureIds, action: 'publish', title: 'T', content: 'C' } as const;
    await recordsNothing(service, company, async () => {
      assertInvalid(await ingest(company, { expiresAt: PAST }), '/expiresAt');
      assertInvalid(await ingest(company, { expiresAt: PAST }, { 'idempotency-key': 'past' }), '/expiresAt');
      assertInvalid(await change(company, id, { expiresAt: PAST }), '/expiresAt');
      const items = [
        { filename: 'a.txt', text: 'A' },
        { filename: 'b.txt', text: 'B', expiresAt: PAST },
      ];
      assertInvalid(await company.ask.importFiles({ items }), '/items/1/expiresAt');
      const keyed = await company.ask.importFiles({ items }, { 'idempotency-key': 'past' });
      assertInvalid(keyed, '/items/1/expiresAt');
      assertInvalid(
        await complete(company, batchId, [item, { ...item, expiresAt: PAST }]),
        '/items/1/expiresAt',
      );
      const discarded = { captureIds: item.captureIds, action: 'discard', expiresAt: PAST } as const;
      assertInvalid(await complete(company, batchId, [discarded]), '/items/0/expiresAt');
      assert.equal(outcome(await complete(company, newId(), [discarded])), '404 not_found');
      for (const action of ['update', 'renew']) {
        assertInvalid(await decide(company, { action, memoryId: memory!.id, expiresAt: PAST }), '/expiresAt');
      }
      const remembered = await callTool(company, 'remember', { text: 'A', expires: PAST });
      assert.match(remembered.text, /invalid_request.*expires/s);
    });
  });

  test('does not refuse a request that is sent again after the expiry', async (t) => {
    const company = await service.company();
    const send = () => ingest(company, { expiresAt: SOON }, { 'idempotency-key': 'again' });
    const { batchId, captureIds } = await lend(company);
    const item = { captureIds, action: 'publish', title: 'T', content: 'C', expiresAt: SOON } as const;
    const stored = await send();
    const results = await completed(company, batchId, [item]);
    assert.equal(stored.statusCode, 201, stored.body);
    t.mock.timers.enable({ apis: ['Date'], now: Date.parse(LATER) });
    assertInvalid(await ingest(company, { expiresAt: SOON }), '/expiresAt');
    assert.deepEqual((await send()).json(), stored.json());
    assert.deepEqual(await completed(company, batchId, [item]), results);
  });
});

describe('a source with an externalId', () => {
  test('keeps its expiry unless another is given; null removes it', async () => {
    const company = await service.company();
    const send = async (body: object) => {
      const answer = await ingest(company, { externalId: 'x', ...body });
      const { source, updated, duplicate } = answer.json<{
        source: Source;
        updated?: string[];
        duplicate: boolean;
      }>();
      return [answer.statusCode, source.expiresAt, updated ?? null, duplicate];
    };
    assert.deepEqual(await send({ expiresAt: SOON }), [201, SOON, null, false]);
    assert.deepEqual(await send({}), [200, SOON, null, true]);
    assert.deepEqual(await send({ expiresAt: SOON }), [200, SOON, null, true]);
    assert.deepEqual(await send({ expiresAt: LATER }), [200, LATER, ['expiresAt'], false]);
    assert.deepEqual(await send({ text: 'A gull.' }), [200, LATER, null, false]);
    assert.deepEqual(await send({ text: 'A gull.', expiresAt: null }), [200, null, ['expiresAt'], false]);
    assert.deepEqual(await send({ text: 'A tern.', expiresAt: SOON }), [200, SOON, null, false]);
    assert.deepEqual(await send({ text: 'A heron.', expiresAt: null }), [200, null, null, false]);
  });
});

describe('PATCH /v1/memory/sources/{id} with expiresAt', () => {
  test('gives a source another expiry, with one event, and null removes it', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { title: 'Birds', tags: ['bird'] });
    const { events } = await recordedBy(service, company, async () => {
      const answer = await change(company, id, { expiresAt: SOON });
      assert.equal(answer.statusCode, 200, answer.body);
      const { expiresAt, title, tags } = answer.json<Source>();
      assert.deepEqual([expiresAt, title, tags], [SOON, 'Birds', ['bird']]);
    });
    assert.deepEqual(
      events.map(({ kind, subjectId, detail }) => [kind, subjectId, detail]),
      [['memory.update', id, { updated: ['expiresAt'] }]],
    );
    await recordsNothing(service, company, async () => {
      assert.equal((await change(company, id, { expiresAt: SOON })).statusCode, 200);
    });
    assert.equal((await change(company, id, { expiresAt: null })).json<Source>().expiresAt, null);
    assertInvalid(await change(company, id, {}), '/');
  });

  test('is 409 for the source of a memory, and 403 for a source of another person', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'published', [{}]);
    assert.equal(outcome(await change(company, memory!.sourceId!, { expiresAt: SOON })), '409 conflict');
    const { id } = await addSource(company);
    const member = await addPerson(service, company, { teamRole: 'member' });
    assert.equal(outcome(await change(member, id, { expiresAt: SOON })), '403 forbidden');
  });
});

describe('the actions update and renew', () => {
  const expiryOf = async (company: SignedIn, memory: Memory) => [
    memory.expiresAt,
    memory.sourceId === null ? null : (await readSource(company, memory.sourceId)).expiresAt,
  ];

  test('change when a published memory expires, and nothing else that searches find', async () => {
    const company = await service.company();
    const [memory] = await addMemories(company, 'published', [{ content: 'The heron rule.' }]);
    const { id: memoryId } = memory!;
    const updated = await decided(company, { action: 'update', memoryId, expiresAt: SOON });
    assert.deepEqual(await expiryOf(company, updated), [SOON, SOON]);
    const { events } = await recordedBy(service, company, async () => {
      const renewed = await decided(company, { action: 'renew', memoryId, expiresAt: LATER });
      assert.deepEqual(await expiryOf(company, renewed), [LATER, LATER]);
      assert.deepEqual([renewed.state, renewed.version], ['published', 3]);
    });
    assert.deepEqual(
      events.map(({ kind, subjectId }) => [kind, subjectId]),
      [['memory.renew', memoryId]],
    );
    const kept = await decided(company, { action: 'update', memoryId, title: 'Another' });
    assert.deepEqual(await expiryOf(company, kept), [LATER, LATER]);
    const endless = await decided(company, { action: 'renew', memoryId, expiresAt: null });
    assert.deepEqual(await expiryOf(company, endless), [null, null]);
    assert.equal((await foundByWords(company, 'heron')).length, 1);
  });

  test('renew requires expiresAt, and other actions do not accept it', async () => {
    const company = await service.company();
    const [item] = await addMemories(company, 'review', [{}]);
    const memoryId = item!.id;
    assertInvalid(await decide(company, { action: 'renew', memoryId }), '/expiresAt');
    assertInvalid(await decide(company, { action: 'publish', memoryId, expiresAt: SOON }), '/expiresAt');
    const stale = { action: 'renew', memoryId, expiresAt: SOON, version: 7 };
    assert.equal(outcome(await decide(company, stale)), '409 version_conflict');
    const titled = { action: 'renew', memoryId, expiresAt: SOON, title: 'T' };
    assertInvalid(await decide(company, titled), '/title');
  });

  test('renew of an item in review keeps its vector, and of an expired one is 409', async () => {
    const company = await service.company();
    const [item, other] = await addMemories(company, 'review', [
      { expiresAt: SOON, embedding: along(3), ...CLAIM },
      {},
    ]);
    const renewed = await decided(company, {
      action: 'renew',
      memoryId: item!.id,
      expiresAt: LATER,
    });
    assert.deepEqual([renewed.state, renewed.expiresAt, renewed.sourceId], ['review', LATER, null]);
    await decided(company, { action: 'publish', memoryId: item!.id });
    assert.equal((await foundByMeaning(company, along(3))).length, 1);
    await expireItems(service, other!.id);
    for (const action of ['renew', 'publish', 'discard']) {
      const decision = { action, memoryId: other!.id, ...(action === 'renew' ? { expiresAt: null } : {}) };
      assert.equal(outcome(await decide(company, decision)), '409 conflict');
    }
    assert.deepEqual(await listMemories(company, '?state=review'), []);
    assert.deepEqual(await storedStates(service, other!.id), ['review']);
  });

  test('restore publishes an expired memory again, without an expiry, before and after it is archived', async () => {
    const company = await service.company();
    const [due, archived] = await addMemories(company, 'published', [
      { content: 'The heron rule.' },
      { content: 'The gull rule.' },
    ]);
    const [item] = await addMemories(company, 'review', [{ content: 'The tern rule.' }]);
    const restore = (memoryId: string) => decided(company, { action: 'restore', memoryId, version: 1 });
    await expireSources(service, archived!.sourceId);
    const { companyId, teamId } = company;
    await expireRecords(service, { companyId, teamId, layerId: teamId });
    assert.deepEqual(await storedStates(service, archived!.id), ['archived']);
    await expireSources(service, due!.sourceId);
    await expireItems(service, item!.id);
    for (const [{ id }, word] of [
      [due!, 'heron'],
      [archived!, 'gull'],
      [item!, 'tern'],
    ] as const) {
      assert.deepEqual(await foundByWords(company, word), []);
      const restored = await restore(id);
      assert.deepEqual([restored.state, restored.expiresAt], ['published', null], word);
      assert.equal((await readSource(company, restored.sourceId!)).expiresAt, null);
      assert.equal((await foundByWords(company, word)).length, 1, word);
    }
  });

  test('unpublish keeps the expiry, and does not publish again what has expired since', async () => {
    const company = await service.company();
    const [old] = await addMemories(company, 'published', [{ content: 'The heron rule.' }]);
    const [item] = await addMemories(company, 'review', [{ expiresAt: SOON }]);
    const publish = { action: 'publish', memoryId: item!.id };
    await decided(company, { ...publish, supersedes: old!.id });
    await expireSources(service, old!.sourceId);
    const withdrawn = await decided(company, { action: 'unpublish', memoryId: item!.id });
    assert.deepEqual([withdrawn.state, withdrawn.expiresAt], ['review', SOON]);
    assert.deepEqual(await foundByWords(company, 'heron'), []);
    const renewed = await decided(company, {
      action: 'renew',
      memoryId: item!.id,
      expiresAt: LATER,
    });
    assert.equal(renewed.state, 'review');
    const published = await decided(company, publish);
    assert.deepEqual(await expiryOf(company, published), [LATER, LATER]);
  });

  test('reopen of a discarded memory that has expired is 409', async () => {
    const company = await service.company();
    const [item] = await addMemories(company, 'review', [{}]);
    await decided(company, { action: 'discard', memoryId: item!.id });
    await expireItems(service, item!.id);
    const answer = await decide(company, { action: 'reopen', memoryId: item!.id });
    assert.equal(outcome(answer), '409 conflict');
  });

  test('an expired memory cannot be superseded', async () => {
    const company = await service.company();
    const [old] = await addMemories(company, 'published', [{}]);
    const [item] = await addMemories(company, 'review', [{}]);
    await database.query(`update memory.memory_item set expires_at = now() where id = $1`, [old!.id]);
    const decision = { action: 'publish', memoryId: item!.id, supersedes: old!.id };
    assert.equal(outcome(await decide(company, decision)), '409 conflict');
  });
});

describe('the tool remember with expires', () => {
  test('stores a text that expires, and gives a known key another expiry', async () => {
    const company = await service.company();
    const remember = (args: object) => called<{ id: string; status: string }>(company, 'remember', args);
    const { id, status } = await remember({ text: 'A heron.', key: 'k', expires: SOON });
    assert.equal(status, 'created');
    assert.equal((await readSource(company, id)).expiresAt, SOON);
    assert.equal((await remember({ text: 'A heron.', key: 'k', expires: LATER })).status, 'replaced');
    assert.equal((await remember({ text: 'A heron.', key: 'k' })).status, 'duplicate');
    assert.equal((await readSource(company, id)).expiresAt, LATER);
  });
});

describe('a workspace file', () => {
  test('does not expire: PATCH is 409', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id } = await addSource(company, { scope: { clientId } });
    await database.query(`update memory.source set kind = 'file', file_id = id where id = $1`, [id]);
    assert.equal(outcome(await change(company, id, { expiresAt: SOON })), '409 conflict');
    assert.equal((await change(company, id, { tags: ['bird'] })).statusCode, 200);
  });
});
