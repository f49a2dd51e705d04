import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import {
  addPasswordHolder,
  countGiven,
  expireInvite,
  join,
  makeInvite,
  newEmail,
  type PasswordHolder,
} from '../support/invites.ts';
import { duringPause, openPausedApp, overlap } from '../support/paused-app.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import { addTeam, archiveTeam } from '../support/team.ts';

const service = await openTestApp();
const { app, database } = service;
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

describe('a login during which the password or the account changes', () => {
  /** Makes the change, and returns the token of the session that is left. */
  type Change = (company: SignedIn, owner: PasswordHolder) => Promise<string | null>;
  const byReset: Change = async (company, { email }) => (await reset(company, email)).token;
  const byOwner: Change = async (_, { token }) => {
    await changePassword(token);
    return token;
  };
  const closed: Change = async (_, { userId }) => {
    await close(userId);
    return null;
  };

  for (const [what, change] of [
    ['a reset changed the password', byReset],
    ['the password was changed', byOwner],
    ['the account was closed', closed],
  ] as const) {
    test(`a login returns 401 and creates no session if ${what} while it verified the password`, async (t) => {
      const company = await service.company();
      const owner = await addOwner(company);
      let left: string | null = null;
      const late = await duringPause(
        await openPausedApp(t, service, { password: 'verify' }),
        (to) => signInBy(to, owner.email, PASSWORD),
        async () => {
          left = await change(company, owner);
        },
      );
      assert.equal(outcome(late), '401 invalid_credentials');
      assert.equal(await sessionsOf(owner.userId), 1);
      if (left !== null) assert.equal(outcome(await askSession(service, left)), '200');
    });
  }

  for (const [what, change] of [
    ['a password reset', byReset],
    ['a password change', byOwner],
  ] as const) {
    test(`${what} waits for a login that is creating a session, and then ends that session`, async (t) => {
      const company = await service.company();
      const owner = await addOwner(company);
      const [login] = await overlap(
        t,
        service,
        'insert into identity.session',
        (to) => signInBy(to, owner.email, PASSWORD),
        () => change(company, owner),
      );
      assert.equal(outcome(login), '200');
      const { token } = login.json<Session>();
      assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    });
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
    const held = await openPausedApp(t, service, { password: 'hash' });
    const { email } = invite;
    const answer = await duringPause(
      held,
      (to) => join(to, { token, password: PASSWORD }),
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

  test('joining returns 401 for the old password when the account has just changed it', async (t) => {
    const company = await service.company();
    const email = newEmail();
    const { token: first } = await makeInvite(service, company, { email });
    const session = (await join(service, { token: first, password: PASSWORD })).json<Session>();
    const { token } = await makeInvite(service, company, { email, role: 'admin' });
    const before = await sessionsOf(session.user.id);
    const late = await duringPause(
      await openPausedApp(t, service, { password: 'verify' }),
      (to) => join(to, { token, password: PASSWORD }),
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
        await openPausedApp(t, service, { password: 'hash' }),
        (to) => useLink(to, token, PASSWORD),
        async () => happen(company, token),
      );
      assert.equal(outcome(late), refusal);
      assert.equal(outcome(await signInBy(service, company.ownerEmail, PASSWORD)), '401 invalid_credentials');
    });
  }
});
