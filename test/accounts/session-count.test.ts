import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_SESSIONS } from '../../db/queries/accounts/sessions.ts';
import type { Session } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { addPasswordHolder, givePassword, makeInvite } from '../support/invites.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { askSession, outcome, signInBy } from '../support/sign-in.ts';

const service = await openTestApp();
const { app, database } = service;
const PASSWORD = 'a password of this test';

/** A Company whose Owner has this many more sessions, oldest first, each used a minute before the next. */
async function withSessions(count: number): Promise<SignedIn & { tokens: string[] }> {
  const company = await service.company();
  await givePassword(service, company.ownerId, PASSWORD);
  const tokens: string[] = [];
  for (let made = 0; made < count; made += 1) {
    const token = await service.signIn(company.companyId, company.ownerId);
    await lastUsed(token, count - made);
    tokens.push(token);
  }
  return { ...company, tokens };
}

async function lastUsed(token: string, minutesAgo: number): Promise<void> {
  await database.query(
    `update identity.session set created_at = now() - interval '1 day',
            last_seen_at = now() - make_interval(mins => $2) where token_hash = $1`,
    [hashToken(token), minutesAgo],
  );
}

async function sessionIds(userId: string): Promise<string[]> {
  const rows = await database.query<{ id: string }>('select id from identity.session where user_id = $1', [
    userId,
  ]);
  return rows.map(({ id }) => id);
}

async function idOf(token: string): Promise<string | undefined> {
  const [row] = await database.query<{ id: string }>(
    'select id from identity.session where token_hash = $1',
    [hashToken(token)],
  );
  return row?.id;
}

/** The events of sessions that ended. */
function ends(companyId: string): Promise<{ subject: string; detail: Record<string, unknown> }[]> {
  return database.query(
    `select subject_id as subject, detail from memory.audit_event
      where company_id = $1 and kind = 'auth.session_end'`,
    [companyId],
  );
}

describe('an account with fifty sessions that signs in', () => {
  test('a sign-in with fifty sessions ends the one that was used longest ago, with an audit event', async () => {
    const company = await withSessions(MAX_SESSIONS - 1);
    const [first = '', second = ''] = company.tokens;
    // The first session was created first and used last.
    await lastUsed(first, 0);
    const lost = await idOf(second);
    const login = await signInBy(service, company.ownerEmail, PASSWORD);
    assert.equal(outcome(login), '200');
    assert.equal((await sessionIds(company.ownerId)).length, MAX_SESSIONS);
    assert.equal(outcome(await askSession(service, second)), '401 unauthenticated');
    for (const token of [first, company.token, login.json<Session>().token]) {
      assert.equal(outcome(await askSession(service, token)), '200');
    }
    const events = await ends(company.companyId);
    assert.deepEqual(
      events.map(({ subject, detail }) => [subject, detail['reason']]),
      [[lost, 'too_many_sessions']],
    );
  });

  test('an account has at most fifty sessions after joining a Team, and other accounts keep theirs', async () => {
    const company = await withSessions(MAX_SESSIONS + 5);
    const person = await addPasswordHolder(service, company, {}, PASSWORD);
    for (let made = 0; made < MAX_SESSIONS + 5; made += 1) {
      await service.signIn(company.companyId, person.userId);
    }
    const { token } = await makeInvite(service, company, { email: person.email });
    const payload = { token, name: 'Someone', password: PASSWORD };
    assert.equal(outcome(await app.inject({ method: 'POST', url: '/v1/auth/join', payload })), '201');
    assert.equal((await sessionIds(person.userId)).length, MAX_SESSIONS);
    assert.equal((await sessionIds(company.ownerId)).length, MAX_SESSIONS + 6);
  });
});

test('concurrent sign-ins leave at most fifty sessions', async (t) => {
  const company = await withSessions(MAX_SESSIONS - 3);
  // Passwords are verified one at a time, so real sign-ins would hardly overlap.
  const passwords = {
    ...service.passwords,
    verify: async (hashes: readonly (string | null)[]) => hashes.map(() => true),
  };
  const fast = await buildTestedApp({ ...service, passwords });
  t.after(() => fast.close());
  const answers = await Promise.all(
    Array.from({ length: 24 }, () => signInBy({ app: fast }, company.ownerEmail, PASSWORD)),
  );
  assert.deepEqual(new Set(answers.map(outcome)), new Set(['200']));
  assert.equal((await sessionIds(company.ownerId)).length, MAX_SESSIONS);
});
