import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Session } from '../../shared/schemas/accounts.ts';
import type { SignedIn } from '../support/app.ts';
import { accept, join, makeInvitation, makeInvite, newEmail, outcomeOfJoin } from '../support/invites.ts';
import { linksOf } from '../support/mail-server.ts';
import { linkToken, outcome } from '../support/sign-in.ts';
import { openMailService } from './mail-jobs.ts';

const service = await openMailService();
const { server, runMails } = service;

/** Runs the jobs and returns what has arrived by them. */
async function arrived() {
  const before = server.mails.length;
  await runMails();
  return server.mails.slice(before);
}

/** The token of the link in the only mail that arrives now. */
async function mailedToken() {
  const mails = await arrived();
  assert.equal(mails.length, 1);
  const [link, ...others] = linksOf(mails[0]!);
  assert.deepEqual(others, []);
  return { mail: mails[0]!, token: linkToken(link ?? ''), link: link ?? '' };
}

const inviteOf = async (company: SignedIn, id: string) =>
  (await company.all.listInvites({})).find((invite) => invite.id === id);

describe('the mail of an invite', () => {
  test('has a link of its own, which verifies the address', async () => {
    const company = await service.company();
    const email = newEmail();
    const { invite, token: shown } = await makeInvite(service, company, { email });
    assert.equal(invite.mail, 'queued');
    assert.equal(invite.account, null);
    const { mail, token, link } = await mailedToken();
    assert.equal(mail.to, email);
    assert.equal(mail.message.from?.address, 'memory@example.com');
    assert.ok(link.startsWith('https://memory.example.com/join#token='), link);
    assert.notEqual(token, shown);
    assert.ok(!mail.message.subject?.includes(token));
    assert.equal((await inviteOf(company, invite.id))?.mail, 'sent');

    const joined = await join(service, { token });
    assert.equal(joined.statusCode, 201);
    assert.equal(joined.json<Session>().user.verified, true);
    const after = await inviteOf(company, invite.id);
    assert.deepEqual([after?.state, after?.account?.verified], ['used', true]);
    assert.equal(await outcomeOfJoin(service, shown), '410 token_used');
    assert.equal(await outcomeOfJoin(service, token), '410 token_used');
    const member = (await company.all.listTeamMembers({})).find((one) => one.email === email);
    assert.equal(member?.verified, true);
  });

  test('leaves the shown link valid, which verifies nothing', async () => {
    const company = await service.company();
    const { token: shown } = await makeInvite(service, company);
    const { token } = await mailedToken();
    const joined = await join(service, { token: shown });
    assert.equal(joined.json<Session>().user.verified, false);
    assert.equal(await outcomeOfJoin(service, token), '410 token_used');
  });

  test('is sent again with another link, and at most five can be used', async () => {
    const company = await service.company();
    const { invite, token: shown } = await makeInvite(service, company);
    const tokens = [(await mailedToken()).token];
    for (let count = 1; count < 5; count += 1) {
      assert.equal((await company.api.resendInvite(invite.id)).mail, 'queued');
      tokens.push((await mailedToken()).token);
    }
    assert.equal(new Set([shown, ...tokens]).size, 6);
    const read = async (token: string) =>
      outcome(await service.app.inject({ method: 'POST', url: '/v1/auth/link', payload: { token } }));
    const [oldest = '', ...others] = tokens;
    assert.equal(await read(oldest), '410 token_revoked');
    for (const token of [shown, ...others]) assert.equal(await read(token), '200');
    assert.equal(await outcomeOfJoin(service, others[0] ?? ''), '201');
    for (const token of [shown, ...tokens]) assert.equal(await read(token), '410 token_used');
  });

  test('is not sent when the invite has ended before', async () => {
    const company = await service.company();
    const revoked = await makeInvite(service, company);
    await company.api.revokeInvite(revoked.invite.id);
    const used = await makeInvite(service, company);
    assert.equal(await outcomeOfJoin(service, used.token), '201');
    assert.deepEqual(await arrived(), []);
    assert.equal((await inviteOf(company, revoked.invite.id))?.mail, null);
    assert.equal(outcome(await company.ask.resendInvite(revoked.invite.id)), '409 conflict');
    assert.equal(outcome(await company.ask.resendInvite(used.invite.id)), '409 conflict');
  });

  test('ends with the invite that replaces it', async () => {
    const company = await service.company();
    const email = newEmail();
    await makeInvite(service, company, { email });
    const { token } = await mailedToken();
    await makeInvite(service, company, { email });
    const next = await mailedToken();
    assert.equal(await outcomeOfJoin(service, token), '410 token_revoked');
    assert.equal(await outcomeOfJoin(service, next.token), '201');
  });

  test('of an invitation to the Company leads to /accept', async () => {
    const company = await service.company();
    const { invite } = await makeInvitation(company);
    const { token, link } = await mailedToken();
    assert.ok(link.startsWith('https://memory.example.com/accept#token='), link);
    assert.equal((await company.api.resendInvitation(invite.id)).mail, 'queued');
    const again = await mailedToken();
    assert.equal((await accept(service, { token })).statusCode, 201);
    assert.equal(outcome(await accept(service, { token: again.token })), '410 token_used');
  });

  test('of a Team for someone else names the Team and the Owner', async () => {
    const company = await service.company();
    const ownerEmail = newEmail();
    const { team, token: shown } = await company.api.createTeam({ name: 'Herons', ownerEmail });
    const { mail, token } = await mailedToken();
    assert.equal(mail.to, ownerEmail);
    assert.match(mail.message.text ?? '', /to the Team “Herons” of “Test Company”, as its Owner/);
    const joined = await join(service, { token });
    assert.deepEqual(
      joined.json<Session>().teams.map(({ id, role }) => [id, role]),
      [[team.id, 'owner']],
    );
    assert.equal(await outcomeOfJoin(service, shown ?? ''), '410 token_used');
  });
});

describe('a name in a mail', () => {
  test('is text of at most 80 characters, and never a link', async () => {
    const company = await service.company();
    const name = `Pay at https://evil.example/pay <b>now</b>\u202e${'x'.repeat(200)}`;
    await company.api.changeAccount({ name });
    await company.api.createTeam({ name: 'evil.example', ownerEmail: newEmail() });
    const [mail] = await arrived();
    assert.ok(mail);
    const [link, ...others] = linksOf(mail);
    assert.deepEqual(others, []);
    assert.ok(link?.startsWith('https://memory.example.com/join#token='));
    const { text = '', html = '', subject = '' } = mail.message;
    for (const part of [text, html, subject]) {
      assert.doesNotMatch(part, /evil\.example|https:\/\/evil|\u202e|x{80}/);
    }
    assert.match(html, /&lt;b&gt;now/);
    assert.doesNotMatch(html, /<b>/);
    assert.match(text, /“Pay at https:\u200b\/\u200b\/\u200bevil\.\u200bexample/);
  });

  test('has no picture of elsewhere, no script and no form', async () => {
    const company = await service.company();
    await makeInvite(service, company);
    const [mail] = await arrived();
    assert.doesNotMatch(mail?.message.html ?? '', /<img|<script|<form|url\(|@import|src=/i);
    assert.equal(mail?.message.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated');
  });
});
