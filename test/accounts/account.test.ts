import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { logout } from '../../core/accounts/sign-in.ts';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { companyScope } from '../../shared/scope.ts';
import { hashToken } from '../../shared/tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { addPasswordHolder, newEmail, PASSWORD, type PasswordHolder } from '../support/invites.ts';
import { assertInvalid } from '../support/refusals.ts';
import { addAccount, askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';
import type { Caller } from '../support/team.ts';

const service = await openTestApp();

const change = (caller: Caller, body: object) => caller.ask.changeAccount(body);

async function addOwner(company: SignedIn): Promise<PasswordHolder> {
  return addPasswordHolder(service, company, { companyRole: 'owner', teamRole: 'owner' });
}

const shownUser = async (token: string) => (await askSession(service, token)).json<Session>().user;

describe('PATCH /v1/auth/account', () => {
  test('changes the name without the password, and ends no session', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const other = await service.signIn(company.companyId, person.userId);
    const account = { id: person.userId, name: 'Ada King', email: person.email };
    assert.deepEqual(await person.api.changeAccount({ name: 'Ada King' }), account);
    await recordsNothing(service, company, () => person.api.changeAccount({ name: 'Ada King' }));
    for (const token of [person.token, other]) assert.equal((await shownUser(token)).name, 'Ada King');
  });

  test('changes the email with the password, and ends other sessions and reset links', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const other = await service.signIn(company.companyId, person.userId);
    const link = await makeResetLink(service, company, { email: person.email });
    const email = newEmail();
    const answer = await change(person, { email: ` ${email.toUpperCase()} `, password: PASSWORD });
    assert.deepEqual([answer.statusCode, answer.json<{ email: string }>().email], [200, email]);
    assert.equal((await shownUser(person.token)).email, email);
    assert.equal(outcome(await askSession(service, other)), '401 unauthenticated');
    assert.equal(outcome(await useLink(service, link.token, PASSWORD)), '410 token_revoked');
    assert.equal(outcome(await signInBy(service, email, PASSWORD)), '200');
    assert.equal(outcome(await signInBy(service, person.email, PASSWORD)), '401 invalid_credentials');
  });

  test('keeps every session if the email stays the same', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const other = await service.signIn(company.companyId, person.userId);
    await recordsNothing(service, company, async () => {
      assert.equal((await change(person, { email: person.email, password: PASSWORD })).statusCode, 200);
    });
    assert.equal(outcome(await askSession(service, other)), '200');
  });

  test('refuses an email of another account of the Company, and changes nothing', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const colleague = await addOwner(company);
    await recordsNothing(service, company, async () => {
      const body = { name: 'Ada King', email: colleague.email, password: PASSWORD };
      assert.equal(outcome(await change(person, body)), '409 conflict');
    });
    assert.equal((await shownUser(person.token)).email, person.email);
  });

  test('accepts an email of an account of another Company, like one of no account', async () => {
    const company = await service.company();
    const person = await addOwner(company);
    const stranger = await addOwner(await service.company());
    const answers = [];
    for (const email of [newEmail(), stranger.email]) {
      const answer = await change(person, { email, password: PASSWORD });
      answers.push(answer.body.replace(email, ''));
      assert.equal((await shownUser(person.token)).email, email);
    }
    assert.equal(answers[0], answers[1]);
    assert.equal((await shownUser(stranger.token)).email, stranger.email);
  });

  test('gives an email once when two accounts take it at the same time', async () => {
    const company = await service.company();
    const people = [await addOwner(company), await addOwner(company)];
    const body = { email: newEmail(), password: PASSWORD };
    const answers = await Promise.all(people.map((person) => change(person, body)));
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 409]);
  });

  test('requires the right password with an email, and no password without one', async () => {
    const person = await addOwner(await service.company());
    const email = newEmail();
    assertInvalid(await change(person, {}), '/');
    assertInvalid(await change(person, { email }), '/password');
    assertInvalid(await change(person, { name: 'x', password: PASSWORD }), '/password');
    assertInvalid(await change(person, { email: 'nobody', password: PASSWORD }), '/email');
    assert.equal(
      outcome(await change(person, { email, password: `${PASSWORD}!` })),
      '401 invalid_credentials',
    );
    assert.equal((await shownUser(person.token)).email, person.email);
  });
});

describe('PATCH /v1/company', () => {
  test('renames the Company for everyone, and records the same name not again', async () => {
    const company = await service.company();
    const before = await company.api.getCompany();
    const name = 'Engines';
    assert.deepEqual(await company.api.renameCompany({ name }), { ...before, name });
    await recordsNothing(service, company, () => company.api.renameCompany({ name }));
    assert.equal((await askSession(service, company.token)).json<Session>().company.name, 'Engines');
  });
});

