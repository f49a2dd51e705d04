import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import { openTestApp } from '../support/app.ts';
import {
  addCaptures,
  captureStates,
  claimBatch,
  claimedIds,
  expireBatch,
  type LentBatch,
  sendClaim,
  stageCapture,
} from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { assertInvalid } from '../support/refusals.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, archiveTeam, readStatus } from '../support/team.ts';

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
    const answer = await sendClaim(company);
    const { batch } = answer.json<{ batch: { id: string; expiresAt: string; captures: object[] } }>();
    assert.deepEqual(Object.keys(batch), ['id', 'expiresAt', 'captures']);
    assert.match(batch.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const lent = staged.map((capture) => ({ ...capture, state: 'claimed' }));
    assert.deepEqual(batch.captures, lent.slice(0, 5));
    assert.deepEqual((await claimBatch(company))?.captures, lent.slice(5));
    assert.equal(await claimBatch(company), null);
  });

  test('claims as many captures as the limit, from 1 to 20, or fewer if fewer are staged', async () => {
    const company = await service.company();
    const staged = await addCaptures(service, company, 24);
    assert.deepEqual(await claimedIds(company, { limit: 1 }), staged.slice(0, 1));
    assert.deepEqual(await claimedIds(company, { limit: 20 }), staged.slice(1, 21));
    assert.deepEqual(await claimedIds(company, { limit: 20 }), staged.slice(21));
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
    const answer = await company.ask.claimCaptures();
    const { batch } = answer.json<{ batch: LentBatch | null }>();
    assert.deepEqual(column(batch?.captures ?? [], 'id'), staged.slice(0, 5));
  });

  test('claims only the captures of the requested client', async () => {
    const company = await service.company();
    const [first, second] = [await addClient(service, company), await addClient(service, company)];
    await stageCapture(company);
    const here = await stageCapture(company, { scope: { clientId: second } });
    const there = await stageCapture(company, { scope: { clientId: first } });
    assert.deepEqual(await claimedIds(company, { clientId: second.toUpperCase() }), [here.id]);
    assert.equal(await claimBatch(company, { clientId: second }), null);
    assert.deepEqual(await claimedIds(company, { clientId: first }), [there.id]);
    assert.deepEqual(await captureStates(service, company), { claimed: 2, staged: 1 });
  });

  test('ignores completed captures', async () => {
    const company = await service.company();
    const [id] = await addCaptures(service, company, 1);
    await database.query(
      `update memory.capture set state = 'completed', completed_at = now(), batch_id = $2 where id = $1`,
      [id, newId()],
    );
    assert.equal(await claimBatch(company), null);
  });

  test('records one event without the text of the captures, and none if nothing was claimed', async () => {
    const company = await service.company();
    const staged = [
      await stageCapture(company, { summary: 'ocelot', sessionId: 'sesame' }),
      await stageCapture(company, { summary: 'ocelot' }),
    ];
    let batchId: string | undefined;
    const { events, text } = await recordedBy(service, company, async () => {
      batchId = (await claimBatch(company))?.id;
      assert.equal(await claimBatch(company), null);
    });
    assert.deepEqual(events, [
      {
        kind: 'memory.claim',
        actorId: company.ownerId,
        teamId: company.teamId,
        subjectType: 'batch',
        subjectId: batchId,
        detail: { captureIds: staged.map(({ id }) => id) },
      },
    ]);
    assert.doesNotMatch(text, /ocelot|sesame/);
  });

  test('records one event for each layer, with the captures of that layer', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const staged = new Map<string | null, string[]>();
    for (const [layer, scope] of [
      [null, {}],
      [clientId, { clientId }],
      [null, {}],
    ] as const) {
      const { id } = await stageCapture(company, { scope });
      staged.set(layer, [...(staged.get(layer) ?? []), id]);
    }
    const batch = await claimBatch(company);
    assert.ok(batch);
    const events = await company.all.listTeamAudit({ kind: 'memory.claim' });
    assert.deepEqual(
      new Map(events.map((event) => [event.clientId, [event.layer, event.subjectId, event.detail]])),
      new Map([
        [null, ['team', batch.id, { captureIds: staged.get(null) }]],
        [clientId, ['client', batch.id, { captureIds: staged.get(clientId) }]],
      ]),
    );
    assert.equal(events.length, 2);
  });

  test('returns 400 for invalid fields and claims nothing', async () => {
    const company = await service.company();
    await addCaptures(service, company, 1);
    for (const [body, path] of [
      [{ limit: 0 }, '/limit'],
      [{ limit: 21 }, '/limit'],
      [{ limit: 1.5 }, '/limit'],
      [{ limit: '5' }, '/limit'],
      [{ limit: null }, '/limit'],
      [{ leaseSeconds: 29 }, '/leaseSeconds'],
      [{ leaseSeconds: 3601 }, '/leaseSeconds'],
      [{ leaseSeconds: 60.5 }, '/leaseSeconds'],
      [{ clientId: 7 }, '/clientId'],
      [{ clientId: newId(), captureIds: [] }, '/captureIds'],
      [{ scope: {} }, '/scope'],
    ] as const) {
      assertInvalid(await sendClaim(company, body), path);
    }
    assert.deepEqual(await captureStates(service, company), { staged: 1 });
  });

  test('returns 409 in an archived Team, after 400 and 403 are checked', async () => {
    const company = await service.company();
    await addCaptures(service, company, 1);
    await archiveTeam(service, company.teamId);
    assert.equal(outcome(await sendClaim(company)), '409 team_archived');
    assert.equal(outcome(await sendClaim(company, { clientId: newId() })), '403 scope_forbidden');
    assert.equal(outcome(await sendClaim(company, { limit: 0 })), '400 invalid_request');
    assert.deepEqual(await captureStates(service, company), { staged: 1 });
  });
});

