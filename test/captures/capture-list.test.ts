import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { claimBatch, expireBatch, stageCapture } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { claimAll, completed } from '../support/consolidation.ts';
import { decided } from '../support/memories.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();

const list = (caller: Caller, query = {}) => caller.all.listCaptures(query);
const idsOf = async (caller: Caller, query = {}) => column(await list(caller, query), 'id');
async function summaryOf(caller: Caller, id: string): Promise<string | null> {
  const capture = await caller.api.getCapture(id);
  // The list shows the same.
  assert.deepEqual(
    (await list(caller)).find((listed) => listed.id === id),
    capture,
  );
  return capture.summary;
}

describe('GET /v1/memory/captures', () => {
  test('filters by state and session; a capture whose lease has expired is staged', async () => {
    const company = await service.company();
    const first = await stageCapture(company, { sessionId: 'one' });
    const batch = await claimBatch(company);
    const second = await stageCapture(company, { sessionId: 'two' });
    assert.deepEqual(await idsOf(company, { state: 'claimed' }), [first.id]);
    assert.deepEqual(await idsOf(company, { state: 'staged' }), [second.id]);
    assert.deepEqual(await idsOf(company, { sessionId: 'one' }), [first.id]);
    assert.deepEqual(await idsOf(company, { sessionId: 'one', state: 'staged' }), []);
    await expireBatch(service, batch?.id ?? '');
    assert.deepEqual(await idsOf(company, { state: 'staged' }), [second.id, first.id]);
    assert.deepEqual(await idsOf(company, { state: 'completed' }), []);
  });
});

describe('the summary of a listed capture', () => {
  test('is returned to its sender always, and with Full access while a memory refers to it', async () => {
    const company = await service.company();
    const anna = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await stageCapture(anna, { summary: 'Learned the port.' });
    const shown = async () => {
      assert.equal(await summaryOf(anna, id), 'Learned the port.');
      return (await summaryOf(company, id)) !== null;
    };
    assert.equal(await shown(), false);
    const { batchId, captureIds } = await claimAll(company);
    assert.equal(await shown(), false);
    const item = { captureIds, action: 'review', title: 'A memory', content: 'A fact.' } as const;
    const [result] = await completed(company, batchId, [item]);
    const memoryId = result?.memoryId ?? '';
    assert.equal(await shown(), true);
    for (const [action, expected] of [
      ['discard', false],
      ['reopen', true],
      ['publish', true],
      ['delete', false],
    ] as const) {
      await decided(company, { action, memoryId });
      assert.equal(await shown(), expected, action);
    }
  });

  test('is returned for a memory of another layer only while the caller can read that layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const anna = await addPerson(service, company, { teamRole: 'member' });
    const { id } = await stageCapture(anna, { summary: 'Learned the port.' });
    const { batchId, captureIds } = await claimAll(company);
    await completed(company, batchId, [
      { captureIds, action: 'publish', title: 'A memory', content: 'A fact.', scope: { clientId } },
    ]);
    assert.equal(await summaryOf(company, id), 'Learned the port.');
    await service.database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    assert.equal(await summaryOf(company, id), null);
  });
});

describe('the memories of a listed capture', () => {
  test('are those that the caller can read: published ones, and with Full access the others too', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const anna = await addPerson(service, company, { teamRole: 'member' });
    await stageCapture(anna);
    const { batchId, captureIds } = await claimAll(company);
    const item = { captureIds, action: 'publish', title: 'A memory', content: 'A fact.' } as const;
    const results = await completed(company, batchId, [
      item,
      { ...item, scope: { clientId } },
      { ...item, action: 'review' },
    ]);
    const [published, ofClient, inReview] = column(results, 'memoryId');
    const named = async (caller: Caller) => (await list(caller)).map(({ memoryIds }) => memoryIds);
    assert.deepEqual(await named(anna), [[published]]);
    assert.deepEqual((await named(company))[0]?.toSorted(), [published, ofClient, inReview].toSorted());
    await decided(company, { action: 'delete', memoryId: published });
    assert.deepEqual(await named(anna), [undefined]);
    assert.equal((await named(company))[0]?.length, 3);
  });
});
