import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { captureStates, expireBatch } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { recordedBy } from '../support/company.ts';
import {
  claimAll,
  complete,
  completed,
  type Lent,
  lend,
  release,
  released,
  traces,
} from '../support/consolidation.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

const service = await openTestApp();

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