describe('an expired lease', () => {
  test('an expired lease lets the next claim take its captures at once, in their old order', async () => {
    const company = await service.company();
    const staged = await addCaptures(service, company, 5);
    const first = await claimBatch(company, { limit: 2 });
    assert.ok(first);
    assert.deepEqual(await claimedIds(company, { limit: 1 }), [staged[2]]);
    await expireBatch(service, first.id);
    const second = await claimBatch(company, { limit: 3 });
    assert.ok(second);
    assert.notEqual(second.id, first.id);
    const lent = second.captures.map(({ id }) => id);
    assert.deepEqual(lent, [staged[0], staged[1], staged[3]]);
    for (const capture of second.captures) assert.equal(capture.state, 'claimed');
    assert.deepEqual(await lentSeconds(second.id), [900], 'a lease of its own');
    assert.deepEqual(await claimedIds(company), [staged[4]], 'what is lent stays lent');
    assert.equal(await claimBatch(company), null);
  });

  test('captures with an expired lease count as staged before a worker has run', async () => {
    const company = await service.company();
    await addCaptures(service, company, 3);
    const figures = async () => (await readStatus(company)).captures;
    const batch = await claimBatch(company, { limit: 2 });
    assert.ok(batch);
    assert.deepEqual(await figures(), { staged: 1, claimed: 2, completed: 0 });
    await expireBatch(service, batch.id);
    assert.deepEqual(await figures(), { staged: 3, claimed: 0, completed: 0 });
  });
});

describe('a claim that fails in the database', () => {
  for (const [when, statement] of [
    ['before the batch is inserted', /insert into memory\.consolidation_batch/],
    ['before the claim is recorded', /insert into memory\.audit_event/],
  ] as const) {
    test(`a claim that fails ${when} claims nothing and records no event`, async (t) => {
      const company = await service.company();
      const staged = await addCaptures(service, company, 3);
      let reached = false;
      const app = await openFailingApp(t, service, (text) => {
        if (!statement.test(text)) return null;
        reached = true;
        return databaseError('XX000');
      });
      await recordsNothing(service, company, async () => {
        assert.equal(outcome(await sendClaim(via({ app }, company))), '500 internal_error');
      });
      assert.ok(reached);
      assert.deepEqual(await captureStates(service, company), { staged: 3 });
      const batches = await database.query('select from memory.consolidation_batch where team_id = $1', [
        company.teamId,
      ]);
      assert.equal(batches.length, 0);
      assert.deepEqual(await claimedIds(company), staged);
    });
  }
});
