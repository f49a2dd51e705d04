import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { addCaptures, captureStates, claimedIds, expireBatch } from '../support/captures.ts';
import { recordsNothing } from '../support/company.ts';
import {
  claimAll,
  complete,
  completed,
  lend,
  openBatches,
  release,
  released,
  traces,
} from '../support/consolidation.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

const service = await openTestApp();

describe('POST /v1/memory/consolidation/release', () => {
  test('returns the batch with its captures and the end of its lease, and stages the captures', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const [open] = await openBatches(company);
    const batch = await company.api.releaseBatch({ batchId: batchId.toUpperCase() });
    assert.deepEqual(batch, { ...open, captureIds, expiresAt: batch.expiresAt });
    assert.ok(Date.parse(batch.expiresAt) <= Date.now());
    assert.deepEqual(await captureStates(service, company), { staged: 2 });
  });

  test('the captures can be claimed by another caller at once, before captures that are newer', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId, captureIds } = await lend(company, [null, null]);
    const newer = await addCaptures(service, company, 2);
    await released(company, batchId);
    assert.deepEqual(await claimedIds(other, { limit: 3 }), [...captureIds, newer[0]]);
    assert.deepEqual(await claimedIds(company), newer.slice(1));
  });
});

describe('a release of a batch that is not open', () => {
  test('returns 409 after the lease has expired, and leaves the captures to the next claim', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId } = await lend(company);
    await expireBatch(service, batchId);
    await recordsNothing(service, company, async () => {
      assert.equal(outcome(await release(company, batchId)), '409 batch_expired');
    });
    await claimAll(other);
    assert.equal(outcome(await release(company, batchId)), '409 batch_expired');
    assert.deepEqual(await captureStates(service, company), { claimed: 1 });
  });

  test('a second release and a complete return 409 after a release, even if others hold the captures', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const { batchId, captureIds } = await lend(company);
    await released(company, batchId);
    const late = async () => [
      outcome(await release(company, batchId)),
      outcome(await complete(company, batchId, [{ captureIds, action: 'discard' }])),
      outcome(await complete(company, batchId, [])),
    ];
    const refused = Array(3).fill('409 batch_expired');
    await recordsNothing(service, company, async () => assert.deepEqual(await late(), refused));
    const theirs = await claimAll(other);
    assert.deepEqual(await late(), refused);
    assert.deepEqual(await captureStates(service, company), { claimed: 1 });
    await completed(other, theirs.batchId, [{ captureIds, action: 'discard' }]);
    assert.deepEqual(await late(), refused);
  });

  test('returns 409 conflict after a complete, also after the lease, and repeats the complete', async () => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company, [null, null]);
    const items = [{ captureIds: captureIds.slice(0, 1), action: 'discard' as const }];
    const results = await completed(company, batchId, items);
    const before = await traces(service, company);
    assert.equal(outcome(await release(company, batchId)), '409 conflict');
    await expireBatch(service, batchId);
    assert.equal(outcome(await release(company, batchId)), '409 conflict');
    assert.deepEqual(await completed(company, batchId, items), results);
    assert.deepEqual(await traces(service, company), before);
  });
});
