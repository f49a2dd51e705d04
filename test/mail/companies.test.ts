import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import { API_TOKEN } from '../support/app.ts';
import { callerOf } from '../support/client/client.ts';
import { accept, addPasswordHolder, join, makeInvite, newEmail } from '../support/invites.ts';
import { linksOf } from '../support/mail-server.ts';
import { linkToken, outcome, useLink } from '../support/sign-in.ts';
import { openMailService } from './mail-jobs.ts';

const service = await openMailService();
const { app, database, server, runMails } = service;
const operator = callerOf(app, { authorization: `Bearer ${API_TOKEN}` });

/** Runs the jobs and returns what has arrived by them. */
async function arrived() {
  const before = server.mails.length;
  await runMails();
  return server.mails.slice(before);
}

describe('a Company that the operator makes', () => {
  test('has the link of its Owner mailed, which verifies the address', async () => {
    const ownerEmail = newEmail();
    const { company } = await operator.api.createCompany({ name: 'Herons', ownerEmail });
    const [mail, ...others] = await arrived();
    assert.ok(mail);
    assert.deepEqual([mail.to, others], [ownerEmail, []]);
    assert.match(mail.message.text ?? '', /You are invited to become the Owner of the Company “Herons”\./);
    const token = linkToken(linksOf(mail)[0] ?? '');
    const session = (await accept(service, { token })).json<Session>();
    assert.deepEqual([session.company.id, session.company.role], [company.id, 'owner']);
    assert.equal(session.user.verified, true);
  });

  test('has another link of its Owner mailed, also one that sets a password', async () => {
    const ownerEmail = newEmail();
    const { company } = await operator.api.createCompany({ name: 'Egrets', ownerEmail });
    const shown = await operator.api.createOwnerLink(company.id, {});
    // The first invitation was replaced before its mail was sent.
    const [invited, ...others] = await arrived();
    assert.deepEqual([invited?.to, others], [ownerEmail, []]);
    const [link = ''] = linksOf(invited!);
    assert.notEqual(link, shown.url);
    assert.equal((await accept(service, { token: linkToken(link) })).statusCode, 201);
    await operator.api.createOwnerLink(company.id, {});
    const [reset] = await arrived();
    assert.equal(reset?.to, ownerEmail);
    const answer = await useLink(service, linkToken(linksOf(reset!)[0] ?? ''), 'a password of this test');
    assert.equal(answer.json<Session>().company.id, company.id);
  });

  test('has no mails that wait after it was ended', async () => {
    const { company } = await operator.api.createCompany({ name: 'Bitterns', ownerEmail: newEmail() });
    await operator.api.endCompany(company.id, { name: 'Bitterns' });
    const waiting = 'select from identity.mail where company_id = $1 and state = $2';
    assert.deepEqual(await database.query(waiting, [company.id, 'queued']), []);
    assert.deepEqual(await arrived(), []);
  });
});

test('an address with accounts in several Companies gets one mail, with a link for each', async () => {
  const first = await service.company();
  const second = await service.company();
  await second.api.renameCompany({ name: 'Waders' });
  const { email, userId } = await addPasswordHolder(service, first, {});
  const { token } = await makeInvite(service, second, { email });
  assert.equal((await join(service, { token })).statusCode, 201);
  await arrived();
  await app.inject({ method: 'POST', url: '/v1/auth/forgot', payload: { email } });
  const [mail, ...others] = await arrived();
  assert.ok(mail);
  assert.deepEqual(others, []);
  const text = mail.message.text ?? '';
  assert.match(text, /For your account in “Test Company”[^]*For your account in “Waders”/);
  const sessions: Session[] = [];
  for (const link of linksOf(mail)) {
    sessions.push((await useLink(service, linkToken(link), 'a password of this test')).json<Session>());
  }
  assert.deepEqual(
    sessions.map((session) => session.company.id),
    [first.companyId, second.companyId],
  );
  assert.equal(sessions[0]?.user.id, userId);
});

describe('an invite that is accepted with the session, if the service sends mail', () => {
  const acceptWith = (session: string, token: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/auth/join',
      headers: { authorization: `Bearer ${session}` },
      payload: { token },
    });

  test('needs a link that was mailed, while the address of the account is not verified', async () => {
    const company = await service.company();
    const { email, token: session } = await addPasswordHolder(service, company, {});
    const { token: shown } = await makeInvite(service, company, { email });
    const refused = await acceptWith(session, shown);
    assert.equal(outcome(refused), '403 forbidden');
    assert.match(refused.json<{ detail: string }>().detail, /address is not verified/);
    const [mail] = await arrived();
    const answer = await acceptWith(session, linkToken(linksOf(mail!)[0] ?? ''));
    assert.equal(answer.statusCode, 200);
    const caller = callerOf(app, { authorization: `Bearer ${session}` });
    assert.equal((await caller.api.getSession()).user.verified, true);
  });

  test('accepts the link that a response has shown once the address is verified', async () => {
    const company = await service.company();
    const { email, userId, token: session } = await addPasswordHolder(service, company, {});
    await database.query('update identity.account set verified_at = now() where id = $1', [userId]);
    const { token: shown } = await makeInvite(service, company, { email });
    assert.equal((await acceptWith(session, shown)).statusCode, 200);
    await arrived();
  });
});
