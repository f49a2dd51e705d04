import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { App } from '../../../api/types.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { databaseBlobs } from '../../../db/queries/workspace/contents.ts';
import { openQueue } from '../../../db/queue/queue.ts';
import { resolvePrincipal } from '../../../db/startup/bootstrap.ts';
import type { Config } from '../../../shared/config.ts';
import { EMBEDDING_DIM } from '../../../shared/embeddings.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { SearchResponse } from '../../../shared/schemas/search.ts';
import { type RunningWorker, startWorker } from '../../../worker/worker.ts';
import type { TestApp } from '../../support/app.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { until } from '../../support/process-table.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { type Caller } from '../../support/team.ts';
import { TEST_MODEL, writeTestModel } from '../../support/test-model.ts';

/** What goes with an embedding of the small model. */
export const SMALL_CLAIM = { embeddingModel: TEST_MODEL, embeddingDim: EMBEDDING_DIM };

/** A service that makes vectors itself, with the small model, and no worker yet. */
export interface ServerMode extends TestApp, Dependencies {
  url: string | undefined;
  modelDir: string;
}

/** Opens such a service on a database of the file's own: its worker would take the jobs of every other. */
export async function openServerMode(env: Record<string, string> = {}): Promise<ServerMode> {
  const modelDir = await mkdtemp(join(tmpdir(), 'memory-server-mode-'));
  after(() => rm(modelDir, { recursive: true, force: true, maxRetries: 5 }));
  await writeTestModel(modelDir);
  const service = await openOwnTestApp({
    MEMORY_API_SERVER_EMBEDDINGS: '1',
    MEMORY_EMBEDDING_MODEL: TEST_MODEL,
    MEMORY_MODEL_DIR: modelDir,
    ...env,
  });
  const { companyName, teamName, ownerEmail, embeddingModel } = service.config;
  await resolvePrincipal(service.database, { companyName, teamName, ownerEmail, embeddingModel });
  return { ...service, modelDir };
}

/**
 * The app of another API process of the service, with settings of its own: on PostgreSQL it has connections of its own.
 * Closed when the test is done.
 */
export async function openOtherApi(
  t: { after(fn: () => unknown): void },
  service: ServerMode,
  { queue = service.queue, ...settings }: Partial<Config> & Partial<Pick<Dependencies, 'queue'>> = {},
): Promise<{ app: App }> {
  const database =
    service.url === undefined ? service.database : openPostgres(service.url, createLogger('silent', 'test'));
  const app = await buildTestedApp({
    ...service,
    queue,
    database,
    blobs: databaseBlobs(database),
    config: { ...service.config, ...settings },
  });
  t.after(async () => {
    await app.close();
    if (database !== service.database) await database.close();
  });
  return { app };
}

/**
 * Starts a worker in this process, with a queue of its own, and waits until its model stands as is wanted, by default
 * ready.
 * @param main runs in the place of the model's process
 */
export async function startModelWorker(
  service: ServerMode,
  { main, state = 'ready' }: { main?: URL; state?: string } = {},
): Promise<RunningWorker> {
  const logger = createLogger('silent', 'test');
  const queue = await openQueue({
    database: service.database,
    databaseUrl: service.url ?? null,
    supervise: true,
    logger,
    drainMs: 5000,
  });
  const model = main === undefined ? {} : { main };
  const worker = await startWorker({ ...service, queue, logger }, { model });
  await until(AbortSignal.timeout(60_000), async () => {
    const rows = await service.database.query(
      `select from memory.worker where id = $1 and embedder ->> 'state' = $2`,
      [worker.id, state],
    );
    return rows.length === 1;
  });
  return worker;
}

/** Has a worker live, by its word, that stands like this; null for one that makes no vectors. */
export async function sayOfWorker(
  { database }: Pick<TestApp, 'database'>,
  id: string,
  embedder:
    | ({ state: string; model?: string; fetched?: number } & Partial<
        Record<'fetchSecondsLeft' | 'chunksPerMinute', number>
      >)
    | null,
): Promise<void> {
  await database.query(
    `insert into memory.worker (id, queues, rss_bytes, embedder) values ($1, '{}', 1, $2::jsonb)
     on conflict (id) do update set last_seen_at = now(), embedder = excluded.embedder`,
    [
      id,
      embedder === null
        ? null
        : JSON.stringify({ model: TEST_MODEL, fetched: null, chunksPerMinute: 0, ...embedder }),
    ],
  );
}

export type Found = SearchResponse;

/** Asks without caring for how it ends. */
export function askInServerMode(caller: Caller, query: string, more: object = {}) {
  return caller.ask.searchMemory({ query, scope: {}, embeddingMode: 'server', ...more });
}

/** Searches in server mode. */
export async function searchInServerMode(caller: Caller, query: string, more: object = {}): Promise<Found> {
  const answer = await askInServerMode(caller, query, more);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<Found>();
}

/** The jobs of queries that there are, whatever their state. */
export function queryJobs({
  database,
}: Pick<TestApp, 'database'>): Promise<{ id: string; state: string; data: object | null }[]> {
  return database.query(
    `select id, state, data from pgboss.job where name = 'embed.query' order by created_on`,
  );
}

/** Where in the database these words stand, of all tables of the service and its queue: by table, as text. */
export async function placesOf({ database }: Pick<TestApp, 'database'>, words: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('memory', 'identity', 'pgboss') order by 1`,
  );
  const places: string[] = [];
  for (const { name } of tables) {
    const [row] = await database.query<{ n: number }>(
      `select count(*)::int as n from ${name} t where strpos(t::text, $1) > 0`,
      [words],
    );
    if ((row?.n ?? 0) > 0) places.push(name);
  }
  return places;
}
