import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { expireBatch } from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import {
  claimAll,
  complete,
  completed,
  type GivenItem,
  type Lent,
  lend,
  traces,
} from '../support/consolidation.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

/** The first transaction resolves the caller, the second completes the batch. */
const BEFORE_COMPLETE = { transaction: 2 };

const service = await openTestApp();
const { database } = service;

const items = ({ captureIds }: Lent, content = 'The ocelot sleeps by day.'): GivenItem[] => [
  { captureIds, action: 'publish', title: 'Ocelots', content },
];

describe('a batch whose lease expired', () => {
  test('returns 409 if another caller claims the captures while the complete waits', async (t) => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const lent = await lend(company);
    let theirs: Lent | undefined;
    const answer = await duringPause(
      await openPausedApp(t, service, BEFORE_COMPLETE),
      (held) => complete(via(held, company), lent.batchId, items(lent)),
      async () => {
        await expireBatch(service, lent.batchId);
        theirs = await claimAll(other);
      },
    );
    assert.equal(outcome(answer), '409 batch_expired');
    assert.ok(theirs);
    assert.deepEqual((await traces(service, company)).captures, { claimed: 1 });
    await completed(other, theirs.batchId, items(theirs));
    assert.equal((await traces(service, company)).memories, 1);
  });

  test('two callers never complete the same capture, even if the batch itself is not expired', async () => {
    const company = await service.company();
    const other = await addPerson(service, company, { teamRole: 'admin' });
    const lent = await lend(company);
    // The lease of the captures expires, but the batch still has its own.
    await database.query(`update memory.capture set leased_until = now() where batch_id = $1`, [
      lent.batchId,
    ]);
    const theirs = await claimAll(other);
    assert.deepEqual(theirs.captureIds, lent.captureIds);
    const before = await traces(service, company);
    const answer = await complete(company, lent.batchId, items(lent));
    assert.ok([403, 409].includes(answer.statusCode), answer.body);
    assert.deepEqual(await traces(service, company), before);
    await completed(company, lent.batchId, []);
    assert.deepEqual((await traces(service, company)).captures, { claimed: 1 });
    await completed(other, theirs.batchId, items(theirs));
    assert.equal((await traces(service, company)).memories, 1);
  });
});
