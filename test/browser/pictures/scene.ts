import { conflictPath } from '../../../cli/sync/names.ts';
import { recordWorker } from '../../../db/queries/status.ts';
import { importMediaType } from '../../../shared/formats/media-types.ts';
import { newId } from '../../../shared/ids.ts';
import { QUEUES } from '../../../shared/queues.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import type { SignedIn, TestApp } from '../../support/app.ts';
import { stageCapture } from '../../support/captures.ts';
import { claimAll, completed } from '../../support/consolidation.ts';
import { searchByWords } from '../../support/feedback.ts';
import { importNow } from '../../support/import-now.ts';
import { plantImports } from '../../support/import-records.ts';
import { addMemories } from '../../support/memories.ts';
import { writePdf } from '../../support/pdf-writer.ts';
import { addPerson, type Person } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';
import {
  CAPTURES,
  CLIENTS,
  COMPANY,
  CONSOLIDATED,
  FAILED,
  FILES,
  IMPORTED,
  OWNER,
  PEOPLE,
  PLAN,
  PUBLISHED,
  REVIEW,
  TEAM,
  TEXTS,
} from './texts.ts';

const WORKERS = [newId(), newId()];

export interface Scene {
  company: SignedIn;
  /** Records with pages of their own. */
  source: string;
  memory: string;
  pdf: string;
  person: string;
}

/** Fills a Team with half a year of work. */
export async function setScene(service: TestApp): Promise<Scene> {
  const company = await service.company();
  const { database } = service;
  const rename = (table: string, id: string, name: string) =>
    database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);
  await rename('company', company.companyId, COMPANY);
  await rename('team', company.teamId, TEAM);
  const people = await addPeople(service, company, rename);
  const clients: string[] = [];
  for (const name of CLIENTS) clients.push((await company.api.createClient({ name })).id);
  for (const [index, [, , access]] of PEOPLE.entries())
    for (const [at, given] of access.entries())
      if (given !== null)
        await company.api.giveClientGrant(people[index]!.userId, clients[at]!, { access: given });
  const authors = [company, people[4]!, company, people[0]!];
  const sources: string[] = [];
  for (const [n, { client, ...draft }] of TEXTS.entries()) {
    const scope = client === undefined ? {} : { scope: { clientId: clients[client]! } };
    const author = authors[n % authors.length]!;
    const { source } = await author.api.ingestSource({ ...draft, tags: [...draft.tags], ...scope });
    sources.push(source.id);
  }
  const pages = PLAN.map((lines) =>
    lines.map((bytes, n) => ({ x: 60, y: 740 - n * 34, size: n === 0 ? 20 : 12, bytes })),
  );
  const { sourceId: pdf } = await importNow(service, company, {
    filename: 'Winter plan 2026-27.pdf',
    mediaType: 'application/pdf',
    contentBase64: Buffer.from(writePdf({ pages })).toString('base64'),
  });
  for (const [filename, text] of Object.entries(IMPORTED)) {
    const mediaType = importMediaType(filename, undefined, false)!;
    await importNow(service, company, {
      filename,
      mediaType,
      contentBase64: Buffer.from(text).toString('base64'),
    });
  }
  for (const [filename, code, message, hours] of FAILED) {
    const [id] = await plantImports(service, company, 1, { filename, failedDaysAgo: hours / 24 });
    await database.query(
      `update memory.import set error_code = $2, error_message = $3, bytes = 1000 * $4::int where id = $1`,
      [id, code, message, 97 + 13 * hours],
    );
  }
  const [memory] = await addMemories(company, 'published', PUBLISHED);
  for (const [n, [sessionId, summary]] of CONSOLIDATED.entries())
    await stageCapture(people[0]!, { sessionId, summary, sequence: n });
  const { batchId, captureIds } = await claimAll(people[0]!);
  const items = REVIEW.map((item) => ({
    ...item,
    captureIds,
    action: 'review' as const,
  }));
  await completed(people[0]!, batchId, items);
  await pushFiles(company, people[2]!);
  const agents = await addAgents(service, company, people);
  for (const query of ['temperature excursion', 'customs hold H31', 'Leeds', 'pallets', 'ferry strike'])
    for (const caller of [company, people[0]!, agents[0]!]) await searchByWords(caller, query);
  // After the memories, which claim what waits.
  for (const [n, [sessionId, summary]] of CAPTURES.entries())
    await stageCapture(n % 2 === 0 ? company : agents[0]!, { sessionId, summary, sequence: n });
  await company.api.createTeam({ name: 'Warehouse Basel' });
  await company.api.createTeam({ name: 'Finance' });
  await company.api.createInvite({ email: 'ines.ferreira@kestrel.example', role: 'member' });
  await company.api.createInvite({ email: 'tom.ashby@kestrel.example', role: 'admin' });
  await age(service, company);
  await addDays(
    service,
    company,
    agents.map(({ record }) => record.id),
  );
  return { company, source: sources[0]!, memory: memory!.id, pdf, person: people[4]!.userId };
}

