import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../../shared/schemas/identity.ts';
import { hashToken } from '../../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { openFailingApp } from '../../support/failing-database.ts';
import { duringPause, type HeldApp, openHeldApp } from '../../support/held-app.ts';
import {
  addPasswordHolder,
  countGiven,
  expireInvite,
  join,
  makeInvite,
  newEmail,
} from '../../support/invites.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../../support/sign-in.ts';
import { addTeam, archiveTeam } from '../../support/team.ts';

const service = await openTestApp();
const { app, database } = service;
/** The embedded database has one connection, so no transaction can be open while another one runs. */
const skip = database.backend === 'pglite';
const PASSWORD = 'a password of this test';
const NEW_PASSWORD = 'another password of this test';

const addOwner = (company: SignedIn) =>
  addPasswordHolder(service, company, { companyRole: 'owner', teamRole: 'owner' }, PASSWORD);

/** Closes an account, as its removal from the Company does. */
const close = (userId: string) =>
  database.query('update identity.account set closed_at = now(), password_hash = null where id = $1', [
    userId,
  ]);

async function changePassword(token: string): Promise<void> {
  const answer = await app.inject({
    method: 'POST',
    url: '/v1/auth/password',
    headers: { authorization: `Bearer ${token}` },
    payload: { currentPassword: PASSWORD, newPassword: NEW_PASSWORD },
  });
  assert.equal(answer.statusCode, 204);
}

async function reset(company: SignedIn, email: string): Promise<Session> {
  const { token } = await makeResetLink(service, company, { email });
  const answer = await useLink(service, token, NEW_PASSWORD);
  assert.equal(outcome(answer), '200');
  return answer.json<Session>();
}

/** The number of sessions tells whether there are more than the known ones. */
async function sessionsOf(userId: string): Promise<number> {
  return (await database.query('select from identity.session where user_id = $1', [userId])).length;
}

/** Pauses requests within a transaction, at the first statement that contains this text. */
async function pauseAt(t: { after(fn: () => unknown): void }, text: string): Promise<HeldApp> {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = await openFailingApp(t, service, async (statement) => {
    if (!statement.includes(text)) return null;
    reached.resolve();
    await released.promise;
    return null;
  });
  return { app: held, reached: reached.promise, release: released.resolve };
}

describe('a login that races a change of the password', () => {
  test('a login returns 401 when a reset changes the password during the login', async (t) => {
    const company = await service.company();
    const owner = await addOwner(company);
    const held = await openHeldApp(t, service, 'verify');
    let session: Session | undefined;
    const late = await duringPause(
      held,
      (by) => signInBy(by, owner.email, PASSWORD),
      async () => {
        session = await reset(company, owner.email);
      },
    );
    assert.equal(outcome(late), '401 invalid_credentials');
    assert.equal(await sessionsOf(owner.userId), 1);
    assert.equal(outcome(await askSession(service, session?.token ?? '')), '200');
  });

  test('a login returns 401 when the password is changed during the login', async (t) => {
    const owner = await addOwner(await service.company());
    const held = await openHeldApp(t, service, 'verify');
    const late = await duringPause(
      held,
      (by) => signInBy(by, owner.email, PASSWORD),
      () => changePassword(owner.token),
    );
    assert.equal(outcome(late), '401 invalid_credentials');
    assert.equal(await sessionsOf(owner.userId), 1);
  });

  test('a login returns 401 when the account is closed during the login', async (t) => {
    const owner = await addOwner(await service.company());
    const held = await openHeldApp(t, service, 'verify');
    const late = await duringPause(
      held,
      (by) => signInBy(by, owner.email, PASSWORD),
      () => close(owner.userId),
    );
    assert.equal(outcome(late), '401 invalid_credentials');
    assert.equal(await sessionsOf(owner.userId), 1);
  });

  for (const [name, change] of [
    ['a password reset', async (company: SignedIn, email: string) => void (await reset(company, email))],
    ['a password change', async (_company: SignedIn, _email: string, token: string) => changePassword(token)],
  ] as const) {
    test(`${name} waits for a login that is creating a session, and then ends that session`, {
      skip,
    }, async (t) => {
      const company = await service.company();
      const owner = await addOwner(company);
      const held = await pauseAt(t, 'insert into identity.session');
      const login = Promise.resolve(signInBy(held, owner.email, PASSWORD));
      await Promise.race([held.reached, login]);
      let isDone = false;
      const done = change(company, owner.email, owner.token).finally(() => {
        isDone = true;
      });
      // It either waits for the login or has already ended; in both cases the login continues.
      while (!isDone && !(await someoneWaitsFor('identity.account'))) continue;
      held.release();
      const answer = await login;
      await done;
      assert.equal(outcome(answer), '200');
      const { token } = answer.json<Session>();
      assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    });
  }

  /** Whether a statement on this table waits for a lock in this database. */
  async function someoneWaitsFor(table: string): Promise<boolean> {
    const rows = await database.query(
      `select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and strpos(query, $1) > 0
          and pid <> pg_backend_pid()`,
      [table],
    );
    return rows.length > 0;
  }
});

