import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { addCaptures, claimBatch, stageCapture } from '../support/captures.ts';
import { column } from '../support/columns.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

/** The lease of a batch and of its captures in seconds, as stored. */
async function lentSeconds(batchId: string): Promise<number[]> {
  const rows = await database.query<{ seconds: number }>(
    `select distinct round(extract(epoch from until - since))::int as seconds from (
       select expires_at, created_at from memory.consolidation_batch where id = $1
       union all
       select c.leased_until, b.created_at from memory.consolidation_batch b
         join memory.capture c on c.batch_id = b.id where b.id = $1
     ) lent (until, since)`,
    [batchId],
  );
  return rows.map(({ seconds }) => seconds);
}

describe('POST /v1/memory/consolidation/claim', () => {
  test('claims five captures by default, oldest first, and returns them unchanged', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const staged = [];
    for (let n = 0; n < 7; n++) {
      const scope = n % 3 === 1 ? { clientId } : {};
      // The session and the sequence do not change the order.
      staged.push(await stageCapture(company, { sessionId: `s${9 - n}`, sequence: 50 - n, scope }));
    }
    const batch = await claimBatch(company);
    assert.ok(batch);
    assert.deepEqual(Object.keys(batch), ['id', 'expiresAt', 'captures']);
    assert.match(batch.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const lent = staged.map((capture) => ({ ...capture, state: 'claimed' }));
    assert.deepEqual(batch.captures, lent.slice(0, 5));
    assert.deepEqual((await claimBatch(company))?.captures, lent.slice(5));
    assert.equal(await claimBatch(company), null);
  });

  test('leases for the requested seconds, or for 15 minutes by default', async () => {
    const company = await service.company();
    await addCaptures(service, company, 15);
    for (const [leaseSeconds, seconds] of [
      [undefined, 900],
      [30, 30],
      [3600, 3600],
    ]) {
      const batch = await claimBatch(company, { leaseSeconds });
      assert.ok(batch);
      assert.deepEqual(await lentSeconds(batch.id), [seconds]);
      const [row] = await database.query<{ expiresAt: Date }>(
        'select expires_at as "expiresAt" from memory.consolidation_batch where id = $1',
        [batch.id],
      );
      assert.equal(row?.expiresAt.toISOString(), batch.expiresAt);
    }
  });

  test('uses the defaults if the request has no body', async () => {
    const company = await service.company();
    const staged = await addCaptures(service, company, 6);
    const { batch } = (await company.ask.claimCaptures()).json();
    assert.deepEqual(column(batch?.captures ?? [], 'id'), staged.slice(0, 5));
  });

  test('records one event for each layer, with the captures of that layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const ofClient = await stageCapture(company, { scope: { clientId } });
    const ofTeam = [await stageCapture(company), await stageCapture(company)];
    const batch = await claimBatch(company);
    const events = await company.all.listTeamAudit({ kind: 'memory.claim', subjectId: batch!.id });
    assert.deepEqual(
      new Map(events.map(({ clientId: of, detail }) => [of, detail['captureIds']])),
      new Map([
        [null, column(ofTeam, 'id')],
        [clientId, [ofClient.id]],
      ]),
    );
    assert.equal(events.length, 2);
  });
});

describe('an expired lease', () => {});
