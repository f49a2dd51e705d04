import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { claimBatch, sendCapture, stageCapture } from '../../support/captures.ts';
import { column } from '../../support/columns.ts';
import { recordsNothing } from '../../support/company.ts';
import { claimAll, complete, completed, lend } from '../../support/consolidation.ts';
import { importNow } from '../../support/import-now.ts';
import { addMemories, addMemory, decide, decided, listMemories } from '../../support/memories.ts';
import { assertInvalid } from '../../support/refusals.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, listSources, readSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { searchDated } from './dated-sources.ts';

const service = await openTestApp();

/** What a request gives, and what answers show. */
const MOMENTS = [
  ['2024-02-29', '2024-02-29'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T23:30:00.1234-01:00', '2024-03-01T00:30:00.123Z'],
  ['0001-01-01', '0001-01-01'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  [null, null],
] as const;
const [DAY, TIME] = ['2019-05-06', '2021-09-10T11:12:13.140Z'];

describe('occurredAt', () => {
  test('is shown by a source, its list and its hits as it was given: a day as a day, a time in UTC', async () => {
    const company = await service.company();
    for (const [given, shown] of MOMENTS) {
      const { id, occurredAt } = await addSource(company, { occurredAt: given });
      assert.equal(occurredAt, shown);
      const read = await readSource(company, id);
      const [listed] = await listSources(company, '?limit=1');
      const [hit] = await searchDated(company, { query: 'text', sourceIds: [id] });
      assert.deepEqual(
        [read.occurredAt, read.chunks[0]?.occurred_at, listed?.occurredAt, hit?.occurred_at],
        [shown, shown, shown, shown],
      );
    }
    assert.equal((await addSource(company)).occurredAt, null);
  });

  test('is shown by an import, a capture and its claim, and by a memory in every state', async () => {
    const company = await service.company();
    // It counts more than the date of the document.
    const text = 'Subject: The pump\nDate: Wed, 31 Jan 2024 10:20:00 +0000\n\nIt leaks.';
    const imported = await importNow(service, company, { filename: 'a.eml', text, occurredAt: TIME });
    assert.equal(imported.occurredAt, TIME);
    assert.equal((await readSource(company, imported.sourceId!)).occurredAt, TIME);

    const capture = await stageCapture(company, { occurredAt: DAY });
    assert.equal(capture.occurredAt, DAY);
    assert.equal((await stageCapture(company)).occurredAt, null);
    const batch = await claimBatch(company);
    assert.deepEqual(
      batch?.captures.map(({ occurredAt }) => occurredAt),
      [DAY, null],
    );

    for (const state of ['review', 'published'] as const) {
      const memories = await addMemories(company, state, [{ occurredAt: TIME }, { occurredAt: DAY }]);
      assert.deepEqual(column(memories, 'occurredAt'), [TIME, DAY]);
    }
    await stageCapture(company, { occurredAt: DAY });
    const { batchId, captureIds } = await claimAll(company);
    await completed(company, batchId, [{ captureIds, action: 'publish', title: 'A', content: 'B' }]);
    const [ofCapture, ...listed] = await listMemories(company, '?state=published');
    assert.equal(ofCapture?.occurredAt, null, 'it is not taken from a capture');
    const source = await readSource(company, listed[0]!.sourceId!);
    assert.deepEqual([listed[0]?.occurredAt, source.occurredAt], [DAY, DAY]);
  });

  test('is changed by PATCH of a source', async () => {
    const company = await service.company();
    const { id } = await addSource(company, { occurredAt: DAY });
    for (const occurredAt of [TIME, null]) {
      await company.api.changeSource(id, { occurredAt });
      assert.equal((await readSource(company, id)).occurredAt, occurredAt);
      await recordsNothing(service, company, () => company.api.changeSource(id, { occurredAt }));
    }
  });

  test('of a memory is changed by its update, and of its source not by itself', async () => {
    const company = await service.company();
    const memory = await addMemory(company, 'published', { occurredAt: DAY });
    assert.equal(
      outcome(await company.ask.changeSource(memory.sourceId!, { occurredAt: TIME })),
      '409 conflict',
    );
    for (const change of [{ occurredAt: TIME }, { title: 'Other' }]) {
      const updated = await decided(company, { action: 'update', memoryId: memory.id, ...change });
      assert.equal(updated.occurredAt, TIME);
    }
    assert.equal((await readSource(company, memory.sourceId!)).occurredAt, TIME);
    const cleared = { action: 'update', memoryId: memory.id, content: 'A new text.', occurredAt: null };
    assert.equal((await decided(company, cleared)).occurredAt, null);
    assert.equal((await readSource(company, memory.sourceId!)).occurredAt, null);
    const refused = await decide(company, { ...cleared, action: 'discard', content: undefined });
    assertInvalid(refused, '/occurredAt');
  });

  test('stays when a memory is unpublished, published, moved, deleted and restored', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id: memoryId, version } = await addMemory(company, 'published', { occurredAt: DAY });
    for (const decision of [
      { action: 'unpublish' },
      { action: 'publish' },
      { action: 'move', clientId },
      { action: 'delete' },
      { action: 'restore', version },
    ]) {
      const memory = await decided(company, { memoryId, ...decision });
      assert.equal(memory.occurredAt, DAY, decision.action);
      const source = await readSource(company, memory.sourceId!);
      assert.equal(source.occurredAt, DAY, decision.action);
    }
  });
});

