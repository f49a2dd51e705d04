import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { logout } from '../../core/accounts/sign-in.ts';
import { newId } from '../../shared/ids.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { companyScope } from '../../shared/scope.ts';
import { hashToken } from '../../shared/tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../support/app.ts';
import { addAccount, askSession, makeResetLink, signInBy, useLink } from '../support/sign-in.ts';

const service = await openTestApp();
const { app, database } = service;
const PASSWORD = 'a password of this test';

/** A Company whose Owner has a password. */
async function withPassword(): Promise<SignedIn> {
  const company = await service.company();
  const { token } = await makeResetLink(service, company);
  assert.equal((await useLink(service, token, PASSWORD)).statusCode, 200);
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
    const answer = await signInBy(service, company.ownerEmail, PASSWORD);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['set-cookie'], undefined);
    const { token, expiresAt, ...rest } = answer.json<Session>();
    assert.match(token, /^[\w-]{43}$/);
    const days = (Date.parse(expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7.01, `${days} days`);
    assert.deepEqual(rest, {
      user: { id: company.ownerId, email: company.ownerEmail, name: 'Owner' },
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
