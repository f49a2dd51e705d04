import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../db/driver/database.ts';
import { newId } from '../../../shared/ids.ts';
import {
  addCaptures,
  captureStates,
  claimBatch,
  claimedIds,
  expireBatch,
  stageCapture,
} from '../../support/captures.ts';
import { recordedBy } from '../../support/company.ts';
import { databaseError, failingDatabase } from '../../support/failing-database.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { addClient, archiveTeam } from '../../support/team.ts';
import { runJob } from './run-job.ts';

/** The job goes over the captures of all Teams, so these tests have a database of their own. */
const service = await openOwnTestApp();
const { database } = service;

const release = (on: Database = database) => runJob(service, 'captures.release', { on });

const lease = (ids: readonly string[]) =>
  database.query(
    `select state, batch_id as batch, leased_until as until from memory.capture
      where id = any ($1::uuid[]) order by id`,
    [ids],
  );

describe('the job captures.release', () => {
  test('stages captures with an expired lease again, and no others', async () => {
    const company = await service.company();
    const lapsed = await addCaptures(service, company, 3);
    const live = await addCaptures(service, company, 2);
    const completed = await addCaptures(service, company, 1);
    const batch = await claimBatch(company, { limit: 3 });
    assert.deepEqual(await claimedIds(company, { limit: 2, leaseSeconds: 30 }), live);
    await database.query(
      `update memory.capture set state = 'completed', completed_at = now(), batch_id = $2 where id = $1`,
      [completed[0], batch!.id],
    );
    await expireBatch(service, batch!.id);
    const untouched = await lease([...live, ...completed]);
    const { events } = await recordedBy(service, company, async () => {
      assert.deepEqual((await release()).completed, ['captures.release']);
    });
    assert.deepEqual(events, []);
    for (const row of await lease(lapsed)) {
      assert.deepEqual(row, { state: 'staged', batch: null, until: null });
    }
    assert.deepEqual(await lease([...live, ...completed]), untouched);
    assert.deepEqual(await claimedIds(company), lapsed, 'in their old place');
  });

  test('stages any number of captures of every Team, also of archived ones, and continues after a failure', async () => {
    const [first, second] = [await service.company(), await service.company()];
    await addCaptures(service, first, 1100, newId());
    const clientId = await addClient(service, second);
    await stageCapture(second, { scope: { clientId } });
    await expireBatch(service, (await claimBatch(second))!.id);
    await database.query(`update identity.client set state = 'archived' where id = $1`, [clientId]);
    await archiveTeam(service, second.teamId);
    let slices = 0;
    const failing = failingDatabase(database, (statement) => {
      if (!statement.includes('release_captures')) return null;
      slices += 1;
      return slices === 2 ? databaseError('57P01') : null;
    });
    const failed = await release(failing);
    assert.ok(failed.error);
    assert.deepEqual(failed.completed, []);
    const states = [await captureStates(service, first), await captureStates(service, second)];
    const count = (state: string) => states.reduce((sum, each) => sum + (each[state] ?? 0), 0);
    assert.ok(count('staged') > 0 && count('claimed') > 0, 'what it staged is kept');
    assert.deepEqual((await release()).completed, ['captures.release']);
    assert.deepEqual(await captureStates(service, first), { staged: 1100 });
    assert.deepEqual(await captureStates(service, second), { staged: 1 });
  });

  test('loses and duplicates no capture while claims run beside it', async () => {
    const company = await service.company();
    const ids = await addCaptures(service, company, 600, newId());
    const all: string[] = [];
    const claim = async () => {
      for (let n = 0; n < 5; n++) all.push(...(await claimedIds(company, { limit: 10 })));
    };
    await Promise.all([...Array.from({ length: 8 }, claim), release(), release(), release()]);
    await release();
    // A claim passes over what the worker is at, so some are left.
    for (let next = await claimedIds(company); next.length > 0; ) {
      all.push(...next);
      next = await claimedIds(company, { limit: 20 });
    }
    assert.deepEqual(all.sort(), ids);
  });
});