test('a day that does not exist is 400 that says what to do on every route, and nothing is stored', async () => {
  const company = await service.company();
  const { id } = await addSource(company);
  const { id: memoryId } = await addMemory(company, 'published', {});
  const { batchId, captureIds } = await lend(company);
  const occurredAt = '2024-02-30';
  const item = { captureIds, action: 'publish' as const, title: 'A', content: 'B', occurredAt };
  await recordsNothing(service, company, async () => {
    for (const [answer, field] of [
      [await company.ask.ingestSource({ title: 'A', text: 'B', occurredAt }), '/occurredAt'],
      [
        await company.ask.importFiles({ items: [{ filename: 'a.txt', text: 'A', occurredAt }] }),
        '/items/0/occurredAt',
      ],
      [await sendCapture(company, { occurredAt }), '/occurredAt'],
      [await complete(company, batchId, [item]), '/items/0/occurredAt'],
      [await company.ask.changeSource(id, { occurredAt }), '/occurredAt'],
      [await decide(company, { action: 'update', memoryId, occurredAt }), '/occurredAt'],
      [await company.ask.listSources({ occurredAfter: occurredAt }), '/occurredAfter'],
      [
        await company.ask.searchMemory({ query: 'x', embeddingMode: 'keyword', occurredBefore: occurredAt }),
        '/occurredBefore',
      ],
    ] as const) {
      assertInvalid(answer, field);
      assert.match(answer.json<{ detail: string }>().detail, /must be a day such as/);
    }
  });
});

test('a day in expiresAt counts to its last moment in UTC', async () => {
  const company = await service.company();
  const end = (day: string) => `${day}T23:59:59.999Z`;
  const { id, expiresAt } = await addSource(company, { expiresAt: '2998-03-01' });
  assert.equal(expiresAt, end('2998-03-01'));
  assert.equal(
    (await company.api.changeSource(id, { expiresAt: '2999-03-01' })).expiresAt,
    end('2999-03-01'),
  );
  const items = [{ filename: 'a.txt', text: 'A file.', expiresAt: '2998-03-01' }];
  const [accepted] = (await company.api.importFiles({ items })).imports;
  assert.equal(accepted?.expiresAt, end('2998-03-01'));
  const memory = await addMemory(company, 'published', { expiresAt: '2998-03-01' });
  assert.equal(memory.expiresAt, end('2998-03-01'));
  const renewed = { action: 'renew', memoryId: memory.id, expiresAt: '2999-03-01' };
  assert.equal((await decided(company, renewed)).expiresAt, end('2999-03-01'));
  // Today has not ended yet.
  const today = new Date().toISOString().slice(0, 10);
  assert.equal((await addSource(company, { expiresAt: today })).expiresAt, end(today));
});
