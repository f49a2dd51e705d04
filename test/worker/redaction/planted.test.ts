import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import type { Database } from '../../../db/driver/database.ts';
import type { Import } from '../../../shared/schemas/imports.ts';
import { queryTerms } from '../../../shared/text/terms/terms.ts';
import { startWorker } from '../../../worker/worker.ts';
import { via } from '../../support/client/client.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { isOver, untilImport } from '../../support/running-imports.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { addPerson, addTeam } from '../../support/team.ts';
import { workspaceOf } from '../../support/workspace.ts';
import { type Answered, importFiles, type MakeSecret, waysIn } from './ways-in.ts';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Makes tokens of GitHub, each another, and lists what it has made. */
function secretMaker(): { make: MakeSecret; made: string[] } {
  const made: string[] = [];
  const make = () => {
    const random = Array.from({ length: 36 }, () => ALPHANUMERIC[randomInt(ALPHANUMERIC.length)]);
    const secret = ['gh', 'p_', ...random].join('');
    made.push(secret);
    return secret;
  };
  return { make, made };
}

/** Every row of every table, those of the queue too, as one text in lower case. */
async function dump(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname !~ '^(pg_|information_schema)'`,
  );
  assert.ok(tables.length > 30, 'all schemas are read');
  assert.ok(tables.some(({ name }) => name.startsWith('pgboss.')));
  const texts: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select t::text as row from ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n').toLowerCase();
}

/** The secrets that a text contains, as they are or in hexadecimal, as bytes are shown. */
function leaked(secrets: readonly string[], text: string): string[] {
  return secrets.filter((secret) =>
    [secret, Buffer.from(secret).toString('hex')].some((form) => text.includes(form.toLowerCase())),
  );
}

async function open(mode: 'flag' | 'redact' | 'refuse') {
  const service = await openOwnTestApp({ MEMORY_REDACTION: mode });
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const app = await buildTestedApp({ ...service, logger });
  const company = await service.company();
  const admin = await addPerson(service, company, { companyRole: 'admin' });
  const wanted = await addTeam(service, company);
  return { ...service, app, logger, lines, company, admin: { ...admin, wanted } };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Sends every request. */
async function sendAll(opened: Opened, make: MakeSecret): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (const send of await waysIn(via(opened, opened.company), opened.admin)) answers.push(await send(make));
  return answers;
}

/** Runs imports to their end, with a worker that logs everything. */
async function runImports(opened: Opened, make: MakeSecret, signal: AbortSignal): Promise<Import[]> {
  const worker = await startWorker(opened);
  try {
    const ids = await importFiles(via(opened, opened.company), make);
    return await Promise.all(ids.map((id) => untilImport(via(opened, opened.company), id, signal, isOver)));
  } finally {
    await worker.stop();
  }
}

/** The paths of the credentials that an answer reports, which come last in it. */
function reportedPaths(text: string): (string | undefined)[] {
  const redactions = text.slice(text.lastIndexOf('"redactions":'));
  return [...redactions.matchAll(/"path":"([^"]*)"/g)].map(([, path]) => path);
}

function assertNotShown(
  { lines }: Opened,
  made: readonly string[],
  { answers, imports }: { answers: Answered[]; imports: Import[] },
): void {
  const shown = answers.map(({ text }) => text).join('\n') + JSON.stringify(imports);
  assert.deepEqual(leaked(made, shown.toLowerCase()), [], 'in answers');
  assert.deepEqual(leaked(made, lines.join('').toLowerCase()), [], 'in the log');
}

/** How many passages have a term of the secret that is long enough to be its own. */
async function passagesWithTermsOf({ database, company }: Opened, secret: string): Promise<number> {
  const { keys, keyTexts } = queryTerms(company.teamId, secret);
  const own = keys.filter((_, index) => (keyTexts[index] ?? '').length > secret.length / 2);
  assert.ok(own.length > 0);
  const rows = await database.query('select from memory.chunk_keyword where keys && $1::int[]', [own]);
  return rows.length;
}

describe('credentials in all that is stored', () => {
  it('are masked in the mode redact, and nothing holds the value', async (t) => {
    const opened = await open('redact');
    t.after(() => opened.app.close());
    const { make, made } = secretMaker();
    const answers = await sendAll(opened, make);
    for (const { way, status, text, paths } of answers) {
      // A push would store another content than it was sent.
      assert.equal(status === 422, way === 'pushFiles', `${way}: ${text}`);
      assert.deepEqual(reportedPaths(text), paths, way);
      assert.ok(text.includes('"preview":"ghp_…"'), way);
    }
    const imports = await runImports(opened, make, t.signal);
    assert.deepEqual(
      imports.map(({ state, redactions }) => [state, redactions?.map(({ rule, path }) => `${path} ${rule}`)]),
      [
        ['completed', ['/text github']],
        ['completed', ['/documentTitle github', '/text github']],
      ],
    );
    assertNotShown(opened, made, { answers, imports });
    const stored = await dump(opened.database);
    assert.ok(stored.includes('a note with [redacted: github] in it.'));
    assert.deepEqual(leaked(made, stored), [], 'in the database');
    for (const secret of made) assert.equal(await passagesWithTermsOf(opened, secret), 0, 'in the terms');
    const [chunks] = answers.filter(({ paths }) => paths[0] === '/chunks/1/text');
    assert.partialDeepStrictEqual(JSON.parse(chunks?.text ?? ''), { chunks: 2, embedded: 1 });
  });

  it('are refused in the mode refuse, and nothing is stored', async (t) => {
    const opened = await open('refuse');
    t.after(() => opened.app.close());
    const { make, made } = secretMaker();
    const answers = await sendAll(opened, make);
    for (const { way, status, text } of answers) {
      assert.equal(status, 422, `${way}: ${text}`);
      assert.ok(text.includes('secret_detected'), way);
    }
    const imports = await runImports(opened, make, t.signal);
    assert.deepEqual(
      imports.map(({ state, error, payloadPrunedAt, redactions }) => [
        state,
        error?.code,
        payloadPrunedAt !== null,
        redactions?.[0]?.rule,
      ]),
      Array.from({ length: 2 }, () => ['failed', 'secret_detected', true, 'github']),
    );
    for (const { id } of imports) {
      const retry = await via(opened, opened.company).ask.retryImport(id);
      assert.equal(retry.statusCode, 409);
    }
    assertNotShown(opened, made, { answers, imports });
    assert.deepEqual(leaked(made, await dump(opened.database)), [], 'in the database');
  });

  it('are reported in the mode flag, which stores texts unchanged and no value in an event', async (t) => {
    const opened = await open('flag');
    t.after(() => opened.app.close());
    const { make, made } = secretMaker();
    const answers = await sendAll(opened, make);
    for (const { way, status, text, paths } of answers) {
      assert.ok(status < 300, `${way}: ${text}`);
      assert.deepEqual(reportedPaths(text), paths, way);
    }
    const imports = await runImports(opened, make, t.signal);
    assert.ok(imports.every(({ state, redactions }) => state === 'completed' && redactions?.length));
    const stored = await dump(opened.database);
    const events = await opened.database.query<{ row: string }>(
      'select e::text as row from memory.audit_event e union all select s::text from memory.audit_search s',
    );
    const trail = events.map(({ row }) => row).join('\n');
    assert.ok(trail.includes('[redacted: github]'), 'the query of a search is masked');
    assert.deepEqual(leaked(made, trail.toLowerCase()), [], 'in the audit');
    assert.deepEqual(leaked(made, opened.lines.join('').toLowerCase()), [], 'in the log');
    assert.ok(leaked(made, stored).length > 20);
    const pushed = await workspaceOf(opened.app, opened.company.headers).wholeManifest();
    assert.equal(leaked(made, pushed.map(({ path }) => path.toLowerCase()).join('\n')).length, 1);
  });
});
