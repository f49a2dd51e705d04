import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import type { Session } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { API_TOKEN, openTestApp } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';

const service = await openTestApp();
const { database } = service;
const PASSWORD = 'a password of this test';

describe('POST /v1/auth/reset', () => {
  test('a reset sets the password, creates a session and ends all other sessions of the account', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    const answer = await useLink(service, token, PASSWORD);
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['set-cookie'], undefined);
    const session = answer.json<Session>();
    assert.equal(session.user.id, company.ownerId);
    assert.equal((await askSession(service, session.token)).statusCode, 200);
    assert.equal(outcome(await askSession(service, company.token)), '401 unauthenticated');
    assert.equal((await signInBy(service, company.ownerEmail, PASSWORD)).statusCode, 200);
    const events = await database.query<{ kind: string; subject: string; text: string }>(
      `select kind, subject_id as subject, e::text as text from memory.audit_event e
        where company_id = $1 and kind in ('company.reset_link', 'auth.password_reset') order by id`,
      [company.companyId],
    );
    assert.deepEqual(columns(events, 'kind', 'subject'), [
      ['company.reset_link', company.ownerId],
      ['auth.password_reset', company.ownerId],
    ]);
    for (const { text } of events) assert.ok(!text.includes(token) && !text.includes(PASSWORD));
  });

  test('a reset makes the previous password invalid', async () => {
    const company = await service.company();
    const first = await useLink(service, (await makeResetLink(service, company)).token, PASSWORD);
    const signedIn = { ...company, headers: { ...company.headers } };
    signedIn.headers.authorization = `Bearer ${first.json<Session>().token}`;
    const second = await makeResetLink(service, signedIn);
    assert.equal((await useLink(service, second.token, `${PASSWORD} 2`)).statusCode, 200);
    assert.equal(outcome(await signInBy(service, company.ownerEmail, PASSWORD)), '401 invalid_credentials');
    assert.equal(outcome(await signInBy(service, company.ownerEmail, `${PASSWORD} 2`)), '200');
  });

  test('one of 50 concurrent resets with the same link succeeds and 49 get 410', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    const passwords = Array.from({ length: 50 }, (_, i) => `${PASSWORD} ${i}`);
    const answers = await Promise.all(passwords.map((password) => useLink(service, token, password)));
    const outcomes = answers.map(outcome).sort();
    assert.deepEqual(outcomes, ['200', ...Array.from({ length: 49 }, () => '410 token_used')]);
    const winner = answers.findIndex(({ statusCode }) => statusCode === 200);
    assert.equal((await signInBy(service, company.ownerEmail, passwords[winner] ?? '')).statusCode, 200);
    const [row] = await database.query<{ sessions: number; events: number }>(
      `select (select count(*) from identity.session where company_id = $1) as sessions,
              (select count(*) from memory.audit_event
                where company_id = $1 and kind = 'auth.password_reset') as events`,
      [company.companyId],
    );
    assert.deepEqual(row, { sessions: 2, events: 1 });
  });

  test('a refused password leaves the link usable', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    for (const password of ['eleven char', 'x'.repeat(257), `${PASSWORD}\u0000`]) {
      assert.equal(outcome(await useLink(service, token, password)), '400 invalid_request');
    }
    assert.equal((await useLink(service, token, 'twelve chars')).statusCode, 200);
    assert.equal(outcome(await useLink(service, token, PASSWORD)), '410 token_used');
  });

  test('a reset returns 410 for an expired link, and 404 for an unknown link or a closed account', async () => {
    const company = await service.company();
    const ended = await makeResetLink(service, company);
    await database.query('update identity.reset_link set expires_at = now() where token_hash = $1', [
      hashToken(ended.token),
    ]);
    assert.equal(outcome(await useLink(service, ended.token, PASSWORD)), '410 token_expired');
    const closed = await makeResetLink(service, company);
    await database.query('update identity.account set closed_at = now() where id = $1', [company.ownerId]);
    assert.equal(outcome(await useLink(service, closed.token, PASSWORD)), '404 not_found');
    assert.equal(outcome(await useLink(service, 'of-no-worth', PASSWORD)), '404 not_found');
  });

  test('a reset stores only hashes of the link and the password', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    await useLink(service, token, PASSWORD);
    const rows = await database.query<{ row: string }>(
      `select l::text as row from identity.reset_link l where company_id = $1
       union all select a::text from identity.account a where company_id = $1
       union all select s::text from identity.session s where company_id = $1`,
      [company.companyId],
    );
    const stored = rows.map(({ row }) => row).join('\n');
    assert.match(stored, /\$argon2id\$/);
    for (const secret of [token, PASSWORD]) {
      assert.ok(!stored.includes(secret) && !stored.includes(Buffer.from(secret).toString('hex')));
    }
  });
});

test('no log line contains a token or a password', async (t) => {
  const lines: string[] = [];
  // Without the redaction of the service's logger: the routes must not depend on it.
  const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const logged = await buildTestedApp({ ...service, logger });
  t.after(() => logged.close());
  const company = await service.company();
  const { token } = await makeResetLink({ app: logged }, company);
  const short = await useLink({ app: logged }, token, 'too short');
  const reset = await useLink({ app: logged }, token, PASSWORD);
  const used = await useLink({ app: logged }, token, PASSWORD);
  const session = reset.json<Session>();
  await signInBy({ app: logged }, company.ownerEmail, `${PASSWORD} but wrong`);
  const login = await signInBy({ app: logged }, company.ownerEmail, PASSWORD);
  await askSession({ app: logged }, session.token);
  await logged.inject(`/v1/auth/session?token=${token}`);
  assert.deepEqual([short, reset, used, login].map(outcome), [
    '400 invalid_request',
    '200',
    '410 token_used',
    '200',
  ]);
  const log = lines.join('');
  assert.match(log, /\/v1\/auth\/reset/);
  for (const secret of [
    token,
    session.token,
    login.json<Session>().token,
    company.token,
    PASSWORD,
    API_TOKEN,
  ]) {
    assert.ok(!log.includes(secret));
  }
});
