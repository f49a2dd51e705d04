import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { QUEUES } from '../../../shared/queues.ts';
import { HANDLERS } from '../../../worker/registry.ts';
import {
  addCaptures,
  captureStates,
  claimBatch,
  claimedIds,
  expireBatch,
  sendCapture,
  stageCapture,
} from '../../support/captures.ts';
import { recordedBy } from '../../support/company.ts';
import { databaseError, failingDatabase } from '../../support/failing-database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { addClient, archiveTeam } from '../../support/team.ts';

/** The job goes over the captures of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

/** Does the job by the worker's own handler; the queue notes what was completed. */
async function release(on = database): Promise<string[]> {
  const completed: string[] = [];
  const context = {
    database: on,
    queue: { complete: async (_tx: unknown, name: string) => void completed.push(name) },
  };
  await HANDLERS['captures.release']({ id: newId(), data: {} } as never, context as never);
  return completed;
}

async function lease(ids: readonly string[]): Promise<object[]> {
  return database.query(
    `select state, batch_id as batch, leased_until as until from memory.capture
      where id = any ($1::uuid[]) order by id`,
    [ids],
  );
}

describe('the job captures.release', () => {
  test('stages captures with an expired lease again, and no others', async () => {
    const company = await service.company();
    const [lapsed, live, completed] = [
      await addCaptures(service, company, 3),
      await addCaptures(service, company, 2),
      await addCaptures(service, company, 1),
    ];
    const batch = await claimBatch(company, { limit: 3 });
    assert.ok(batch);
    assert.deepEqual(await claimedIds(company, { limit: 2, leaseSeconds: 30 }), live);
    await database.query(
      `update memory.capture set state = 'completed', completed_at = now(), batch_id = $2 where id = $1`,
      [completed[0], batch.id],
    );
    await expireBatch(service, batch.id);
    const untouched = await lease([...live, ...completed]);
    const { events } = await recordedBy(service, company, async () => {
      assert.deepEqual(await release(), ['captures.release'], 'done when it says so');
    });
    assert.deepEqual(
      await lease(lapsed),
      lapsed.map(() => ({ state: 'staged', batch: null, until: null })),
    );
    assert.deepEqual(await lease([...live, ...completed]), untouched);
    assert.deepEqual(events, []);
    assert.deepEqual(await claimedIds(company), lapsed, 'in their old place');
  });

  test('stages any number of captures of every Team, including archived Teams and clients', async () => {
    const [first, second] = [await service.company(), await service.company()];
    await addCaptures(service, first, 1100, newId());
    const clientId = await addClient(service, second);
    await stageCapture(second, { scope: { clientId } });
    const batch = await claimBatch(second);
    assert.ok(batch);
    await expireBatch(service, batch.id);
    await database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    await archiveTeam(service, second.teamId);
    await release();
    assert.deepEqual(await captureStates(service, first), { staged: 1100 });
    assert.deepEqual(await captureStates(service, second), { staged: 1 });
  });

  test('keeps what it staged when it fails half-way, is not completed, and the next run continues', async () => {
    const company = await service.company();
    await addCaptures(service, company, 700, newId());
    let slices = 0;
    const failing = failingDatabase(database, (statement) => {
      if (!statement.includes('release_captures')) return null;
      slices += 1;
      return slices === 2 ? databaseError('57P01') : null;
    });
    await assert.rejects(release(failing));
    const { staged = 0, claimed = 0 } = await captureStates(service, company);
    assert.ok(staged > 0 && claimed > 0 && staged + claimed === 700, `${staged} and ${claimed}`);
    assert.deepEqual(await release(), ['captures.release']);
    assert.deepEqual(await captureStates(service, company), { staged: 700 });
  });

  test('runs every minute', () => {
    assert.equal(QUEUES['captures.release'].schedule, '* * * * *');
  });

  test('loses and duplicates no capture while claims run beside it', async () => {
    const company = await service.company();
    const ids = await addCaptures(service, company, 600, newId());
    const claim = async () => {
      const lent: string[] = [];
      for (let n = 0; n < 5; n++) lent.push(...(await claimedIds(company, { limit: 10 })));
      return lent;
    };
    const lent = await Promise.all([
      ...Array.from({ length: 8 }, claim),
      ...Array.from({ length: 3 }, async () => {
        await release();
        return [];
      }),
    ]);
    await release();
    // A claim passes over what the worker is at, so some are left.
    const all = lent.flat();
    for (let next = await claimedIds(company); next.length > 0; ) {
      all.push(...next);
      next = await claimedIds(company, { limit: 20 });
    }
    assert.deepEqual(all.sort(), ids);
  });
});

describe('captures whose claimer never returns', () => {
  test('are staged, reported as staged, claimed by another caller and made a memory', async () => {
    const company = await service.company();
    const block = { sessionId: 's', sequence: 1 };
    const capture = await stageCapture(company, block);
    const lost = await claimBatch(company);
    assert.ok(lost);
    await expireBatch(service, lost.id);
    await release();
    const again = await sendCapture(company, block);
    assert.deepEqual(again.json(), { capture, redactions: [] });
    const batch = await claimBatch(company);
    assert.deepEqual(batch?.captures, [{ ...capture, state: 'claimed' }]);
    const complete = (batchId: string | undefined) =>
      company.ask.completeCaptures({
        batchId,
        items: [{ captureIds: [capture.id], action: 'publish', title: 'x', content: 'Kept after all.' }],
      });
    // The first claimer comes back after all, and changes nothing in the batch of the other.
    assert.equal((await complete(lost.id)).json<{ code?: string }>().code, 'batch_expired');
    assert.equal((await complete(batch?.id)).statusCode, 200);
    assert.deepEqual(await captureStates(service, company), { completed: 1 });
  });
});
