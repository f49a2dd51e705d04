import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Agent, createAgent } from '../support/agent-tokens.ts';
import type { SignedIn } from '../support/app.ts';
import { linksOf } from '../support/mail-server.ts';
import { openMailService } from './mail-jobs.ts';

const service = await openMailService({ MEMORY_RATE_LIMITS: 'on' });
const { database, server, remind, runMails } = service;

/** Makes a token expire in so many hours, and as if it had been made for so many days. */
const setExpiry = async ({ record }: Agent, hours: number, days = 90) => {
  await database.query(
    `update identity.agent_token set expires_at = now() + make_interval(hours => $2),
            created_at = now() + make_interval(hours => $2) - make_interval(days => $3) where id = $1`,
    [record.id, hours, days],
  );
};

/** Runs the daily job, and returns the subjects of the mails to an Owner. */
async function reminders(company: SignedIn): Promise<string[]> {
  const before = server.mails.length;
  assert.equal(await remind(), 'done');
  await runMails();
  return server.mails
    .slice(before)
    .flatMap(({ to, message }) => (to === company.ownerEmail ? [message.subject ?? ''] : []));
}

async function agentOf(company: SignedIn, name: string, hours: number, days?: number): Promise<Agent> {
  const agent = await createAgent(service, company, company, { name });
  await setExpiry(agent, hours, days);
  return agent;
}

describe('the daily job about agent tokens', () => {
  test('mails the owner of a token that expires within seven days, once', async () => {
    const company = await service.company();
    const agent = await agentOf(company, 'Nightly export', 167);
    await agentOf(company, 'Later', 169);
    assert.deepEqual(await reminders(company), ['Agent token “Nightly export” expires soon']);
    const mail = server.mails.at(-1);
    assert.deepEqual(linksOf(mail!), ['https://memory.example.com/tokens']);
    assert.match(
      mail?.message.text ?? '',
      /“Nightly export” for the Team “Test Team” of “Test Company” expires on/,
    );
    assert.ok(!mail?.raw.includes(agent.token));
    assert.deepEqual(await reminders(company), []);
  });

  test('mails nothing for a token that was made for seven days or fewer, is revoked or has expired', async () => {
    const company = await service.company();
    await agentOf(company, 'Short', 24, 7);
    await agentOf(company, 'Over', -1);
    const revoked = await agentOf(company, 'Revoked', 24);
    await company.api.revokeToken(revoked.record.id);
    assert.deepEqual(await reminders(company), []);
  });

  test('mails nothing for a token that is revoked before the mail is sent', async () => {
    const company = await service.company();
    const agent = await agentOf(company, 'Soon revoked', 24);
    assert.equal(await remind(), 'done');
    await company.api.revokeToken(agent.record.id);
    assert.deepEqual(await reminders(company), []);
  });

  test('leaves out what is beyond ten mails in a day to an address, until the next day', async () => {
    const company = await service.company();
    for (let count = 0; count < 12; count += 1) await agentOf(company, `Agent ${count}`, 100);
    assert.equal((await reminders(company)).length, 10);
    assert.equal((await reminders(company)).length, 0);
    await service.age(24);
    assert.equal((await reminders(company)).length, 2);
  });
});
