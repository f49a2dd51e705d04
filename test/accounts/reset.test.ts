import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { columns } from '../support/columns.ts';
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
    const { token } = first.json<Session>();
    const headers = { ...company.headers, authorization: `Bearer ${token}` };
    const second = await makeResetLink(service, { ...company, ...callerOf(service.app, headers), token });
    assert.equal((await useLink(service, second.token, `${PASSWORD} 2`)).statusCode, 200);
    assert.equal(outcome(await signInBy(service, company.ownerEmail, PASSWORD)), '401 invalid_credentials');
    assert.equal(outcome(await signInBy(service, company.ownerEmail, `${PASSWORD} 2`)), '200');
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
});
