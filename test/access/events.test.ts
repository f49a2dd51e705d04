import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AUDIT_KINDS } from '../../shared/schemas/audit.ts';
import { MAIL_ON } from '../support/app.ts';
import { recordedBy } from '../support/company.ts';
import { companyRows } from '../support/company-rows.ts';
import { doJob } from '../support/do-job.ts';
import { databaseError, openFailingApp } from '../support/failing-database.ts';
import { upload } from '../support/import-records.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { addSource } from '../support/source-library.ts';
import { deletion, file, workspaceOf } from '../support/workspace.ts';
import { EVENT_ROWS, type EventRow, eventsOf, type Stored, senderOf, spell } from './matrix/events.ts';
import { openScene } from './matrix/scene.ts';
import { requestOf, titleOf } from './matrix/walk.ts';

/** The jobs that are done here go over all Teams. */
const service = await openOwnTestApp(MAIL_ON);
const { app, database } = service;

/** The events that an action writes in a Company, and their rows as one text, without paths of workspace files. */
async function written({ companyId }: { companyId: string }, action: () => Promise<unknown>) {
  const { events } = await recordedBy(service, { companyId }, action);
  const stored = await database.query<Stored & { text: string }>(
    `select kind, actor_id as "actorId", team_id as "teamId", subject_type as "subjectType",
            subject_id as "subjectId", layer, client_id as "clientId", detail,
            (to_jsonb(e) #- '{detail,path}')::text as text
       from memory.audit_event e where company_id = $1 order by id desc limit $2`,
    [companyId, events.length],
  );
  return { events: stored.reverse(), text: stored.map(({ text }) => text).join('\n') };
}

/** Tokens and links that are shown once. */
const SHOWN_ONCE = /(?<![\w-])[\w-]{43}(?![\w-])|tm_pat_\w{51}/g;

/** The request of a row, ready to be sent. */
async function prepare(row: EventRow) {
  const scene = await openScene(service, row, senderOf(row) ?? 'nobody');
  const send = (to = app) => to.inject(requestOf(row, scene.values, scene.cell));
  if (row.twice) assert.ok((await send()).statusCode < 300);
  return { ...scene, send };
}

describe('the audit events of a request', { concurrency: 4 }, () => {
  for (const row of EVENT_ROWS) {
    test(`say who did what where, and hold no content and no secret: ${titleOf(row)}`, async () => {
      const { company, cell, values, send } = await prepare(row);
      let answer: Awaited<ReturnType<typeof send>> | undefined;
      const { events, text } = await written(company, async () => (answer = await send()));
      assert.equal(answer?.statusCode, row.ok, answer?.body);
      const json = String(answer.headers['content-type']).includes('json') ? answer.json<unknown>() : null;
      const known = { ...cell, values, answer: json };
      assert.deepEqual(
        events.map((event) => spell(event, known)),
        eventsOf(row),
      );
      // Names of Teams and of the Company are part of what is recorded.
      const words = [...cell.canaries.wordsIn(text)].filter((word) => !/^(team|company)-name/.test(word));
      assert.deepEqual(words, []);
      const secrets = [...cell.canaries.secretsIn(text), ...(answer.body.match(SHOWN_ONCE) ?? [])];
      for (const secret of secrets) assert.ok(!text.includes(secret), secret);
    });
  }
});

const kindsOf = (row: EventRow) => eventsOf(row).map((line) => line.slice(0, line.indexOf(':')));

/** The first row of each route with other kinds of events. */
const CHANGES = [
  ...new Map(
    EVENT_ROWS.filter((row) => !row.reads && eventsOf(row).length > 0)
      .toReversed()
      .map((row) => [[row.route, ...kindsOf(row)].join(' '), row]),
  ).values(),
];

describe('a change during which a statement fails', { concurrency: 4 }, () => {
  for (const row of CHANGES) {
    test(`is rolled back with its events, whichever statement it is: ${titleOf(row)}`, async (t) => {
      const { company, send } = await prepare(row);
      let left = 0;
      const failing = await openFailingApp(t, service, () => {
        left -= 1;
        return left < 0 ? databaseError('XX000') : null;
      });
      const before = await companyRows(service, company);
      let failed = 0;
      let answer = await send(failing);
      // A change of many records has the error in their results.
      for (; answer.statusCode >= 500 || answer.body.includes('"status":500'); answer = await send(failing)) {
        assert.deepEqual(await companyRows(service, company), before, `failed behind ${failed} statements`);
        failed += 1;
        left = failed;
      }
      assert.equal(answer.statusCode, row.ok, answer.body);
      assert.ok(failed > 2, `failed at ${failed} statements`);
      assert.notDeepEqual(await companyRows(service, company), before);
    });
  }
});

/** Kinds that no request writes by itself. */
const BY_THE_SERVICE = [
  'company.create',
  'memory.expire',
  'memory.import_complete',
  'memory.import_fail',
  'workspace.index',
  'workspace.index_fail',
  'workspace.unindex',
];

test('the service writes events of what it does by itself, without content', async () => {
  const company = await service.company();
  const workspace = workspaceOf(app, company.headers);
  const spoilt = Buffer.from([0, 1, 2, 3]);
  const due = await addSource(company);
  await database.query(`update memory.source set expires_at = now() where id = $1`, [due.id]);
  const { events, text } = await recordedBy(service, company, async () => {
    await doJob(database, 'records.expire', {});
    await upload(company, [
      { filename: 'narwhal.txt', text: 'The narwhal pays.' },
      { filename: 'spoilt-narwhal.txt', contentBase64: spoilt.toString('base64') },
    ]);
    await workspace.push([file('team/a.txt', 'The narwhal waits.'), file('team/b.txt', spoilt)]);
    const jobs = await database.query<{ name: 'import.process'; data: object }>(
      `select name, data from pgboss.job where data->>'teamId' = $1::text`,
      [company.teamId],
    );
    for (const { name, data } of jobs) await doJob(database, name, data);
    await workspace.push([deletion('team/a.txt', 1)]);
  });
  const ofService = events.filter(({ kind }) => BY_THE_SERVICE.includes(kind));
  assert.deepEqual([...ofService.map(({ kind }) => kind), 'company.create'].sort(), BY_THE_SERVICE);
  assert.doesNotMatch(text, /narwhal/i);
  const [first] = (await company.all.listCompanyAudit({})).slice(-1);
  assert.equal(first?.kind, 'company.create');
});

test('every kind of event is written by a row, by the service itself, by the operator, or by a worker', () => {
  const ofRows = EVENT_ROWS.flatMap(kindsOf);
  // Those of the operator are in test/companies/companies.test.ts.
  const ofOperator = ['companies.create', 'companies.end', 'companies.owner_link'];
  // That of a worker, which mails a link, is in test/mail/resets.test.ts.
  const ofWorker = ['auth.reset_request'];
  assert.deepEqual(
    [...new Set([...ofRows, ...BY_THE_SERVICE, ...ofOperator, ...ofWorker])].sort(),
    Object.keys(AUDIT_KINDS).sort(),
  );
});