/** Has two workers say that they run, as they do every few seconds. */
export async function runWorkers({ database }: Pick<TestApp, 'database'>): Promise<void> {
  for (const [n, rssBytes] of [231_400_000, 188_700_000].entries())
    await recordWorker(database, { id: WORKERS[n]!, queues: Object.keys(QUEUES), rssBytes, embedder: null });
}

async function addPeople(
  service: TestApp,
  company: SignedIn,
  rename: (table: string, id: string, name: string) => Promise<unknown>,
): Promise<Person[]> {
  const called = async (id: string, name: string) => {
    await rename('account', id, name);
    const email = `${name.toLowerCase().replace(' ', '.')}@kestrel.example`;
    await service.database.query('update identity.account set email = $2 where id = $1', [id, email]);
  };
  await called(company.ownerId, OWNER);
  const people: Person[] = [];
  for (const [name, teamRole] of PEOPLE) {
    const person = await addPerson(service, company, { teamRole });
    await called(person.userId, name);
    people.push(person);
  }
  return people;
}

async function addAgents(service: TestApp, company: SignedIn, people: readonly Person[]) {
  return [
    await createAgent(service, company, company, { name: 'Claude Code on my laptop' }),
    await createAgent(service, company, company, { name: 'Nightly consolidation' }),
    await createAgent(service, people[0]!, company, {
      name: 'Ticket assistant',
      permissions: ['memory:read'],
    }),
  ];
}

/** Files of the workspace, one with an older version, and one that was changed by two people. */
async function pushFiles(company: SignedIn, other: Person): Promise<void> {
  const paths = Object.entries(FILES);
  await company.api.pushFiles({ files: paths.map(([path, text]) => file(path, text)) });
  const [path, text] = paths[0]!;
  await company.api.pushFiles({ files: [file(path, `${text}4. Attach the readings of both loggers.\n`, 1)] });
  const copy = conflictPath('team/glossary.md', 'Ben Cole', Date.now() - 86_400_000, () => false);
  await other.api.pushFiles({
    files: [file(copy, `${FILES['team/glossary.md']}- **Bay**: a cooled place at a dock.\n`)],
  });
}