describe('joining while the invite or the account changes', () => {
  /** Joins with a new email, runs `happen` while the password is hashed, and continues. */
  async function lateJoin(
    t: { after(fn: () => unknown): void },
    company: SignedIn,
    happen: (made: { token: string; email: string }) => Promise<unknown>,
  ) {
    const { token, invite } = await makeInvite(service, company);
    const held = await openHeldApp(t, service, 'hash');
    const { email } = invite;
    const answer = await duringPause(
      held,
      (by) => join(by, { token, password: PASSWORD }),
      () => happen({ token, email }),
    );
    return { answer, email, token };
  }

  for (const [name, refusal, happen] of [
    [
      'a newer invite to that email was made',
      '410 token_revoked',
      (company: SignedIn, { email }: { email: string }) => makeInvite(service, company, { email }),
    ],
    [
      'it expired',
      '410 token_expired',
      (_: SignedIn, { token }: { token: string }) => expireInvite(service, token),
    ],
    ['the Team was archived', '409 team_archived', ({ teamId }: SignedIn) => archiveTeam(service, teamId)],
    [
      'the Team was deleted',
      '404 not_found',
      ({ teamId }: SignedIn) =>
        database.query('update identity.team set deleted_at = now() where id = $1', [teamId]),
    ],
  ] as const) {
    test(`joining returns ${refusal} and gives no access after ${name}`, async (t) => {
      const company = await service.company();
      const before = await countGiven(service, company);
      const { answer, email, token } = await lateJoin(t, company, (made) => happen(company, made));
      assert.equal(outcome(answer), refusal);
      const [row] = await database.query<{ unused: boolean }>(
        'select used_at is null as unused from identity.invite where token_hash = $1',
        [hashToken(token)],
      );
      assert.equal(row?.unused, true);
      const after = await countGiven(service, company);
      // There can be one more unused invite: the newer one.
      assert.deepEqual({ ...after, unused: 0 }, { ...before, unused: 0 });
      assert.equal(outcome(await signInBy(service, email, PASSWORD)), '401 invalid_credentials');
    });
  }

  test('joining returns 201 when an account with that email and password was just created', async (t) => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const { answer, email } = await lateJoin(t, company, async (made) => {
      const { token } = await makeInvite(service, company, { email: made.email, teamId });
      const first = await join(service, { token, name: 'The first', password: PASSWORD });
      assert.equal(outcome(first), '201');
    });
    assert.equal(outcome(answer), '201');
    const session = answer.json<Session>();
    assert.deepEqual([session.user.email, session.user.name], [email, 'The first']);
    assert.equal(session.teams.length, 2);
  });

  test('joining returns 401 and keeps the invite open when the new account has another password', async (t) => {
    const company = await service.company();
    const teamId = await addTeam(service, company);
    const { answer, token } = await lateJoin(t, company, async ({ email }) => {
      const other = await makeInvite(service, company, { email, teamId });
      assert.equal(outcome(await join(service, { token: other.token, password: NEW_PASSWORD })), '201');
    });
    assert.equal(outcome(answer), '401 invalid_credentials');
    assert.equal(outcome(await join(service, { token, password: NEW_PASSWORD })), '201');
  });

  test('joining returns 410 token_used, and not 401, when the invite was just used elsewhere', {
    skip,
  }, async (t) => {
    const company = await service.company();
    const { token } = await makeInvite(service, company);
    const late = await duringPause(
      await pauseAt(t, 'from identity.find_sign_in'),
      (by) => join(by, { token, password: PASSWORD }),
      async () => assert.equal(outcome(await join(service, { token, password: NEW_PASSWORD })), '201'),
    );
    assert.equal(outcome(late), '410 token_used');
  });

  test('joining returns 401 for the old password when the account has just changed it', async (t) => {
    const company = await service.company();
    const email = newEmail();
    const { token: first } = await makeInvite(service, company, { email });
    const session = (await join(service, { token: first, password: PASSWORD })).json<Session>();
    const { token } = await makeInvite(service, company, { email, role: 'admin' });
    const before = await sessionsOf(session.user.id);
    const late = await duringPause(
      await openHeldApp(t, service, 'verify'),
      (by) => join(by, { token, password: PASSWORD }),
      () => changePassword(session.token),
    );
    assert.equal(outcome(late), '401 invalid_credentials');
    assert.equal(await sessionsOf(session.user.id), before);
    assert.equal(outcome(await join(service, { token, password: NEW_PASSWORD })), '201');
  });
});

describe('a password reset while the link or the account changes', () => {
  for (const [name, refusal, happen] of [
    ['a newer link was made', '410 token_revoked', (company: SignedIn) => makeResetLink(service, company)],
    [
      'the link was used by another request',
      '410 token_used',
      (_: SignedIn, token: string) => useLink(service, token, NEW_PASSWORD),
    ],
    ['the account was closed', '404 not_found', ({ ownerId }: SignedIn) => close(ownerId)],
  ] as const) {
    test(`a reset returns ${refusal} and does not set the password after ${name}`, async (t) => {
      const company = await service.company();
      const { token } = await makeResetLink(service, company);
      const late = await duringPause(
        await openHeldApp(t, service, 'hash'),
        (by) => useLink(by, token, PASSWORD),
        async () => happen(company, token),
      );
      assert.equal(outcome(late), refusal);
      assert.equal(outcome(await signInBy(service, company.ownerEmail, PASSWORD)), '401 invalid_credentials');
    });
  }
});
