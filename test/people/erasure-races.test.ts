import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { ErasedMember } from '../../shared/schemas/people.ts';
import type { IssuedToken } from '../../shared/schemas/tokens.ts';
import { createAgent } from '../support/agent-tokens.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import type { Method } from '../support/client/client.ts';
import { callerOf, via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { recordedBy } from '../support/company.ts';
import { addPasswordHolder, makeInvite, newEmail, PASSWORD } from '../support/invites.ts';
import { duringPause, openPausedApp, overlap } from '../support/paused-app.ts';
import { askSession, outcome, signInBy } from '../support/sign-in.ts';
import { addPerson, addTeam, type Caller } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;
const ROUNDS = 10;

type App = Pick<TestApp, 'app'>;
const erase = (by: Caller, userId: string) => (to: App) => via(to, by).ask.eraseCompanyMember(userId);
const send = (by: Caller, method: Method, url: string, body?: object) => (to: App) =>
  via(to, by).send(method, url, body);

async function scene() {
  const company = await service.company();
  const person = await addPasswordHolder(service, company, { teamRole: 'member' });
  return { company, person, erasure: erase(company, person.userId) };
}

/** Asserts that nothing of the person is left but the account, under the pseudonym. */
async function assertErased({ userId }: { userId: string }): Promise<void> {
  const [left] = await database.query<Record<string, unknown>>(
    `select a.name ~ '^Former member [0-9a-f]{6}$' as pseudonym, a.email, a.password_hash as password,
            (select count(*)::int from identity.session s where s.user_id = a.id) as sessions,
            (select count(*)::int from identity.agent_token t where t.user_id = a.id) as tokens,
            (select count(*)::int from identity.reset_link l where l.user_id = a.id) as links
       from identity.account a where a.id = $1`,
    [userId],
  );
  const nothing = { email: null, password: null, sessions: 0, tokens: 0, links: 0 };
  assert.deepEqual(left, { pseudonym: true, ...nothing });
}

type Scene = Awaited<ReturnType<typeof scene>>;
/** What the person does, with its success and its refusal after the erasure. */
const ACTS: Record<
  string,
  [request: (of: Scene) => (to: App) => ReturnType<typeof signInBy>, ok: string, refusal: string]
> = {
  login: [
    ({ person }) =>
      (to) =>
        signInBy(to, person.email, PASSWORD),
    '200',
    '401 invalid_credentials',
  ],
  'new agent token': [
    ({ person, company: { teamId } }) =>
      send(person, 'POST', '/v1/auth/tokens', { name: 'Late', teamId, permissions: ['memory:read'] }),
    '201',
    '401 unauthenticated',
  ],
  'change of the name': [
    ({ person }) => send(person, 'PATCH', '/v1/auth/account', { name: 'Zoë' }),
    '200',
    '401 unauthenticated',
  ],
};

describe('an erasure while the person acts', () => {
  for (const [act, [request, ok, refusal]] of Object.entries(ACTS)) {
    test(`nothing is left of a ${act} that came just before`, async (t) => {
      const of = await scene();
      const [acted, erased] = await overlap(t, service, 'into memory.audit_event', request(of), of.erasure);
      assert.deepEqual([outcome(acted), outcome(erased)], [ok, '200']);
      await assertErased(of.person);
      const token = acted.json<Partial<Session & IssuedToken>>().token ?? of.person.token;
      assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    });

    test(`a ${act} that was sent before and comes after is ${refusal}`, async (t) => {
      const of = await scene();
      const paused = act === 'login' ? { password: 'verify' as const } : { transaction: 2 };
      const answer = await duringPause(await openPausedApp(t, service, paused), request(of), () =>
        of.erasure(service),
      );
      assert.match(outcome(answer), new RegExp(`^(${refusal}|401 invalid_credentials)$`));
      await assertErased(of.person);
    });
  }

  test('the invites to an email that the person took just before are deleted', async (t) => {
    const { company, person, erasure } = await scene();
    const email = newEmail();
    await makeInvite(service, company, { email });
    const change = send(person, 'PATCH', '/v1/auth/account', { email, password: PASSWORD });
    const answers = await overlap(t, service, 'into memory.audit_event', change, erasure);
    assert.deepEqual(answers.map(outcome), ['200', '200']);
    const left = await database.query('select from identity.invite where email = $1', [email]);
    assert.equal(left.length, 0);
  });

  test('what the person is writing is stored under the id of the account, or refused', async (t) => {
    const write = ({ person }: Scene) =>
      send(person, 'POST', '/v1/memory/ingest', { title: 'Tide', text: `The tide ${newId()}` });
    const before = await scene();
    const [written, erased] = await overlap(
      t,
      service,
      'into memory.audit_event',
      write(before),
      before.erasure,
    );
    assert.deepEqual([outcome(written), outcome(erased)], ['201', '200']);
    assert.equal(written.json<{ source: { createdBy: string } }>().source.createdBy, before.person.userId);
    await assertErased(before.person);

    const after = await scene();
    const late = await duringPause(await openPausedApp(t, service), write(after), () =>
      after.erasure(service),
    );
    assert.equal(outcome(late), '401 unauthenticated');
  });
});

describe('an erasure while others act', () => {
  test('no answer that is being stored for an Idempotency-Key keeps the name of a token of the person', async (t) => {
    const { company, person, erasure } = await scene();
    const name = `Laptop ${newId()}`;
    const agent = await createAgent(service, person, company, { name });
    const text = { title: 'Tide', text: `The tide ${newId()}` };
    assert.equal((await agent.ask.ingestSource(text)).statusCode, 201);
    const headers = { ...company.headers, 'idempotency-key': newId() };
    // The same text again: the answer is the source that the token has stored.
    const again = send(callerOf(service.app, headers), 'POST', '/v1/memory/ingest', text);
    const [answer, erased] = await overlap(t, service, 'into memory.idempotency_key', again, erasure);
    assert.deepEqual([outcome(answer), outcome(erased)], ['200', '200']);
    assert.ok(answer.body.includes(name), answer.body);
    const left = await database.query(
      'select from memory.idempotency_key where strpos(response::text, $1) > 0',
      [name],
    );
    assert.equal(left.length, 0);
    await assertErased(person);
  });

  for (const wasRemoved of [false, true]) {
    test(`an invite to ${wasRemoved ? 'an earlier member' : 'the person'} that came just before is deleted`, async (t) => {
      const { company, person, erasure } = await scene();
      if (wasRemoved) await send(company, 'DELETE', `/v1/company/members/${person.userId}`)(service);
      const headers = { ...company.headers, 'memory-team': await addTeam(service, company) };
      const body = { email: person.email, role: 'member' };
      const invite = send(callerOf(service.app, headers), 'POST', '/v1/team/invites', body);
      const answers = await overlap(t, service, 'into memory.audit_event', invite, erasure);
      assert.deepEqual(answers.map(outcome), ['201', '200']);
      const left = await database.query('select from identity.invite where email = $1', [person.email]);
      assert.equal(left.length, 0);
    });
  }
});

describe('two erasures at the same time', () => {
  test('both return the same, and one of them is recorded', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { company, person, erasure } = await scene();
      let answers: ErasedMember[] = [];
      const { events } = await recordedBy(service, company, async () => {
        answers = (await Promise.all([erasure(service), erasure(service)])).map((one) =>
          one.json<ErasedMember>(),
        );
      });
      assert.deepEqual(answers[0], answers[1]);
      assert.deepEqual(column(events, 'kind'), ['company.member_erase']);
      await assertErased(person);
    }
  });

  test('of two Owners who erase each other, one is left', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const company = await service.company();
      const other = await addPerson(service, company, { companyRole: 'owner' });
      const answers = await Promise.all([
        erase(company, other.userId)(service),
        erase(other, company.ownerId)(service),
      ]);
      assert.deepEqual(answers.map(outcome).toSorted(), ['200', '401 unauthenticated']);
    }
  });
});
