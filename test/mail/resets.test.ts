import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { NOBODY } from '../../shared/scope.ts';
import type { SignedIn } from '../support/app.ts';
import { columns } from '../support/columns.ts';
import { recordedBy, recordsNothing } from '../support/company.ts';
import { newEmail } from '../support/invites.ts';
import { linksOf } from '../support/mail-server.ts';
import { linkToken, makeResetLink, outcome, useLink } from '../support/sign-in.ts';
import { openMailService } from './mail-jobs.ts';

const service = await openMailService();
const { app, database, server, runMails } = service;

const PASSWORD = 'a password of this test';

const forgot = (email: string) => app.inject({ method: 'POST', url: '/v1/auth/forgot', payload: { email } });
const readLink = async (token: string) =>
  outcome(await app.inject({ method: 'POST', url: '/v1/auth/link', payload: { token } }));

/** The tokens of the links in all mails that arrive now. */
async function mailedTokens(): Promise<string[]> {
  const before = server.mails.length;
  await runMails();
  return server.mails.slice(before).flatMap((mail) => linksOf(mail).map(linkToken));
}

/** Asks for a link, and returns the token that arrives. */
async function forgottenToken({ ownerEmail }: SignedIn): Promise<string> {
  assert.equal((await forgot(ownerEmail)).statusCode, 202);
  const [token = '', ...others] = await mailedTokens();
  assert.deepEqual(others, []);
  return token;
}

describe('POST /v1/auth/forgot', () => {
  test('mails a link that sets a password once and verifies the address', async () => {
    const company = await service.company();
    assert.equal((await forgot(` ${company.ownerEmail.toUpperCase()} `)).statusCode, 202);
    const before = server.mails.length;
    const [token = ''] = await mailedTokens();
    const mail = server.mails[before];
    assert.equal(mail?.to, company.ownerEmail);
    assert.match(mail?.message.text ?? '', /For your account in “Test Company”/);
    assert.match(linksOf(mail!)[0] ?? '', /^https:\/\/memory\.example\.com\/reset#token=[\w-]{43}$/);
    const answer = await useLink(service, token, PASSWORD);
    assert.equal(answer.json<Session>().user.verified, true);
    assert.equal(outcome(await useLink(service, token, PASSWORD)), '410 token_used');
  });

  test('is recorded when the link is made, and not when somebody asks for it', async () => {
    const company = await service.company();
    await recordsNothing(service, company, () => forgot(company.ownerEmail));
    const { events } = await recordedBy(service, company, mailedTokens);
    const [link] = await database.query<{ id: string }>(
      'select id from identity.reset_link where user_id = $1',
      [company.ownerId],
    );
    assert.deepEqual(columns(events, 'kind', 'subjectId', 'actorId', 'detail'), [
      ['auth.reset_request', company.ownerId, NOBODY, { linkId: link?.id }],
    ]);
  });

  test('works for an hour from when it was sent', async () => {
    const company = await service.company();
    const token = await forgottenToken(company);
    const link = await app.inject({ method: 'POST', url: '/v1/auth/link', payload: { token } });
    const left = Date.parse(link.json<{ expiresAt: string }>().expiresAt) - Date.now();
    assert.ok(left > 0 && left <= 3_600_000, String(left));
  });

  test('answers and does the same for an address without an account, to which nothing is sent', async () => {
    const company = await service.company();
    const answers = [await forgot(company.ownerEmail), await forgot(newEmail())];
    for (const { statusCode, body } of answers) assert.deepEqual([statusCode, body], [202, '']);
    const [known, unknown] = answers.map(({ headers }) => Object.keys(headers));
    assert.deepEqual(known, unknown);
    const requests = 'select count(*)::int as n from pgboss.job where name = $1 and state = $2';
    assert.deepEqual(await database.query(requests, ['mail.reset', 'created']), [{ n: 2 }]);
    assert.equal((await mailedTokens()).length, 1);
    // The address is deleted once the job has ended.
    assert.deepEqual(await database.query('select from identity.reset_request where email is not null'), []);
  });

  test('leaves earlier links valid, at most five of a person, and the oldest that was asked for goes first', async () => {
    const company = await service.company();
    const made = await makeResetLink(service, company);
    const [mailed = ''] = await mailedTokens();
    const asked = [];
    for (let count = 0; count < 4; count += 1) asked.push(await forgottenToken(company));
    const [oldest = '', ...others] = asked;
    assert.equal(await readLink(oldest), '410 token_revoked');
    for (const token of [made.token, mailed, ...others]) assert.equal(await readLink(token), '200');
    assert.equal((await useLink(service, others[0] ?? '', PASSWORD)).statusCode, 200);
    for (const token of [made.token, mailed, ...others])
      assert.equal(await readLink(token), '410 token_used');
  });

  test('is replaced by a link that an Owner makes', async () => {
    const company = await service.company();
    const asked = await forgottenToken(company);
    const made = await makeResetLink(service, company);
    const [mailed = ''] = await mailedTokens();
    assert.equal(await readLink(asked), '410 token_revoked');
    for (const token of [made.token, mailed]) assert.equal(await readLink(token), '200');
    assert.equal((await useLink(service, mailed, PASSWORD)).json<Session>().user.verified, true);
    assert.equal(await readLink(made.token), '410 token_used');
  });

  test('sends nothing for an account that was closed before the job', async () => {
    const company = await service.company();
    await forgot(company.ownerEmail);
    await database.query('update identity.account set closed_at = now() where id = $1', [company.ownerId]);
    assert.deepEqual(await mailedTokens(), []);
  });

  test('refuses what is no email', async () => {
    assert.equal(outcome(await forgot('no email')), '400 invalid_request');
  });
});

describe('a reset link that a response has shown', () => {
  test('verifies nothing', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    assert.equal((await useLink(service, token, PASSWORD)).json<Session>().user.verified, false);
    // The mail of it has waited, and its cause has ended.
    assert.deepEqual(await mailedTokens(), []);
  });
});

describe('a verified address', () => {
  test('is not verified any longer when the account gets another one', async () => {
    const company = await service.company();
    const answer = await useLink(service, await forgottenToken(company), PASSWORD);
    const { token } = answer.json<Session>();
    const owner = company.with({ authorization: `Bearer ${token}` });
    assert.equal((await owner.api.getSession()).user.verified, true);
    await owner.api.changeAccount({ name: 'Ada' });
    assert.equal((await owner.api.getSession()).user.verified, true);
    await owner.api.changeAccount({ email: newEmail(), password: PASSWORD });
    assert.equal((await owner.api.getSession()).user.verified, false);
  });
});
