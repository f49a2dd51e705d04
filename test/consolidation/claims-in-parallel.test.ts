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
} from '../support/captures.ts';
import { via } from '../support/client/client.ts';
import { recordedBy } from '../support/company.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { openSecondApp } from '../support/second-app.ts';
import { addPerson, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const CLAIMERS = 20;

type Asked = Pick<TestApp, 'app'>;

/** Claims until there is nothing left to claim. */
async function claimAll(app: Asked, caller: Caller, limit: number): Promise<LentBatch[]> {
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
        claimers.map((claimer, n) => claimAll(apps[n % 2] as Asked, claimer, 1 + ((n * 7) % 20))),
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
