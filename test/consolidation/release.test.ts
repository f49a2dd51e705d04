import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import { openTestApp } from '../support/app.ts';
import { addCaptures, captureStates, claimBatch, claimedIds, expireBatch } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import {
  claimAll,
  complete,
  completed,
  type Lent,
  lend,
  openBatches,
  release,
  released,
  traces,
} from '../support/consolidation.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson } from '../support/team.ts';

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

/** A member who holds a batch with a capture of the Team layer and one of a client. */
async function lendOfBoth() {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const member = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  const { batchId, captureIds } = await lend(member, [null, clientId]);
  const [ofTeam = '', ofClient = ''] = captureIds;
  return { company, member, clientId, batchId, ofTeam, ofClient };
}

test('a release stages the captures of a client that the caller can no longer read, and does not name them', async () => {
  const { company, member, clientId, batchId, ofTeam, ofClient } = await lendOfBoth();
  await company.api.revokeClientGrant(member.userId, clientId);
  let batch: Batch | undefined;
  const { events } = await recordedBy(service, company, async () => {
    batch = await released(member, batchId);
  });
  assert.deepEqual(batch?.captureIds, [ofTeam]);
  assert.deepEqual(events.map(({ detail }) => detail).sort(), [
    { captureIds: [ofTeam] },
    { captureIds: [ofClient] },
  ]);
  assert.deepEqual(await claimedIds(company, { clientId }), [ofClient]);
  assert.deepEqual(await claimedIds(member), [ofTeam]);
});

test('a release stages the captures of an archived client, which nobody can claim until it is restored', async () => {
  const { company, member, clientId, batchId, ofTeam, ofClient } = await lendOfBoth();
  await company.api.archiveClient(clientId);
  assert.deepEqual((await released(member, batchId)).captureIds, [ofTeam]);
  assert.deepEqual(await claimedIds(company), [ofTeam]);
  assert.equal(await claimBatch(company), null);
  await company.api.changeClient(clientId, { state: 'active' });
  assert.deepEqual(await claimedIds(company), [ofClient]);
});

const ROUNDS = 12;

const TEXT = { title: 'Ocelots', content: 'The ocelot sleeps by day.' };

describe('a release and another request for the same batch', () => {
  test('exactly one of a release and a complete at the same time succeeds', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { batchId, captureIds } = await lend(company);
      const before = await traces(service, company);
      const items = [{ captureIds, action: 'publish' as const, ...TEXT }];
      const requests = [
        () => complete(via(second, company), batchId, items),
        () => release(company, batchId),
      ];
      if (round % 2 === 1) requests.reverse();
      const answers = (await Promise.all(requests.map((send) => send()))).map(outcome);
      if (round % 2 === 1) answers.reverse();
      const isCompleted = answers[0] === '200';
      assert.deepEqual(answers, isCompleted ? ['200', '409 conflict'] : ['409 batch_expired', '200']);
      const { memories, captures } = await traces(service, company);
      assert.equal(memories, before.memories + (isCompleted ? 1 : 0));
      assert.equal(captures['claimed'], undefined);
      assert.equal(captures['staged'], isCompleted ? undefined : 1);
      if (!isCompleted) await completed(company, (await claimAll(company)).batchId, items);
    }
  });

  test('one of several releases at the same time succeeds, and is recorded', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    const { batchId } = await lend(company);
    const { events } = await recordedBy(service, company, async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) => release(via(n % 2 === 0 ? service : second, company), batchId)),
      );
      assert.deepEqual(answers.map(outcome).sort(), ['200', ...Array(5).fill('409 batch_expired')]);
    });
    assert.equal(events.length, 1);
  });

  test('a complete returns 409 if the batch is released while it waits', async (t) => {
    const company = await service.company();
    const { batchId, captureIds } = await lend(company);
    const answer = await duringPause(
      // The second transaction completes the batch.
      await openPausedApp(t, service, { transaction: 2 }),
      (held) => complete(via(held, company), batchId, [{ captureIds, action: 'publish', ...TEXT }]),
      () => released(company, batchId),
    );
    assert.equal(outcome(answer), '409 batch_expired');
    assert.deepEqual(await captureStates(service, company), { staged: 1 });
    assert.equal((await traces(service, company)).memories, 0);
  });

  test('a release returns 409 if the batch is completed, or others claim its captures, while it waits', async (t) => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const [first, second] = [await lend(company), await lend(company)];
    const whileItWaits = async ({ batchId }: Lent, act: () => Promise<unknown>) =>
      outcome(
        await duringPause(
          await openPausedApp(t, service),
          (held) => release(via(held, company), batchId),
          act,
        ),
      );
    const items = [{ captureIds: first.captureIds, action: 'discard' as const }];
    const conflict = await whileItWaits(first, () => completed(company, first.batchId, items));
    assert.equal(conflict, '409 conflict');
    const expired = await whileItWaits(second, async () => {
      await expireBatch(service, second.batchId);
      await claimAll(other);
    });
    assert.equal(expired, '409 batch_expired');
    assert.deepEqual(await captureStates(service, company), { claimed: 1, completed: 1 });
  });
});
