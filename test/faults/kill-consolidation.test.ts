import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import type { ListedCapture } from '../../shared/schemas/captures.ts';
import type { ConsolidatedItem } from '../../shared/schemas/consolidation.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
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
import { killAt, startApi, turnsDuring } from './killed-requests.ts';

after(endProcesses);

/** The captures of a batch. Each becomes a memory. */
const CAPTURES = 20;

interface Answer {
  status: number;
  body: { code?: string };
}

async function call<T>(
  url: string,
  path: string,
  body?: unknown,
  key?: string,
): Promise<{ status: number; body: T }> {
  const answer = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${API_TOKEN}`,
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}

/** A complete of a batch. Its name is also its Idempotency-Key, and the session of its captures. */
interface Completing {
  name: string;
  batchId: string;
  items: ConsolidatedItem[];
}

/** Stages captures and claims them. */
async function claim(url: string, name: string): Promise<Completing> {
  for (let sequence = 0; sequence < CAPTURES; sequence += 1) {
    await call(url, '/v1/memory/captures', { sessionId: name, sequence, summary: `${name} ${sequence}` });
  }
  const { body } = await call<{ batch: { id: string; captures: { id: string }[] } }>(
    url,
    '/v1/memory/consolidation/claim',
    { limit: CAPTURES },
  );
  const items = body.batch.captures.map(({ id }, index) => ({
    captureIds: [id],
    action: 'publish' as const,
    title: `${name} ${index}`,
    content: `The decision ${index} of ${name}. `.repeat(50),
  }));
  assert.equal(items.length, CAPTURES);
  return { name, batchId: body.batch.id, items };
}

/** Completes; null when the connection ended without an answer. */
const complete = (url: string, { name, batchId, items }: Completing): Promise<Answer | null> =>
  call<Answer['body']>(url, '/v1/memory/consolidation/complete', { batchId, items }, name).catch(() => null);

/** How many memories of a complete exist. */
async function countMemories(url: string, { name }: Completing): Promise<number> {
  const path = '/v1/memory/memories?state=published&limit=200';
  const { body } = await call<{ items: Memory[]; nextCursor: string | null }>(url, path);
  assert.equal(body.nextCursor, null);
  return body.items.filter(({ title }) => title.startsWith(`${name} `)).length;
}

/** Asserts that an interrupted complete left all or nothing, and repeats it: it takes effect once. */
async function assertOnce(
  signal: AbortSignal,
  url: string,
  completing: Completing,
  first: Answer | null,
): Promise<void> {
  const left = await countMemories(url, completing);
  assert.ok(left === 0 || left === CAPTURES, `${left} memories of ${completing.name} are there`);
  if (first !== null) assert.equal(left, CAPTURES, 'what was acknowledged is there');
  let again: Answer | null = null;
  // The server may not have noticed yet that the process of this request is gone.
  await until(signal, async () => {
    again = await complete(url, completing);
    return again?.body.code !== 'idempotency_in_progress';
  });
  const { status, body } = again as unknown as Answer;
  assert.equal(status, 200, JSON.stringify(body));
  if (first !== null) assert.deepEqual(body, first.body);
  // The batch itself repeats its results, also without the key.
  const { batchId, items } = completing;
  const repeated = await call(url, '/v1/memory/consolidation/complete', { batchId, items });
  assert.deepEqual(repeated, { status: 200, body });
  assert.equal(await countMemories(url, completing), CAPTURES);
  const { body: captures } = await call<{ items: ListedCapture[] }>(
    url,
    `/v1/memory/captures?limit=200&sessionId=${completing.name}`,
  );
  const made = captures.items.map(({ state, memoryIds }) => `${state} ${memoryIds?.length}`);
  assert.deepEqual(
    made,
    Array.from({ length: CAPTURES }, () => 'completed 1'),
  );
}

/** Where a complete is stopped, in the order of its steps: at the table that it writes to next. */
const MOMENTS = {
  sources: 'memory.source',
  chunks: 'memory.chunk',
  results: 'memory.consolidation_batch',
  events: 'memory.audit_event',
  answer: 'memory.idempotency_key',
};

describe('kill -9 during a complete of a batch', () => {
  test('a killed complete leaves all or nothing on PostgreSQL, where another process continues', {
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
    for (const [name, table] of Object.entries(MOMENTS)) {
      const completing = await claim(survivor.url, name);
      const send = (url: string) => complete(url, completing);
      const first = await killAt(t.signal, database, await startApi(env), { table, send });
      assert.equal(first, null, name);
      assert.equal(await countMemories(survivor.url, completing), 0, name);
      await assertOnce(t.signal, survivor.url, completing, first);
    }
  });

  test('a killed complete leaves all or nothing on the embedded database after a restart', {
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
    // The number of turns of a whole complete, by which the kill of the other is timed.
    let whole = Number.POSITIVE_INFINITY;
    for (const [name, share] of Object.entries({ acknowledged: 1, halfway: 0.5 })) {
      const completing = await claim(url, name);
      const answered = complete(url, completing);
      const turns = await turnsDuring(url, answered, whole * share);
      await service.kill9();
      const first = await answered;
      if (share === 1) {
        whole = turns;
        assert.equal(first?.status, 200);
      }
      ({ service, url } = await start());
      await assertOnce(t.signal, url, completing, first);
    }
  });
});
