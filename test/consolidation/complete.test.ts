import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { column, columns } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import {
  claimAll,
  complete,
  completed,
  foundByMeaning,
  foundByWords,
  type GivenItem,
  lend,
  search,
  traces,
} from '../support/consolidation.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { along, CLAIM, faultyFields } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const AXIS = 7;

const OCELOT = { title: 'Ocelots', content: 'The ocelot sleeps by day.' };
const EMBEDDED = { embedding: along(AXIS), ...CLAIM };

describe('the action of an item', () => {
  test('publish creates a memory that searches find at once by its words and its meaning', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const [result] = await completed(company, batchId, [
      { captureIds, action: 'publish', ...OCELOT, ...EMBEDDED, metadata: { by: 'x' } },
    ]);
    assert.deepEqual(result, { state: 'published', memoryId: result?.memoryId, similar: [] });
    assert.deepEqual(await foundByWords(company, 'ocelot'), [OCELOT.content]);
    assert.deepEqual(await foundByMeaning(company, along(AXIS)), [OCELOT.content]);
    const [memory] = await company.all.listMemories({ state: 'published' });
    const [hit] = await search(company, 'ocelot');
    assert.ok(memory && hit);
    assert.deepEqual([hit.kind, hit.title, hit.source_id], ['memory', OCELOT.title, memory.sourceId]);
    const { id, title, content, version, metadata, createdBy, decidedBy, ...rest } = memory;
    assert.deepEqual([id, title, content], [result?.memoryId, OCELOT.title, OCELOT.content]);
    assert.deepEqual([version, metadata, rest.captureIds], [1, { by: 'x' }, captureIds]);
    assert.deepEqual([createdBy, decidedBy], [company.ownerId, company.ownerId]);
  });

  test('review creates a memory that no search finds', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const [result] = await completed(company, batchId, [
      { captureIds, action: 'review', ...OCELOT, ...EMBEDDED },
    ]);
    assert.deepEqual(result, { state: 'review', memoryId: result?.memoryId, similar: [] });
    assert.deepEqual(await search(company, 'ocelot', along(AXIS)), []);
    const [memory] = await company.all.listMemories({ state: 'review' });
    assert.ok(memory);
    assert.deepEqual([memory.id, memory.content], [result?.memoryId, OCELOT.content]);
    assert.deepEqual([memory.sourceId, memory.decidedBy, memory.decidedAt], [null, null, null]);
    const { sources, chunks } = await traces(service, company);
    assert.deepEqual([sources, chunks], [0, 0]);
  });

  test('discard creates nothing, with or without a text', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const results = await completed(company, batchId, [
      { captureIds: captureIds.slice(0, 1), action: 'discard' },
      { captureIds: captureIds.slice(1), action: 'discard', ...OCELOT, ...EMBEDDED },
    ]);
    const nothing = { state: 'discarded', memoryId: null, similar: [] };
    assert.deepEqual(results, [nothing, nothing]);
    assert.deepEqual(await search(company, 'ocelot', along(AXIS)), []);
    const { memories, sources, captures } = await traces(service, company);
    assert.deepEqual([memories, sources, captures], [0, 0, { completed: 2 }]);
  });

  test('every action records one event with its captures, without the text', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null, null]);
    const [one, two, three] = captureIds.map((id) => [id]);
    let ids: (string | null)[] = [];
    const { events, text } = await recordedBy(service, company, async () => {
      const results = await completed(company, batchId, [
        { captureIds: one, action: 'publish', ...OCELOT, ...EMBEDDED, metadata: { secret: 'puma' } },
        { captureIds: two, action: 'review', ...OCELOT },
        { captureIds: three, action: 'discard', ...OCELOT },
      ]);
      ids = results.map(({ memoryId }) => memoryId);
    });
    assert.deepEqual(columns(events, 'kind', 'actorId', 'subjectType', 'subjectId'), [
      ['memory.publish', company.ownerId, 'memory', ids[0]],
      ['memory.review', company.ownerId, 'memory', ids[1]],
      ['memory.discard', company.ownerId, 'batch', batchId],
    ]);
    assert.deepEqual(
      events.map(({ detail }) => detail['captureIds']),
      [one, two, three],
    );
    assert.doesNotMatch(text, /ocelot|puma/i);
  });
});

describe('the captures of a batch', () => {
  test('captures without an item are staged again, and the next claim returns them', async () => {
    const company = await service.company();
    const { batchId, captures, captureIds } = await lend(company, [null, null, null]);
    await completed(company, batchId, [{ captureIds: captureIds.slice(1, 2), action: 'publish', ...OCELOT }]);
    assert.deepEqual((await traces(service, company)).captures, { completed: 1, staged: 2 });
    const next = await claimAll(company);
    assert.deepEqual(next.captures, [captures[0], captures[2]]);
  });

  test('a complete without items stages all captures again', async () => {
    const company = await service.company();
    const { batchId, captures } = await lend(company, [null, null]);
    const before = await traces(service, company);
    assert.deepEqual(await completed(company, batchId, []), []);
    assert.deepEqual(await traces(service, company), { ...before, captures: { staged: 2 } });
    assert.deepEqual((await claimAll(company)).captures, captures);
  });

  test('several items can use one capture, and one item can use several', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const [first = '', second = ''] = captureIds;
    const results = await completed(company, batchId, [
      { captureIds: [first], action: 'publish', ...OCELOT },
      { captureIds: [second, first], action: 'review', title: 'b', content: 'The gibbon swings.' },
      { captureIds: [first.toUpperCase(), first], action: 'discard' },
    ]);
    assert.deepEqual(column(results, 'state'), ['published', 'review', 'discarded']);
    const memories = await company.all.listMemories();
    assert.deepEqual(memories.map((memory) => memory.captureIds.toSorted()).toReversed(), [
      [first],
      [first, second].sort(),
    ]);
    assert.deepEqual((await traces(service, company)).captures, { completed: 2 });
  });
});