/** Spreads what was made now over the last months, in its order. Rules of tables about changes are left out for it. */
async function age({ database }: TestApp, { companyId, teamId }: SignedIn): Promise<void> {
  const spread = (table: string, where: string, days: number, ...columns: string[]) => `
    update ${table} r set ${columns.map((column) => `${column} = now() - make_interval(secs => o.ago)`).join(', ')}
      from (select id, 86400 * ${days} * power(row_number() over (order by id desc) / (count(*) over ())::float8, 2)
                       + 60 * row_number() over (order by id desc) as ago
              from ${table} where ${where}) o
     where r.id = o.id and ${where};`;
  const team = `team_id = '${teamId}'`;
  await database.query(`do $$ begin
    perform set_config('session_replication_role', 'replica', true);
    ${spread('memory.source', team, 150, 'created_at', 'updated_at')}
    ${spread('memory.memory_item', team, 60, 'created_at', 'updated_at')}
    ${spread('memory.capture', team, 9, 'created_at')}
    ${spread('memory.workspace_version', team, 40, 'updated_at')}
    ${spread('memory.audit_event', `company_id = '${companyId}'`, 20, 'at')}
    ${spread('identity.agent_token', team, 70, 'created_at')}
    ${spread('identity.invite', team, 4, 'created_at')}
    ${spread('memory.import', team, 6, 'created_at', 'updated_at')}
    ${spread('identity.client', team, 300, 'created_at')}
    ${spread('identity.team', `company_id = '${companyId}'`, 400, 'created_at')}
    ${spread('identity.account', `company_id = '${companyId}'`, 380, 'created_at')}
    update identity.team_member m set created_at = a.created_at from identity.account a where a.id = m.user_id;
    update memory.chunk c set created_at = s.created_at from memory.source s where s.id = c.source_id and s.${team};
    update memory.memory_item set decided_at = created_at where ${team} and decided_at is not null;
    update memory.memory_version v set created_at = i.created_at from memory.memory_item i where i.id = v.memory_id;
    update memory.workspace_version set indexed = 'yes' where ${team};
    insert into memory.source_use (team_id, source_id, found, opened, last_found_at)
      select team_id, id, 3 + ascii(title) % 41, ascii(title) % 7, now() - interval '5 hours' from memory.source where ${team}
      on conflict (team_id, source_id) do update set found = excluded.found, opened = excluded.opened;
    delete from pgboss.job where data->>'teamId' = '${teamId}' or singleton_key = '${teamId}';
  end $$`);
}

/** A busy month, with quiet weekends, and a busy hour of the queues. */
async function addDays(
  { database }: TestApp,
  { teamId }: SignedIn,
  tokens: readonly string[],
): Promise<void> {
  await database.query('delete from memory.team_activity where team_id = $1', [teamId]);
  const people = '00000000-0000-0000-0000-000000000000';
  for (let ago = 0; ago < 60; ago += 1)
    for (const [n, token] of [people, ...tokens].entries()) {
      const isQuiet = new Date(Date.now() - ago * 86_400_000).getUTCDay() % 6 === 0;
      const searches = Math.round((isQuiet ? 6 : 42 - ago / 3 + 11 * Math.sin(ago * 1.3 + n)) / (n + 1));
      const part = (share: number) => Math.max(0, Math.round(searches * share));
      await database.query(
        `insert into memory.team_activity (team_id, day, token_id, searches, searches_without_hit, opened, ingested, imported,
                                           captured, published, feedback, writes, characters_returned)
         values ($1, (now() at time zone 'UTC')::date - $2::int, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
        [
          teamId,
          ago,
          token,
          searches,
          part(0.09),
          part(0.6),
          part(0.06),
          part(0.1),
          part(0.12),
          part(0.04),
          part(0.03),
          part(0.2),
          searches * 2400,
        ],
      );
    }
  for (const [queue, weight] of Object.entries({
    'import.process': 1,
    'keywords.count': 0.2,
    'audit.seal': 0.1,
  }))
    for (let minute = 0; minute < 60; minute += 1) {
      const depth = Math.round(Math.max(0, 60 - Math.abs(minute - 22) * 3) * weight);
      await database.query(
        `insert into pgboss.queue_stats (name, ready_count, active_count, completed_delta, failed_delta, delta_seconds,
                                         delta_on, captured_on)
         values ($1, $2, $3, $4, 0, 60, now() - make_interval(mins => $5, secs => 10),
                 -- There is no place yet for the day before this one.
                 greatest(now() - make_interval(mins => $5), date_trunc('day', now(), 'UTC')))`,
        [queue, depth, Math.min(2, depth), Math.min(depth, 9), 59 - minute],
      );
    }
}
