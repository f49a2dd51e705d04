import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { Queryable } from '../../db/driver/database.ts';
import { openEmbedded } from '../../db/driver/embedded.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import type { Manifest, PushedFile, PushResponse } from '../../shared/schemas/workspace.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { createEmptyDatabase } from '../support/needs/own-database.ts';
import {
  API_TOKEN,
  endProcesses,
  freePorts,
  printedUrl,
  serviceFolder,
  startMain,
} from '../support/needs/process.ts';
import { until } from '../support/process-table.ts';
import { file } from '../support/workspace.ts';
import { killAt, startApi, turnsDuring } from './killed-requests.ts';

after(endProcesses);

/** The largest number of files that a push can have. */
const FILES = 200;

/** The files of a push. Its name is also its Idempotency-Key and the folder of its files. */
function filesOf(name: string): PushedFile[] {
  return Array.from({ length: FILES }, (_, n) => file(`team/${name}/${n}`, `${name} ${n} `.repeat(100)));
}

type Answer = { status: number; body: PushResponse & { code?: string } };

const headers = { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' };

/** Pushes to a service; null when the connection ended without an answer. */
async function push(url: string, name: string): Promise<Answer | null> {
  try {
    const answer = await fetch(`${url}/v1/workspace/push`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': name },
      body: JSON.stringify({ files: filesOf(name) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  } catch {
    return null;
  }
}

/** How many files of a push exist. Asserts that all have version 1. */
async function countFiles(url: string, name: string): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const answer = await fetch(`${url}/v1/workspace/manifest?limit=200${query}`, { headers });
    const page = (await answer.json()) as Manifest;
    for (const { path, version } of page.items) {
      if (!path.startsWith(`team/${name}/`)) continue;
      assert.equal(version, 1, path);
      count += 1;
    }
    cursor = page.nextCursor;
  }
  return count;
}

/** Asserts that an interrupted push left all or nothing, and repeats it: it takes effect once. */
async function assertOnce(
  signal: AbortSignal,
  url: string,
  { name, first }: { name: string; first: Answer | null },
): Promise<void> {
  const left = await countFiles(url, name);
  assert.ok(left === 0 || left === FILES, `${left} files of ${name} are there`);
  if (first !== null) assert.equal(left, FILES, 'what was acknowledged is there');
  let again: Answer | null = null;
  // The server may not have noticed yet that the process of this push is gone.
  await until(signal, async () => {
    again = await push(url, name);
    return again?.body.code !== 'idempotency_in_progress';
  });
  const { status, body } = again as unknown as Answer;
  assert.equal(status, 200, JSON.stringify(body));
  if (first !== null) assert.deepEqual(body, first.body);
  assert.deepEqual((await push(url, name))?.body, body, 'and once more');
  assert.equal(await countFiles(url, name), FILES);
}

/** Asserts in the database that this many pushes were written once, completely, with their events. */
async function assertWritten(database: Queryable, pushes: number): Promise<void> {
  const [written] = await database.query(
    `select count(*)::int as versions, count(distinct v.path)::int as paths, count(distinct v.revision)::int as revisions,
            count(*) filter (where sha256(b.content) = v.sha256 and b.bytes = v.bytes)::int as contents,
            (select count(*)::int from memory.audit_event where kind = 'workspace.write') as events
       from memory.workspace_version v left join memory.workspace_blob b using (company_id, sha256)`,
  );
  const files = pushes * FILES;
  assert.deepEqual(
    { ...written },
    { versions: files, paths: files, revisions: pushes, contents: files, events: files },
  );
}

/** Where a push is stopped, in the order of its steps: at the table that it writes to next. */
const MOMENTS = {
  'its contents are kept': 'memory.workspace_blob',
  'its versions are written': 'memory.workspace_version',
  'its answer is kept, with all written': 'memory.idempotency_key',
};

describe('kill -9 during a push', () => {
  test('a killed push leaves all or nothing on PostgreSQL, where another process continues', {
    skip: databaseUrl === undefined && 'the embedded database has one process',
    timeout: 120_000,
  }, async (t) => {
    const own = await createEmptyDatabase(databaseUrl ?? '');
    const env = { MEMORY_DATABASE_URL: own.url, MEMORY_API_PORT: '0', MEMORY_API_HOST: '127.0.0.1' };
    const survivor = await startApi(env);
    const database = openPostgres(own.url, createLogger('fatal', 'test'), { max: 2 });
    t.after(async () => {
      await endProcesses();
      await database.close();
      await own.drop();
    });
    for (const [moment, table] of Object.entries(MOMENTS)) {
      const name = table.slice('memory.'.length);
      const first = await killAt(t.signal, database, await startApi(env), {
        table,
        send: (url) => push(url, name),
      });
      assert.equal(first, null, moment);
      assert.equal(await countFiles(survivor.url, name), 0, moment);
      await assertOnce(t.signal, survivor.url, { name, first });
    }
    // Killed as soon as the files are visible: the answer may be lost or not.
    const victim = await startApi(env);
    const answered = push(victim.url, 'committed');
    await until(t.signal, async () => (await countFiles(survivor.url, 'committed')) > 0);
    await victim.api.kill9();
    await assertOnce(t.signal, survivor.url, { name: 'committed', first: await answered });
    await assertWritten(database, Object.keys(MOMENTS).length + 1);
  });

  test('a killed push leaves all or nothing on the embedded database after a restart', {
    skip: databaseUrl !== undefined && 'there is a server',
    timeout: 120_000,
  }, async (t) => {
    const cwd = await serviceFolder();
    const [port = 0] = await freePorts(1);
    const start = async () => {
      const service = startMain('start.ts', { cwd, env: { MEMORY_API_PORT: String(port) } });
      return { service, url: await printedUrl(service) };
    };
    let { service, url } = await start();
    // The number of turns of a completed push, by which the kills of the others are timed.
    let whole = Number.POSITIVE_INFINITY;
    for (const [name, share] of Object.entries({ acknowledged: 1, early: 0.25, late: 0.6 })) {
      const answered = push(url, name);
      const turns = await turnsDuring(url, answered, whole * share);
      await service.kill9();
      const first = await answered;
      if (share === 1) {
        whole = turns;
        assert.equal(first?.status, 200);
      }
      ({ service, url } = await start());
      await assertOnce(t.signal, url, { name, first });
    }
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.stderr.join('\n'));
    const database = await openEmbedded({ dataDir: join(cwd, '.data') });
    try {
      await assertWritten(database, 3);
    } finally {
      await database.close();
    }
  });
});
