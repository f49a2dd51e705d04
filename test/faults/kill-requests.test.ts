import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl } from '../support/needs/database.ts';
import { createEmptyDatabase } from '../support/needs/own-database.ts';
import { endProcesses, freePorts, printedUrl, serviceFolder, startMain } from '../support/needs/process.ts';
import { until } from '../support/process-table.ts';
import { file } from '../support/workspace.ts';
import { get, type LoadRequest, type Reply, send, wholeList } from './load/client.ts';

after(endProcesses);

/** A request that changes many records, and how many of these exist. */
interface Change {
  request: LoadRequest;
  count: (url: string) => Promise<number>;
}

interface Kind {
  /** How many records each request changes. */
  records: number;
  /** The tables that it writes to, in the order of its steps: a request is stopped before each. */
  tables: readonly string[];
  /** What its changes need. The name is also the Idempotency-Key. */
  prepare: (url: string, name: string, signal: AbortSignal) => Promise<Change>;
}

const post = (path: string, body: unknown, name?: string): LoadRequest => ({
  method: 'POST',
  path,
  body,
  headers: name === undefined ? {} : { 'idempotency-key': name },
});

const KINDS: Record<string, Kind> = {
  'a push': {
    // The largest number of files that a push can have.
    records: 200,
    tables: ['memory.workspace_blob', 'memory.workspace_version', 'memory.idempotency_key'],
    prepare: async (_url, name, signal) => {
      const files = Array.from({ length: 200 }, (_, n) =>
        file(`team/${name}/${n}`, `${name} ${n} `.repeat(100)),
      );
      return {
        request: post('/v1/workspace/push', { files }, name),
        count: async (url) => {
          const listed = (await wholeList(url, '/v1/workspace/manifest', signal)) as {
            path: string;
            version: number;
          }[];
          const found = listed.filter(({ path }) => path.startsWith(`team/${name}/`));
          assert.ok(found.every(({ version }) => version === 1));
          return found.length;
        },
      };
    },
  },
  'a complete of a batch': {
    records: 20,
    tables: ['source', 'chunk', 'consolidation_batch', 'audit_event', 'idempotency_key'].map(
      (table) => `memory.${table}`,
    ),
    prepare: async (url, name, signal) => {
      for (let sequence = 0; sequence < 20; sequence += 1) {
        await send(
          url,
          post('/v1/memory/captures', { sessionId: name, sequence, summary: `${name} ${sequence}` }),
        );
      }
      const claimed = await send(url, post('/v1/memory/consolidation/claim', { limit: 20 }));
      const { batch } = claimed.json as { batch: { id: string; captures: { id: string }[] } };
      assert.equal(batch.captures.length, 20);
      const items = batch.captures.map(({ id }, index) => ({
        captureIds: [id],
        action: 'publish',
        title: `${name} ${index}`,
        content: `The decision ${index} of ${name}. `.repeat(50),
      }));
      return {
        request: post('/v1/memory/consolidation/complete', { batchId: batch.id, items }, name),
        count: async (url) => {
          const listed = await wholeList(url, '/v1/memory/memories', signal);
          return (listed as { title: string }[]).filter(({ title }) => title.startsWith(`${name} `)).length;
        },
      };
    },
  },
};

/** Asserts that an interrupted request left all or nothing, and repeats it: it takes effect once. */
async function assertOnce(signal: AbortSignal, url: string, records: number, change: Change, first: Reply) {
  const left = await change.count(url);
  assert.ok(left === 0 || left === records, `${left} are there`);
  if (first.status !== 0) assert.equal(left, records, 'what was acknowledged is there');
  let again = first;
  // The server may not have noticed yet that the process of this request is gone.
  await until(signal, async () => {
    again = await send(url, change.request);
    return !again.text.includes('idempotency_in_progress');
  });
  assert.equal(again.status, 200, again.text);
  if (first.status !== 0) assert.deepEqual(again.json, first.json);
  assert.deepEqual((await send(url, change.request)).json, again.json, 'and once more');
  assert.equal(await change.count(url), records);
}