const { app, database } = service;

const NEW_PASSWORD = 'a password of this test';

/** A Company whose Owner has a password. */
async function withPassword(): Promise<SignedIn> {
  const company = await service.company();
  const { token } = await makeResetLink(service, company);
  assert.equal((await useLink(service, token, NEW_PASSWORD)).statusCode, 200);
  return company;
}

function signOut(token: string, payload?: object) {
  return app.inject({
    method: 'POST',
    url: '/v1/auth/logout',
    headers: { authorization: `Bearer ${token}` },
    ...(payload === undefined ? {} : { payload }),
  });
}

describe('POST /v1/auth/login', () => {
  test('returns a session with the user, the Company and the access to each Team', async () => {
    const company = await withPassword();
    const answer = await signInBy(service, company.ownerEmail, NEW_PASSWORD);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['set-cookie'], undefined);
    const { token, expiresAt, ...rest } = answer.json<Session>();
    assert.match(token, /^[\w-]{43}$/);
    const days = (Date.parse(expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7.01, `${days} days`);
    assert.deepEqual(rest, {
      user: { id: company.ownerId, email: company.ownerEmail, name: 'Owner', verified: false },
      company: { id: company.companyId, name: 'Test Company', role: 'owner' },
      teams: [{ id: company.teamId, name: 'Test Team', state: 'active', role: 'owner', access: 'full' }],
    });
    assert.deepEqual((await askSession(service, token)).json(), { expiresAt, ...rest });
  });
});

describe('GET /v1/auth/session', () => {
  test('shows the service token as an Owner session that never expires', async () => {
    const answer = await askSession(service, API_TOKEN);
    assert.equal(answer.statusCode, 200);
    const session = answer.json<Session>();
    assert.equal(session.expiresAt, null);
    assert.equal(session.company.role, 'owner');
    assert.ok(!('token' in session));
  });

  test('returns 401 session_expired after 7 idle days, and after 30 days in any case', async () => {
    const { token } = await service.company();
    const age = (column: string, days: number) =>
      database.query(
        `update identity.session set ${column} = now() - make_interval(days => $2) where token_hash = $1`,
        [hashToken(token), days],
      );
    await age('created_at', 29);
    await age('last_seen_at', 6);
    assert.equal((await askSession(service, token)).statusCode, 200);
    await age('last_seen_at', 7);
    const idle = await askSession(service, token);
    assert.deepEqual([idle.statusCode, idle.json<{ code: string }>().code], [401, 'session_expired']);
    await age('last_seen_at', 0);
    await age('created_at', 30);
    const old = await askSession(service, token);
    assert.deepEqual([old.statusCode, old.json<{ code: string }>().code], [401, 'session_expired']);
  });
});

describe('POST /v1/auth/logout', () => {
  test('ends this session from the next request on and no other session', async () => {
    const company = await service.company();
    const other = await service.signIn(company.companyId, company.ownerId);
    const answer = await signOut(company.token);
    assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    const next = await askSession(service, company.token);
    assert.deepEqual([next.statusCode, next.json<{ code: string }>().code], [401, 'unauthenticated']);
    assert.equal((await askSession(service, other)).statusCode, 200);
  });

  test('ends all sessions of the user and none of other users if "everywhere" is true', async () => {
    const company = await service.company();
    const other = await service.signIn(company.companyId, company.ownerId);
    const colleague = { userId: newId(), email: `colleague-${newId()}@example.com`, role: 'owner' };
    await addAccount(service, company, colleague);
    const theirs = await service.signIn(company.companyId, colleague.userId);
    assert.equal((await signOut(company.token, { everywhere: true })).statusCode, 204);
    assert.equal((await askSession(service, company.token)).statusCode, 401);
    assert.equal((await askSession(service, other)).statusCode, 401);
    assert.equal((await askSession(service, theirs)).statusCode, 200);
  });

  test('ends all sessions of the user with "everywhere" for a caller without a session, as by the service token', async () => {
    const { companyId, ownerId: userId, token } = await service.company();
    await logout(service, companyScope({ companyId, userId }), { sessionId: null, everywhere: true });
    assert.equal((await askSession(service, token)).statusCode, 401);
  });

  test('keeps the service token valid', async () => {
    assert.equal((await signOut(API_TOKEN)).statusCode, 204);
    assert.equal((await askSession(service, API_TOKEN)).statusCode, 200);
  });
});
