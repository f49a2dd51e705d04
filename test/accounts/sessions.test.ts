import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session, SessionRecord } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { API_TOKEN, type SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { addPasswordHolder } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { addPerson } from '../support/team.ts';

const service = await openOwnTestApp();
const { app, database } = service;
const PASSWORD = 'a password of this test';

interface List {
  items: SessionRecord[];
  nextCursor: string | null;
}

function askList(token: string, query = '') {
  return app.inject({
    url: `/v1/auth/sessions${query}`,
    headers: { authorization: `Bearer ${token}` },
  });
}

async function list(token: string, query = ''): Promise<List> {
  const answer = await askList(token, query);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<List>();
}

function end(token: string, id: string, by: { app: typeof app } = service) {
  return by.app.inject({
    method: 'DELETE',
    url: `/v1/auth/sessions/${id}`,
    headers: { authorization: `Bearer ${token}` },
  });
}

/** The id of the session of a token. */
async function idOf(token: string): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    'select id from identity.session where token_hash = $1',
    [hashToken(token)],
  );
  return row?.id ?? 'none';
}

/** More sessions of the Owner, oldest first. */
async function signInAgain(company: SignedIn, times: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < times; i++) tokens.push(await service.signIn(company.companyId, company.ownerId));
  return tokens;
}

describe('GET /v1/auth/sessions', () => {
  test('lists only the sessions of the caller, newest first, and marks the current one', async () => {
    const [company, stranger] = [await service.company(), await service.company()];
    const colleague = await addPerson(service, company, { companyRole: 'owner', teamRole: 'owner' });
    const [second = '', third = ''] = await signInAgain(company, 2);
    const { items, nextCursor } = await list(second);
    assert.equal(nextCursor, null);
    assert.deepEqual(columns(items, 'id', 'current'), [
      [await idOf(third), false],
      [await idOf(second), true],
      [await idOf(company.token), false],
    ]);
    for (const { token } of [stranger, colleague]) assert.equal((await list(token)).items.length, 1);
  });

  test('shows when each session began, was last used and expires, and its user agent', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {}, PASSWORD);
    const agent = 'Team memory client/7.1';
    const login = await app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      headers: { 'user-agent': agent },
      payload: { email: person.email, password: PASSWORD },
    });
    const { token, expiresAt } = login.json<Session>();
    const { items } = await list(token);
    const [newest, oldest] = items;
    assert.deepEqual(newest, {
      id: await idOf(token),
      current: true,
      createdAt: newest?.createdAt,
      lastSeenAt: newest?.createdAt,
      expiresAt,
      userAgent: agent,
    });
    assert.equal(new Date(newest?.createdAt ?? '').toISOString(), newest?.createdAt);
    assert.equal(oldest?.userAgent, null);
    await database.query(
      `update identity.session set created_at = $2, last_seen_at = $3 where token_hash = $1`,
      [hashToken(person.token), new Date(Date.now() - 29 * 86_400_000), new Date(Date.now() - 86_400_000)],
    );
    // The earlier limit counts: here the 30 days, not the 7 idle days.
    const aged = (await list(token)).items[1];
    const daysLeft = (Date.parse(aged?.expiresAt ?? '') - Date.now()) / 86_400_000;
    assert.ok(daysLeft > 0.99 && daysLeft <= 1.01, `${daysLeft} days`);
    assert.ok(Date.parse(aged?.lastSeenAt ?? '') > Date.parse(aged?.createdAt ?? ''));
    await database.query(
      `update identity.session set created_at = created_at - interval '1 day' where token_hash = $1`,
      [hashToken(person.token)],
    );
    assert.equal((await list(token)).items.length, 1, 'without the one that has expired');
  });

  test('returns pages that new and ended sessions do not shift', async () => {
    const company = await service.company();
    await signInAgain(company, 4);
    const all = (await list(company.token)).items.map(({ id }) => id);
    assert.equal(all.length, 5);
    const first = await list(company.token, '?limit=2');
    await signInAgain(company, 1);
    assert.equal((await end(company.token, first.items[1]?.id ?? '')).statusCode, 204);
    const second = await list(company.token, `?limit=2&cursor=${first.nextCursor}`);
    const third = await list(company.token, `?limit=2&cursor=${second.nextCursor}`);
    const pages = [first, second, third].map(({ items }) => items.map(({ id }) => id));
    assert.deepEqual(pages, [all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
    assert.equal(third.nextCursor, null);
  });
});

describe('DELETE /v1/auth/sessions/{id}', () => {
  test('ends the named session at once and no other', async () => {
    const company = await service.company();
    const [ended = '', kept = ''] = await signInAgain(company, 2);
    const answer = await end(company.token, await idOf(ended));
    assert.deepEqual([answer.statusCode, answer.body], [204, '']);
    assert.equal(outcome(await askSession(service, ended)), '401 unauthenticated');
    for (const token of [company.token, kept]) assert.equal(outcome(await askSession(service, token)), '200');
    assert.equal((await list(kept)).items.length, 2);
  });
});

describe('the sessions of the service token', () => {
  test('lists the sessions of the server principal, and none of them is current', async () => {
    const [principal] = await database.query<{ companyId: string; userId: string }>(
      'select company_id as "companyId", id as "userId" from identity.account where is_principal',
    );
    assert.ok(principal);
    assert.deepEqual(await list(API_TOKEN), { items: [], nextCursor: null });
    const token = await service.signIn(principal.companyId, principal.userId);
    const id = await idOf(token);
    const { items } = await list(API_TOKEN);
    assert.deepEqual(columns(items, 'id', 'current'), [[id, false]]);
    assert.equal((await end(API_TOKEN, id)).statusCode, 204);
    assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    assert.equal(outcome(await askSession(service, API_TOKEN)), '200');
  });
});