/** Asserts that the events of the changes, and the contents of files, are stored once and whole. */
async function assertStored(database: Database, changed: number): Promise<void> {
  const [stored] = await database.query(
    `select (select count(*)::int from memory.audit_event where kind in ('workspace.write', 'memory.publish')) as events,
            (select count(*)::int from memory.workspace_version v left join memory.workspace_blob b using (company_id, sha256)
              where b.bytes is distinct from v.bytes or sha256(b.content) is distinct from v.sha256) as damaged`,
  );
  assert.deepEqual(stored, { events: changed, damaged: 0 });
}

/** An API on PostgreSQL. */
async function startApi(env: Record<string, string>) {
  const api = startMain('api/main.ts', { env });
  const [, url = ''] = await api.line(/"url":"([^"]+)".*"msg":"listening"/);
  return { api, url };
}

/**
 * Counts the requests that a service answers until another request has ended, or until there are enough. So it tells how far
 * that request has come.
 */
async function turnsDuring(url: string, answered: Promise<unknown>, enough: number): Promise<number> {
  let done = false;
  void answered.then(() => {
    done = true;
  });
  let turns = 0;
  for (; !done && turns < enough; turns += 1) await get(url, '/livez');
  return turns;
}

for (const [what, { records, tables, prepare }] of Object.entries(KINDS)) {
  describe(`kill -9 during ${what}`, () => {
    test('leaves all or nothing on PostgreSQL, where another process continues', {
      skip: databaseUrl === undefined && 'the embedded database has one process',
      timeout: 180_000,
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
      for (const table of tables) {
        const victim = await startApi(env);
        const change = await prepare(survivor.url, table.slice('memory.'.length), t.signal);
        const first = await database.transaction(async (tx) => {
          await tx.query(`lock table ${table} in share mode`);
          const answered = send(victim.url, change.request);
          const waiting = `select from pg_locks where relation = '${table}'::regclass and not granted`;
          await until(t.signal, async () => (await tx.query(waiting)).length > 0);
          await victim.api.kill9();
          return { answered };
        });
        assert.equal((await first.answered).status, 0, table);
        assert.equal(await change.count(survivor.url), 0, table);
        await assertOnce(t.signal, survivor.url, records, change, await first.answered);
      }
      // Killed as soon as all is visible: the answer may be lost or not.
      const victim = await startApi(env);
      const change = await prepare(survivor.url, 'committed', t.signal);
      const answered = send(victim.url, change.request);
      await until(t.signal, async () => (await change.count(survivor.url)) > 0);
      await victim.api.kill9();
      await assertOnce(t.signal, survivor.url, records, change, await answered);
      await assertStored(database, (tables.length + 1) * records);
    });

    test('leaves all or nothing on the embedded database after a restart', {
      skip: databaseUrl !== undefined && 'there is a server',
      timeout: 180_000,
    }, async (t) => {
      const cwd = await serviceFolder();
      const [port = 0] = await freePorts(1);
      const start = async () => {
        const service = startMain('start.ts', { cwd, env: { MEMORY_API_PORT: String(port) } });
        return { service, url: await printedUrl(service) };
      };
      let { service, url } = await start();
      // The number of turns of a whole request, by which the kills of the others are timed.
      let whole = Number.POSITIVE_INFINITY;
      for (const [name, share] of Object.entries({ acknowledged: 1, early: 0.25, late: 0.6 })) {
        const change = await prepare(url, name, t.signal);
        const answered = send(url, change.request);
        const turns = await turnsDuring(url, answered, whole * share);
        await service.kill9();
        const first = await answered;
        if (share === 1) {
          whole = turns;
          assert.equal(first.status, 200);
        }
        ({ service, url } = await start());
        await assertOnce(t.signal, url, records, change, first);
      }
    });
  });
}
