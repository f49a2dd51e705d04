import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/database.ts';
import { openEmbedded } from '../../db/embedded.ts';
import { openPostgres } from '../../db/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl } from '../support/database.ts';
import { createEmptyDatabase } from '../support/own-database.ts';
import {
  API_TOKEN,
  endProcesses,
  freePorts,
  printedUrl,
  type ServiceProcess,
  startMain,
  temporaryFolder,
} from '../support/processes.ts';

const IMPORTS = 200;
const IMPORTS_A_REQUEST = 5;

after(endProcesses);

/** Where the service is asked, and what ends the asking: the test's own time-out. */
interface Asked {
  url: string;
  signal: AbortSignal;
}

/** A file of its own for each import; every twentieth makes more chunks than one transaction writes. */
function fileText(index: number): string {
  const paragraphs = index % 20 === 0 ? 2000 : 100;
  return Array.from(
    { length: paragraphs },
    (_, n) =>
      `Paragraph ${n} of file${index}: the ${n * 7919 + index} pumps of plant ${index} were read by shift ${n}.`,
  ).join('\n\n');
}

/** Sends all imports, each batch until it is accepted: the key makes one of several tries. */
async function acceptImports(asked: Asked): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < IMPORTS; first += IMPORTS_A_REQUEST) {
    const items = Array.from({ length: IMPORTS_A_REQUEST }, (_, n) => ({
      filename: `file-${first + n}.txt`,
      text: fileText(first + n),
    }));
    const imports = await untilAnswered(asked, '/v1/memory/imports', {
      method: 'POST',
      body: JSON.stringify({ items }),
      headers: { 'content-type': 'application/json', 'idempotency-key': `batch-${first}` },
    });
    ids.push(...(imports as { imports: { id: string }[] }).imports.map((item) => item.id));
  }
  return ids;
}

/** Asks until there is an answer of success: the service may have been killed, before or after it did the work. */
async function untilAnswered({ url, signal }: Asked, path: string, init: RequestInit = {}): Promise<unknown> {
  for (;;) {
    const headers = { authorization: `Bearer ${API_TOKEN}`, ...init.headers };
    // A killed process takes the connection with it, whether it had begun or not.
    const response = await fetch(url + path, { ...init, headers, signal }).catch(() => null);
    if (response?.ok === true) return response.json().catch(() => null);
    const refused = response !== null && response.status < 500 && response.status !== 409;
    assert.ok(!refused, `${response?.status} ${await response?.text()}`);
    await sleep(50, undefined, { signal });
  }
}

interface Figures {
  queued: number;
  running: number;
  completed: number;
  failed: number;
}

/** Waits until the imports stand as `reached` wants them. */
async function untilImports(asked: Asked, reached: (imports: Figures) => boolean): Promise<Figures> {
  for (;;) {
    const status = (await untilAnswered(asked, '/v1/memory/status')) as { imports: Figures } | null;
    if (status !== null && reached(status.imports)) return status.imports;
    await sleep(20, undefined, { signal: asked.signal });
  }
}

/**
 * Kills and restarts while imports are accepted and run, again and again as they get on. `restart` gives the
 * next process to kill once it works.
 */
async function killWhileImporting(asked: Asked, restart: () => Promise<ServiceProcess>, kills: number) {
  let victim = await restart();
  const accepted = acceptImports(asked);
  for (let kill = 0; kill < kills; kill += 1) {
    const completed = 20 + Math.floor((kill * (IMPORTS - 80)) / kills);
    await untilImports(asked, (imports) => imports.completed >= completed);
    await victim.kill9();
    victim = await restart();
  }
  const ids = await accepted;
  const end = await untilImports(asked, ({ completed, failed }) => completed + failed >= IMPORTS);
  assert.deepEqual([end.completed, end.failed, end.queued, end.running], [IMPORTS, 0, 0, 0]);
  victim.child.kill('SIGTERM');
  assert.equal(await victim.exited, 0, victim.stderr.join('\n'));
  return ids;
}

async function count(database: Database, query: string): Promise<number> {
  const [row] = await database.query<{ n: number }>(`select count(*) as n from ${query}`);
  return row?.n ?? -1;
}

