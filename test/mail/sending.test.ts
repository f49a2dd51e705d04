import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import type { SignedIn } from '../support/app.ts';
import { makeInvite, newEmail } from '../support/invites.ts';
import { linksOf } from '../support/mail-server.ts';
import { linkToken, outcome } from '../support/sign-in.ts';
import { openMailService } from './mail-jobs.ts';

const service = await openMailService();
const { app, database, server, runMails, hurryRetries, age, context } = service;

afterEach(async () => {
  server.behave('accept');
  await runMails();
  server.mails.length = 0;
});

const stateOf = async (company: SignedIn, id: string) =>
  (await company.all.listInvites({})).find((invite) => invite.id === id)?.mail;
const works = async (token: string) =>
  outcome(await app.inject({ method: 'POST', url: '/v1/auth/link', payload: { token } }));
/** How many tokens of an invite were mailed, or could have been. */
const tokensOf = async (id: string) =>
  (await database.query('select from identity.mailed_token where invite_id = $1', [id])).length;

/** Every mail that has arrived has a link that can be used. */
async function assertLinksWork(mails: number): Promise<void> {
  assert.equal(server.mails.length, mails);
  for (const mail of server.mails) {
    for (const link of linksOf(mail)) assert.equal(await works(linkToken(link)), '200');
  }
}

/** Runs the job in a process that is killed before the given step: what comes after it does not happen. */
async function runKilled(before: 'sending' | 'noting'): Promise<void> {
  const { mailer } = context;
  assert.ok(mailer);
  const killed = {
    ...mailer,
    send: async (mail: Parameters<typeof mailer.send>[0]) => {
      if (before === 'noting') await mailer.send(mail);
      throw new Error('the process was killed');
    },
  };
  assert.deepEqual(await runMails({ ...context, mailer: killed }), ['failed']);
  await hurryRetries();
}

describe('a mail that the server refuses', () => {
  for (const at of ['recipient', 'data'] as const) {
    test(`for now is sent again, first within a minute: at the ${at}`, async () => {
      const company = await service.company();
      const { invite } = await makeInvite(service, company);
      server.behave({ status: 451, at });
      for (let attempt = 0; attempt < 4; attempt += 1) {
        assert.deepEqual(await runMails(), ['failed']);
        assert.equal(await stateOf(company, invite.id), 'queued');
        const [seconds = 0, ...others] = await hurryRetries();
        assert.deepEqual(others, []);
        if (attempt === 0) assert.ok(seconds > 0 && seconds < 60, String(seconds));
      }
      // The server has certainly not accepted them, so no token of them is left.
      assert.equal(await tokensOf(invite.id), 0);
      server.behave('accept');
      assert.deepEqual(await runMails(), ['done']);
      assert.equal(await stateOf(company, invite.id), 'sent');
      await assertLinksWork(1);
    });

    test(`for good has failed, until it is sent again: at the ${at}`, async () => {
      const company = await service.company();
      const { invite } = await makeInvite(service, company);
      server.behave({ status: 550, at });
      assert.deepEqual(await runMails(), ['done']);
      assert.equal(await stateOf(company, invite.id), 'failed');
      assert.equal(await tokensOf(invite.id), 0);
      server.behave('accept');
      assert.equal((await company.api.resendInvite(invite.id)).mail, 'queued');
      await runMails();
      assert.equal(await stateOf(company, invite.id), 'sent');
      await assertLinksWork(1);
    });
  }

  test('for a day has failed', async () => {
    const company = await service.company();
    const { invite } = await makeInvite(service, company);
    server.behave({ status: 451, at: 'recipient' });
    await runMails();
    await hurryRetries();
    await age(23);
    assert.deepEqual(await runMails(), ['failed']);
    await hurryRetries();
    await age(1);
    server.behave('accept');
    assert.deepEqual(await runMails(), ['done']);
    assert.equal(await stateOf(company, invite.id), 'failed');
    await assertLinksWork(0);
  });

  test('of a reset leaves no link, and is sent again', async () => {
    const company = await service.company();
    const links = () =>
      database.query('select from identity.reset_link where user_id = $1', [company.ownerId]);
    await app.inject({ method: 'POST', url: '/v1/auth/forgot', payload: { email: company.ownerEmail } });
    server.behave({ status: 451, at: 'data' });
    assert.deepEqual(await runMails(), ['failed']);
    assert.equal((await links()).length, 0);
    await hurryRetries();
    server.behave('accept');
    assert.deepEqual(await runMails(), ['done']);
    await assertLinksWork(1);
  });
});

describe('a process that is killed', () => {
  for (const [step, mails] of [
    ['sending', 1],
    ['noting', 2],
  ] as const) {
    test(`before ${step} sends at most twice, and each link works`, async () => {
      const company = await service.company();
      const { invite } = await makeInvite(service, company);
      await runKilled(step);
      assert.deepEqual(await runMails(), ['done']);
      assert.equal(await stateOf(company, invite.id), 'sent');
      await assertLinksWork(mails);
    });

    test(`before ${step} sends a reset at most twice, and each link works`, async () => {
      const company = await service.company();
      await app.inject({ method: 'POST', url: '/v1/auth/forgot', payload: { email: company.ownerEmail } });
      await runKilled(step);
      assert.deepEqual(await runMails(), ['done']);
      await assertLinksWork(mails);
    });
  }

  test('again and again still sends at most twice, and the mail has failed', async () => {
    const company = await service.company();
    const { invite } = await makeInvite(service, company);
    await runKilled('noting');
    await runKilled('noting');
    assert.deepEqual(await runMails(), ['done']);
    assert.equal(await stateOf(company, invite.id), 'failed');
    await assertLinksWork(2);
  });

  test('so does a server that is lost after the text', async () => {
    const company = await service.company();
    const { invite } = await makeInvite(service, company);
    server.behave('lose the answer');
    for (const end of ['failed', 'failed', 'done']) {
      assert.deepEqual(await runMails(), [end]);
      await hurryRetries();
    }
    assert.equal(await stateOf(company, invite.id), 'failed');
    await assertLinksWork(2);
  });
});

describe('a worker without a mail server', () => {
  test('leaves the mails for one that has it', async () => {
    const company = await service.company();
    const { invite } = await makeInvite(service, company, { email: newEmail() });
    assert.deepEqual(await runMails({ ...context, mailer: null }), ['failed']);
    await hurryRetries();
    assert.deepEqual(await runMails(), ['done']);
    assert.equal(await stateOf(company, invite.id), 'sent');
  });
});
