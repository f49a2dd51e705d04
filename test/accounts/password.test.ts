import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { addPasswordHolder, givePassword, type PasswordHolder } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { duringPause, openPausedApp } from '../support/paused-app.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';

const service = await openOwnTestApp();
const { database } = service;
const PASSWORD = 'a password of this test';
const NEW_PASSWORD = 'another password of this test';

function change(token: string, currentPassword: string, newPassword = NEW_PASSWORD, by = service.app) {
  return by.inject({
    method: 'POST',
    url: '/v1/auth/password',
    headers: { authorization: `Bearer ${token}` },
    payload: { currentPassword, newPassword },
  });
}

type Owner = PasswordHolder & { other: string };

/** An Owner of a Company with a password and two sessions: `token` and `other`. */
async function addOwner(company: SignedIn): Promise<Owner> {
  const ties = { companyRole: 'owner', teamRole: 'owner' } as const;
  const owner = await addPasswordHolder(service, company, ties, PASSWORD);
  return { ...owner, other: await service.signIn(company.companyId, owner.userId) };
}

/** Whether the old and the new password open a session. */
async function passwords(email: string): Promise<Record<'old' | 'new', string>> {
  return {
    old: outcome(await signInBy(service, email, PASSWORD)),
    new: outcome(await signInBy(service, email, NEW_PASSWORD)),
  };
}
const UNCHANGED = { old: '200', new: '401 invalid_credentials' };
const CHANGED = { old: '401 invalid_credentials', new: '200' };

describe('POST /v1/auth/password', () => {
  test('changes the password, ends other sessions and the reset link of the account, and nothing of others', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const mine = await makeResetLink(service, company, { email: person.email });
    const theirs = await makeResetLink(service, company);
    assert.equal(outcome(await change(person.token, PASSWORD)), '204');
    assert.deepEqual(await passwords(person.email), CHANGED);
    assert.equal(outcome(await askSession(service, person.token)), '200');
    assert.equal(outcome(await askSession(service, person.other)), '401 unauthenticated');
    assert.equal(outcome(await askSession(service, company.token)), '200');
    assert.equal(outcome(await useLink(service, mine.token, PASSWORD)), '410 token_revoked');
    assert.equal(outcome(await useLink(service, theirs.token, PASSWORD)), '200');
  });

  test('returns 401 for a wrong current password and changes nothing', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const link = await makeResetLink(service, company, { email: person.email });
    for (const wrong of [`${PASSWORD}!`, NEW_PASSWORD, 'x']) {
      assert.equal(outcome(await change(person.token, wrong)), '401 invalid_credentials');
    }
    assert.deepEqual(await passwords(person.email), UNCHANGED);
    for (const token of [person.token, person.other]) {
      assert.equal(outcome(await askSession(service, token)), '200');
    }
    assert.equal(outcome(await useLink(service, link.token, PASSWORD)), '200');
  });
});

describe('a password change during which the account changes', () => {
  const FIRST: Record<string, (company: SignedIn, owner: Owner) => Promise<string>> = {
    'another change of the password': async (_, { other }) => {
      assert.equal(outcome(await change(other, PASSWORD)), '204');
      return other;
    },
    'a reset': async (company, { email }) => {
      const { token } = await makeResetLink(service, company, { email });
      return (await useLink(service, token, NEW_PASSWORD)).json<Session>().token;
    },
  };
  for (const [what, first] of Object.entries(FIRST)) {
    test(`a change fails if ${what} came first, and keeps the password and session of that`, async (t) => {
      const company = await service.company();
      const person = await addOwner(company);
      let session = '';
      const late = await duringPause(
        await openPausedApp(t, service, { password: 'verify' }),
        ({ app }) => change(person.token, PASSWORD, 'a password that comes too late', app),
        async () => (session = await first(company, person)),
      );
      assert.equal(outcome(late), '401 invalid_credentials');
      assert.deepEqual(await passwords(person.email), CHANGED);
      assert.equal(outcome(await askSession(service, session)), '200');
      assert.equal(outcome(await askSession(service, person.token)), '401 unauthenticated');
    });
  }

  test('a change fails with 401 and changes nothing if the account was closed first', async (t) => {
    const person = await addOwner(await service.company());
    const hash = async () =>
      database.query('select password_hash from identity.account where id = $1', [person.userId]);
    const before = await hash();
    const late = await duringPause(
      await openPausedApp(t, service, { password: 'verify' }),
      ({ app }) => change(person.token, PASSWORD, NEW_PASSWORD, app),
      () => database.query('update identity.account set closed_at = now() where id = $1', [person.userId]),
    );
    assert.equal(outcome(late), '401 unauthenticated');
    assert.deepEqual(await hash(), before);
  });

  test('of ten concurrent changes with the same current password only one succeeds', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const tokens = await Promise.all(
      Array.from({ length: 10 }, () => service.signIn(company.companyId, person.userId)),
    );
    const answers = await Promise.all(
      tokens.map((token, index) => change(token, PASSWORD, `${NEW_PASSWORD} ${index}`)),
    );
    const winners = answers.flatMap(({ statusCode }, index) => (statusCode === 204 ? [index] : []));
    assert.equal(winners.length, 1, answers.map(({ statusCode }) => statusCode).join());
    for (const answer of answers) {
      // Refused before or after the session was ended by the winner.
      if (answer.statusCode !== 204) assert.equal(answer.statusCode, 401);
    }
    const [winner = -1] = winners;
    assert.equal(outcome(await signInBy(service, person.email, `${NEW_PASSWORD} ${winner}`)), '200');
    const alive = await Promise.all(
      tokens.map(async (token) => (await askSession(service, token)).statusCode),
    );
    assert.deepEqual(
      alive,
      tokens.map((_, index) => (index === winner ? 200 : 401)),
    );
  });
});

describe('POST /v1/auth/password with the service token', () => {
  test('changes the password of the server principal and ends all of its sessions', async () => {
    const [principal] = await database.query<{ companyId: string; userId: string; email: string }>(
      'select company_id as "companyId", id as "userId", email from identity.account where is_principal',
    );
    assert.ok(principal);
    assert.equal(outcome(await change(API_TOKEN, PASSWORD)), '401 invalid_credentials');
    await givePassword(service, principal.userId, PASSWORD);
    const session = await service.signIn(principal.companyId, principal.userId);
    assert.equal((await change(API_TOKEN, PASSWORD)).statusCode, 204);
    assert.equal(outcome(await askSession(service, session)), '401 unauthenticated');
    assert.equal(outcome(await askSession(service, API_TOKEN)), '200');
    assert.deepEqual(await passwords(principal.email), CHANGED);
  });
});
