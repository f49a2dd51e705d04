import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { openTestApp } from '../support/app.ts';
import { askSession, makeResetLink, outcome, signInBy, useLink } from '../support/sign-in.ts';

const service = await openTestApp();
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
