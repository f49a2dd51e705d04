import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../support/app.ts';
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
import { recordedBy } from '../support/company.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { openSecondApp } from '../support/second-app.ts';
import { outcome } from '../support/sign-in.ts';
import { addClient, addPerson, type Caller } from '../support/team.ts';

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

/** A Team with two clients, a member who writes both, and another who writes the first. */
async function cast() {
  const company = await service.company();
  const [first, second] = [await addClient(service, company), await addClient(service, company)];
  const member = await addPerson(service, company, {
    teamRole: 'member',
    clients: { [first]: 'write', [second]: 'write' },
  });
  const colleague = await addPerson(service, company, { teamRole: 'member', clients: { [first]: 'write' } });
  const stage = async (caller: Caller, clientId?: string) =>
    (await stageCapture(caller, clientId === undefined ? {} : { scope: { clientId } })).id;
  return { company, first, second, member, colleague, stage };
}

test('a caller with Full access claims any capture of the Team, including those of a removed member', async () => {
  const { company, first, second, member, colleague, stage } = await cast();
  const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
  const staged = [
    await stage(member),
    await stage(colleague, first),
    await stage(member, second),
    await stage(reader),
  ];
  await company.ask.removeTeamMember(member.userId);
  assert.deepEqual(await claimedIds(reader, { limit: 1 }), staged.slice(0, 1));
  const admin = await addPerson(service, company, { teamRole: 'admin' });
  assert.deepEqual(await claimedIds(admin, { limit: 2 }), staged.slice(1, 3));
  assert.deepEqual(await claimedIds(company), staged.slice(3));
});

test('a former Team Admin claims their own captures in layers that they can still write', async () => {
  const { company, first, second, stage } = await cast();
  const admin = await addPerson(service, company, { teamRole: 'admin', clients: { [first]: 'write' } });
  const staged = [await stage(admin, second), await stage(admin, first), await stage(admin)];
  await stage(company, first);
  await company.ask.changeTeamRole(admin.userId, { role: 'member' });
  assert.deepEqual(await claimedIds(admin), staged.slice(1));
});

test('captures of an archived client cannot be claimed, even after their lease expired', async () => {
  const { company, first, member, stage } = await cast();
  const staged = [await stage(member, first), await stage(company, first)];
  const batch = await claimBatch(member);
  assert.ok(batch);
  await expireBatch(service, batch.id);
  const setState = (state: 'active' | 'archived') =>
    state === 'archived' ? company.ask.archiveClient(first) : company.ask.changeClient(first, { state });
  await setState('archived');
  for (const caller of [company, member]) {
    assert.equal(await claimBatch(caller), null);
    assert.equal(outcome(await sendClaim(caller, { clientId: first })), '403 scope_forbidden');
  }
  await setState('active');
  assert.deepEqual(await claimedIds(member), staged.slice(0, 1));
  assert.deepEqual(await claimedIds(company, { clientId: first }), staged.slice(1));
});

const CLAIMERS = 20;

type Asked = Pick<TestApp, 'app'>;

/** Claims until there is nothing left to claim. */
async function claimUntilNone(app: Asked, caller: Caller, limit: number): Promise<LentBatch[]> {
  const batches: LentBatch[] = [];
  for (;;) {
    const batch = await claimBatch(via(app, caller), { limit });
    if (batch === null) return batches;
    batches.push(batch);
  }
}

const idsOf = (batches: readonly LentBatch[]): string[] =>
  batches.flatMap(({ captures }) => captures.map(({ id }) => id));

describe('claims at the same time', () => {
  test('each of 1,000 captures goes to one of 20 callers in two processes', async (t) => {
    const company = await service.company();
    const apps = [service, await openSecondApp(t, service)];
    const claimers: Caller[] = [company];
    while (claimers.length < CLAIMERS) {
      claimers.push(await addPerson(service, company, { teamRole: 'admin' }));
    }
    const lentBefore = await addCaptures(service, company, 5);
    const lapsed = await claimBatch(company);
    assert.ok(lapsed);
    await expireBatch(service, lapsed.id);
    const staged = [...lentBefore, ...(await addCaptures(service, company, 995))];

    let lent: LentBatch[][] = [];
    const { events } = await recordedBy(service, company, async () => {
      lent = await Promise.all(
        claimers.map((claimer, n) => claimUntilNone(apps[n % 2] as Asked, claimer, 1 + ((n * 7) % 20))),
      );
    });
    // Each capture is claimed once, and none is left.
    assert.deepEqual(idsOf(lent.flat()).sort(), staged);
    assert.deepEqual(await captureStates(service, company), { claimed: 1000 });
    for (const { captures } of lent.flat()) {
      const ids = captures.map(({ id }) => id);
      assert.deepEqual(ids, [...ids].sort(), 'oldest first within each batch');
    }

    // The batches and events in the database match the responses.
    const kept = await database.query<{ id: string; ids: string[] }>(
      `select batch_id as id, array_agg(id::text order by id) as ids
         from memory.capture where team_id = $1 group by batch_id order by batch_id`,
      [company.teamId],
    );
    const told = lent.flat().map(({ id, captures }) => ({ id, ids: captures.map((capture) => capture.id) }));
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    assert.deepEqual(told.sort(byId), kept);
    const recorded = events.map(({ subjectId, detail }) => ({ id: subjectId, ids: detail['captureIds'] }));
    assert.deepEqual(
      recorded.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1)),
      kept,
    );
  });

  test('the last capture goes to one of 20 callers', async (t) => {
    const company = await service.company();
    const second = await openSecondApp(t, service);
    const [last] = await addCaptures(service, company, 1);
    const race = () =>
      Promise.all(
        Array.from({ length: CLAIMERS }, (_, n) => claimedIds(via(n % 2 === 0 ? service : second, company))),
      );
    assert.deepEqual((await race()).flat(), [last]);
    // The same for a capture with an expired lease.
    await database.query(
      `update memory.capture set leased_until = now() - interval '1 second' where id = $1`,
      [last],
    );
    assert.deepEqual((await race()).flat(), [last]);
  });

  // The embedded database has one connection: there a claim never begins before another one has ended.
  const skip = databaseUrl === undefined;
  test('a claim skips the captures of an unfinished claim instead of waiting for it', { skip }, async (t) => {
    const company = await service.company();
    const staged = await addCaptures(service, company, 8);
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    t.after(() => released.resolve());
    const app = await openFailingApp(t, service, async (statement) => {
      if (!statement.includes('insert into memory.audit_event')) return null;
      reached.resolve();
      await released.promise;
      return databaseError('57P01');
    });
    const halfWay = Promise.resolve(sendClaim(via({ app }, company)));
    await Promise.race([reached.promise, halfWay]);
    assert.deepEqual(await claimedIds(company), staged.slice(5));
    assert.equal(await claimBatch(company), null);
    // The claim fails, and the next one gets its captures.
    released.resolve();
    assert.ok((await halfWay).statusCode >= 500);
    assert.deepEqual(await claimedIds(company), staged.slice(0, 5));
  });
});