describe('POST /v1/memory/consolidation/complete', () => {
  test('names the first invalid field, changes nothing and keeps the batch open', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    await stageCapture(company);
    const [foreign] = (await claimAll(company)).captureIds;
    const before = await traces(service, company);
    const good: GivenItem = { captureIds, action: 'publish', ...OCELOT };
    const faults: [path: string, item: GivenItem][] = [
      ['/items/1/title', { ...good, title: undefined }],
      ['/items/1/content', { ...good, content: undefined }],
      ['/items/1/title', { ...good, action: 'review', title: undefined }],
      ['/items/1/content', { ...good, action: 'review', content: undefined }],
      ['/items/1/title', { ...good, title: ' ' }],
      ['/items/1/title', { ...good, title: 'x'.repeat(301) }],
      ['/items/1/content', { ...good, content: '\n' }],
      ['/items/1/content', { ...good, content: 'x'.repeat(64_001) }],
      ['/items/1/action', { ...good, action: 'delete' as 'discard' }],
      ['/items/1/state', { ...good, state: 'published' }],
      ['/items/1/metadata', { ...good, metadata: { long: 'x'.repeat(16 * 1024) } }],
      ['/items/1/captureIds', { ...good, captureIds: [] }],
      ['/items/1/captureIds', { ...good, captureIds: undefined }],
      ['/items/1/captureIds', { ...good, captureIds: [...captureIds, foreign!] }],
      ['/items/1/captureIds', { ...good, captureIds: [...captureIds, newId()] }],
      ['/items/1/captureIds', { ...good, captureIds: ['nonsense'] }],
      ['/items/1/captureIds', { captureIds: [foreign!], action: 'discard' }],
    ];
    for (const [path, item] of faults) {
      assertInvalid(await complete(company, batchId, [good, item]), path);
    }
    const many = Array.from({ length: 41 }, () => good);
    assert.deepEqual(faultyFields(await complete(company, batchId, many)), ['/items']);
    assert.deepEqual(await traces(service, company), before);
    await completed(company, batchId, [good]);
  });

  test('accepts 40 items and 8 MiB, and returns 413 for more bytes', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const items = Array.from({ length: 40 }, () => ({ captureIds, action: 'discard' }));
    const body = JSON.stringify({ batchId, items });
    const send = (bytes: number) => company.ask.completeCaptures(body.padEnd(bytes));
    assert.equal(outcome(await send(8 * 1024 * 1024 + 1)), '413 payload_too_large');
    const answer = await send(8 * 1024 * 1024);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.equal(answer.json<{ results: unknown[] }>().results.length, 40);
  });

  test('enqueues a new count of the terms of the Team only if an item is published', async () => {
    const company = await service.company();
    for (const [action, jobs] of [
      ['review', 0],
      ['publish', 1],
    ] as const) {
      const { batchId, captureIds } = await lend(company);
      await completed(company, batchId, [
        { captureIds, action, ...OCELOT },
        { captureIds, action: 'discard' },
      ]);
      assert.equal((await traces(service, company)).jobs, jobs);
    }
  });

  for (const [where, statement, nth] of [
    ['at its last item', /insert into memory\.memory_item/, 3],
    ['as its captures are completed', /update memory\.capture set/, 1],
    ['as the batch is completed', /update memory\.consolidation_batch set/, 1],
  ] as const) {
    test(`rolls back all items if the complete fails ${where}`, async (t) => {
      const company = await service.company();
      const { batchId, captureIds } = await lend(company, [null, null]);
      const before = await traces(service, company);
      const items: GivenItem[] = [
        { captureIds, action: 'publish', ...OCELOT, ...EMBEDDED },
        { captureIds, action: 'discard' },
        { captureIds, action: 'review', ...OCELOT },
        { captureIds, action: 'publish', title: 'b', content: 'The gibbon swings.' },
      ];
      let seen = 0;
      const app = await openFailingApp(t, service, (text) => {
        if (statement.test(text)) seen += 1;
        return seen === nth ? databaseError('58030') : null;
      });
      const answer = await complete(via({ app }, company), batchId, items, { 'idempotency-key': 'once' });
      assert.equal(outcome(answer), '500 internal_error');
      assert.equal(seen, nth);
      assert.deepEqual(await traces(service, company), before);
      assert.deepEqual(await foundByWords(company, 'ocelot'), []);
      const kept = await database.query('select from memory.idempotency_key where team_id = $1', [
        company.teamId,
      ]);
      assert.equal(kept.length, 0);
      await completed(company, batchId, items);
    });
  }

  test('rolls back all items if a later item returns 404', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const before = await traces(service, company);
    const answer = await complete(company, batchId, [
      { captureIds, action: 'publish', ...OCELOT },
      { captureIds, action: 'publish', ...OCELOT, supersedes: newId() },
    ]);
    assert.equal(outcome(answer), '404 not_found');
    assert.deepEqual(await traces(service, company), before);
  });
});
