import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { SignedIn } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import { makeInvitation, makeInvite, newEmail } from '../support/invites.ts';
import { makeResetLink, outcome } from '../support/sign-in.ts';
import { openMailService } from './mail-jobs.ts';

const limited = await openMailService({ MEMORY_RATE_LIMITS: 'on', MEMORY_MAIL_PER_DAY: '12' });
const { app, server, runMails, age } = limited;

const TOO_MANY = '429 rate_limited';
const forgot = (email: string) => app.inject({ method: 'POST', url: '/v1/auth/forgot', payload: { email } });

/** Sends all mails that wait, and returns how many there were. */
async function sent(): Promise<number> {
  const before = server.mails.length;
  await runMails();
  return server.mails.length - before;
}

describe('one address', () => {
  let company: SignedIn;
  const email = newEmail();
  let inviteId = '';
  before(async () => {
    company = await limited.company();
    for (let count = 0; count < 10; count += 1)
      inviteId = (await makeInvite(limited, company, { email })).invite.id;
  });

  test('gets ten mails in a day, and then neither an invite nor the same one again', async () => {
    const draft = { email, role: 'member' as const };
    for (const refused of [
      () => company.ask.createInvite(draft),
      () => company.ask.createInvitation({ email }),
      () => company.ask.resendInvite(inviteId),
      () => company.ask.createTeam({ name: 'Herons', ownerEmail: email }),
    ]) {
      await recordsNothing(limited, company, async () => {
        const answer = await refused();
        assert.equal(outcome(answer), TOO_MANY);
        const seconds = Number(answer.headers['retry-after']);
        assert.ok(seconds > 86_000 && seconds <= 86_400, String(seconds));
      });
    }
    // Each invite has replaced the one before, so only the mail of the last is sent.
    assert.equal(await sent(), 1);
  });

  test('gets mails again a day later', async () => {
    await age(24);
    assert.equal((await company.ask.resendInvite(inviteId)).statusCode, 200);
    assert.equal(await sent(), 1);
  });

  test('counts for each Company on its own', async () => {
    const [one, other] = [await limited.company(), await limited.company()];
    const shared = { email: newEmail(), role: 'member' as const };
    for (let count = 0; count < 10; count += 1) await one.api.createInvite(shared);
    assert.equal(outcome(await one.ask.createInvite(shared)), TOO_MANY);
    assert.equal(outcome(await other.ask.createInvite(shared)), '201');
    await sent();
  });

  test('gets reset links beyond the limit, which do not count', async () => {
    const own = await limited.company();
    for (let count = 0; count < 11; count += 1) await makeResetLink(limited, own);
    assert.equal(await sent(), 1);
    for (let count = 0; count < 10; count += 1) assert.equal((await own.ask.sendTestMail()).statusCode, 202);
    assert.equal(outcome(await own.ask.sendTestMail()), TOO_MANY);
    await makeResetLink(limited, own);
    assert.equal(await sent(), 11);
  });
});

describe('one Company', () => {
  test('mails as many invites and invitations in a day as the setting says', async () => {
    const company = await limited.company();
    for (let count = 0; count < 6; count += 1) {
      await makeInvite(limited, company);
      await makeInvitation(company);
    }
    const invite = () => company.ask.createInvite({ email: newEmail(), role: 'member' });
    assert.equal(outcome(await invite()), TOO_MANY);
    assert.equal(outcome(await company.ask.createInvitation({ email: newEmail() })), TOO_MANY);
    assert.equal((await company.ask.sendTestMail()).statusCode, 202);
    const other = await limited.company();
    assert.equal(outcome(await other.ask.createInvite({ email: newEmail(), role: 'member' })), '201');
    assert.equal(await sent(), 14);
    await age(24);
    assert.equal(outcome(await invite()), '201');
    await sent();
  });

  test('does not exceed a limit by requests at the same time', async () => {
    const company = await limited.company();
    const email = newEmail();
    const draft = { email, role: 'member' as const };
    const answers = await Promise.all(Array.from({ length: 14 }, () => company.ask.createInvite(draft)));
    assert.deepEqual(answers.map(outcome).filter((each) => each === '201').length, 10);
    assert.equal(await sent(), 1);
  });
});

describe('POST /v1/auth/forgot', () => {
  test('mails three links in an hour to an address, and answers the same after them', async () => {
    const company = await limited.company();
    for (let count = 0; count < 5; count += 1) {
      const { statusCode, body } = await forgot(company.ownerEmail);
      assert.deepEqual([statusCode, body], [202, '']);
    }
    assert.equal(await sent(), 3);
    await age(1);
    await forgot(company.ownerEmail);
    assert.equal(await sent(), 1);
  });

  test('counts an address without an account in the same way', async () => {
    const email = newEmail();
    const waiting = async () => {
      const [row] = await limited.database.query<{ n: number }>(
        `select count(*)::int as n from pgboss.job where name = 'mail.reset' and state = 'created'`,
      );
      return row?.n;
    };
    for (let count = 0; count < 5; count += 1) assert.equal((await forgot(email)).statusCode, 202);
    assert.equal(await waiting(), 3);
    assert.equal(await sent(), 0);
  });
});

describe('MEMORY_RATE_LIMITS=off', () => {
  test('removes the limits of mails', async () => {
    const open = await openMailService({ MEMORY_MAIL_PER_DAY: '2' });
    after(() => open.server.close());
    const company = await open.company();
    const email = newEmail();
    for (let count = 0; count < 11; count += 1) await makeInvite(open, company, { email });
    for (let count = 0; count < 4; count += 1)
      await open.app.inject({
        method: 'POST',
        url: '/v1/auth/forgot',
        payload: { email: company.ownerEmail },
      });
    await open.runMails();
    assert.deepEqual(
      open.server.mails.map(({ to }) => to).toSorted(),
      [...Array.from({ length: 4 }, () => company.ownerEmail), email].toSorted(),
    );
  });
});