/** Every import took effect, and took it once. */
async function assertOnce(database: Database, ids: readonly string[]): Promise<void> {
  assert.equal(new Set(ids).size, IMPORTS);
  const imports = await database.query<{ id: string; state: string; attempts: number; sourceId: string }>(
    'select id, state, attempts, source_id as "sourceId" from memory.import order by id',
  );
  assert.deepEqual(
    imports.map((row) => row.id),
    ids.toSorted(),
  );
  assert.ok(imports.every((row) => row.state === 'completed' && row.attempts >= 1));
  const attempts = imports.reduce((sum, row) => sum + row.attempts, 0);
  assert.ok(attempts > IMPORTS, 'some were running when the process was killed, and every run counts');
  assert.equal(new Set(imports.map((row) => row.sourceId)).size, IMPORTS);
  assert.equal(await count(database, 'memory.import_payload'), 0);

  // What a killed run had written ahead is seen by no one, and upkeep removes it once it is old.
  await database.query(
    `update memory.source set updated_at = now() - interval '2 hours' where state = 'loading'`,
  );
  await database.query('select memory.prune()');
  const sources = await database.query<{
    id: string;
    chunks: number;
    state: string;
    text: string;
    rows: number;
  }>(
    `select s.id, s.chunk_count as chunks, s.state, string_agg(c.text, e'\\n\\n' order by c.ordinal) as text,
            count(*) as rows
       from memory.source s join memory.chunk c on c.team_id = s.team_id and c.source_id = s.id group by s.team_id, s.id`,
  );
  assert.equal(await count(database, 'memory.source'), IMPORTS);
  assert.ok(sources.every((row) => row.state === 'active' && row.rows === row.chunks));
  assert.deepEqual(
    sources.map((row) => row.text).sort(),
    Array.from({ length: IMPORTS }, (_, index) => fileText(index)).sort(),
    'each file is there once, from its first paragraph to its last',
  );
  const chunks = sources.reduce((sum, row) => sum + row.rows, 0);
  for (const table of ['chunk', 'chunk_keyword', 'embedding_pending']) {
    assert.equal(await count(database, `memory.${table}`), chunks, table);
  }

  for (const kind of ['memory.import', 'memory.import_complete']) {
    const events = await database.query<{ id: string }>(
      'select subject_id as id from memory.audit_event where kind = $1 order by subject_id',
      [kind],
    );
    assert.deepEqual(
      events.map((event) => event.id),
      ids.toSorted(),
      `one ${kind} each`,
    );
  }
  assert.equal(await count(database, `pgboss.job where name like 'import.%' and state <> 'completed'`), 0);
}

describe(`kill -9 while ${IMPORTS} imports run loses none and doubles none`, () => {
  test('of the worker, on PostgreSQL', { skip: databaseUrl === undefined, timeout: 170_000 }, async (t) => {
    assert.ok(databaseUrl);
    const own = await createEmptyDatabase(databaseUrl);
    const database = openPostgres(own.url, createLogger('fatal', 'test'), 1);
    t.after(async () => {
      await endProcesses();
      await database.close();
      await own.drop();
    });
    const env = {
      MEMORY_DATABASE_URL: own.url,
      MEMORY_API_PORT: '0',
      MEMORY_API_HOST: '127.0.0.1',
      MEMORY_RATE_LIMITS: 'off',
    };
    const api = startMain('api/main.ts', { env });
    const [, url = ''] = await api.line(/"url":"([^"]+)".*"msg":"listening"/);
    const restart = async () => {
      const worker = startMain('worker/main.ts', { env });
      await worker.line(/"msg":"working"/);
      return worker;
    };
    await assertOnce(database, await killWhileImporting({ url, signal: t.signal }, restart, 5));
  });

  test('of the whole service, on the embedded database', {
    skip: databaseUrl !== undefined,
    timeout: 170_000,
  }, async (t) => {
    const cwd = await temporaryFolder();
    const [port = 0] = await freePorts(1);
    const env = { MEMORY_API_PORT: String(port), MEMORY_RATE_LIMITS: 'off' };
    const restart = async () => {
      const service = startMain('start.ts', { cwd, env });
      await printedUrl(service);
      return service;
    };
    const ids = await killWhileImporting({ url: `http://127.0.0.1:${port}`, signal: t.signal }, restart, 3);
    const database = await openEmbedded({ dataDir: join(cwd, '.data') });
    try {
      await assertOnce(database, ids);
    } finally {
      await database.close();
    }
  });
});
