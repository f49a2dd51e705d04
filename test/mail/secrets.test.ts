import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { pino } from 'pino';
import { makeInvitation, makeInvite, newEmail } from '../support/invites.ts';
import { linksOf } from '../support/mail-server.ts';
import { linkToken, makeResetLink } from '../support/sign-in.ts';
import { openMailService } from './mail-jobs.ts';

const service = await openMailService();
const { app, database, server, runMails, context } = service;

/** Every row of every table, as text. */
async function readDatabase(): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('identity', 'memory', 'pgboss')`,
  );
  const texts = [];
  for (const { name } of tables) {
    const [row] = await database.query<{ text: string | null }>(
      `select string_agg(to_jsonb(t)::text, E'\\n') as text from ${name} t`,
    );
    texts.push(row?.text ?? '');
  }
  return texts.join('\n');
}

test('the token of a mail is in the mail only: in no answer, job, row or line of the log, and not in its subject', async () => {
  const company = await service.company();
  const logged: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      logged.push(String(chunk));
      done();
    },
  });
  const logger = pino({ level: 'trace' }, sink);
  const email = newEmail();
  const shown = [
    JSON.stringify(await makeInvite(service, company, { email })),
    JSON.stringify(await makeInvitation(company)),
    JSON.stringify(await makeResetLink(service, company)),
  ];
  const forgot = { method: 'POST', url: '/v1/auth/forgot', payload: { email: company.ownerEmail } } as const;
  shown.push((await app.inject(forgot)).body);
  const queued = await database.query<{ data: object }>(
    `select data from pgboss.job where name in ('mail.send', 'mail.reset')`,
  );
  assert.equal(queued.length, 4);
  for (const { data } of queued) {
    for (const value of Object.values(data)) assert.match(String(value), /^[0-9a-f-]{36}$/);
  }
  server.behave({ status: 451, at: 'data' });
  await runMails({ ...context, logger });
  await service.hurryRetries();
  server.behave('accept');
  await runMails({ ...context, logger });
  assert.equal(server.mails.length, 4);
  shown.push(JSON.stringify(await company.all.listInvites({})));
  shown.push(JSON.stringify(await company.all.listInvitations({})));
  shown.push(JSON.stringify(await company.all.listCompanyAudit({})));
  const rows = await readDatabase();
  const log = logged.join('');
  assert.match(log, /mail sent/);
  for (const mail of server.mails) {
    const [token = ''] = linksOf(mail).map(linkToken);
    assert.match(token, /^[\w-]{43}$/);
    assert.ok(!mail.message.subject?.includes(token));
    for (const place of [...shown, rows, log]) assert.ok(!place.includes(token), mail.message.subject);
    assert.ok(!log.includes(mail.to));
  }
  // The rows are all there, with the hashes.
  assert.match(rows, new RegExp(email));
});
