import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../db/driver/database.ts';
import { openEmbedded } from '../../db/driver/embedded.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { type Asked, sendFiles, untilAnswered, untilImports } from './many-imports.ts';
import { createEmptyDatabase } from './needs/own-database.ts';
import {
  endProcesses,
  freePorts,
  printedUrl,
  type ServiceProcess,
  serviceFolder,
  startMain,
} from './needs/process.ts';

/** A service whose workers can be killed, on a database of its own. */
export interface KillableService {
  url: string;
  /** Starts a process that does jobs, and waits until it does. */
  startWorker(): Promise<ServiceProcess>;
  /** The database, once every process has ended. */
  openDatabase(): Promise<Database>;
  close(): Promise<void>;
}

/** An API on PostgreSQL, and workers as processes of their own. */
export async function killableWorkers(serverUrl: string): Promise<KillableService> {
  const own = await createEmptyDatabase(serverUrl);
  const env = {
    MEMORY_DATABASE_URL: own.url,
    MEMORY_API_PORT: '0',
    MEMORY_API_HOST: '127.0.0.1',
    MEMORY_RATE_LIMITS: 'off',
  };
  const api = startMain('api/main.ts', { env });
  const [, url = ''] = await api.line(/"url":"([^"]+)".*"msg":"listening"/);
  return {
    url,
    startWorker: async () => {
      const worker = startMain('worker/main.ts', { env });
      await worker.line(/"msg":"working"/);
      return worker;
    },
    openDatabase: async () => openPostgres(own.url, createLogger('fatal', 'test'), { max: 4 }),
    close: async () => {
      await endProcesses();
      await own.drop();
    },
  };
}

/** The whole service in one process, on the embedded database. */
export async function killableService(): Promise<KillableService> {
  const cwd = await serviceFolder();
  const [port = 0] = await freePorts(1);
  const env = { MEMORY_API_PORT: String(port), MEMORY_RATE_LIMITS: 'off' };
  return {
    url: `http://127.0.0.1:${port}`,
    startWorker: async () => {
      const service = startMain('start.ts', { cwd, env });
      await printedUrl(service);
      return service;
    },
    openDatabase: () => openEmbedded({ dataDir: join(cwd, '.data') }),
    close: endProcesses,
  };
}

/** Files that wait beyond those done, so that there is work however many are stuck with workers that were killed. */
const FILES_AHEAD = 60;

/**
 * Kills one process after the other, at a moment by chance, and starts another in its place, while imports are
 * accepted and run: again and again as so many more are done, so that each hits a worker at its work. Then waits until
 * all are done and stops the processes.
 * @param plan how many imports run, and how often one of so many processes is killed before all are done
 * @returns the ids of the imports, by the number of their file
 */
export async function killWhileImporting(
  service: KillableService,
  signal: AbortSignal,
  { imports, kills, processes }: Record<'imports' | 'kills' | 'processes', number>,
): Promise<string[]> {
  const asked: Asked = { url: service.url, signal };
  const workers = Array.from({ length: processes }, () => service.startWorker());
  await Promise.all(workers);
  let killed = 0;
  const step = (imports * 0.9) / kills;
  const accepted = sendFiles(asked, imports, () =>
    killed === kills ? imports : FILES_AHEAD + (killed + 1) * step,
  );
  // What it rejects with is thrown below; until then another fault may come first.
  accepted.catch(() => undefined);
  for (; killed < kills; killed += 1) {
    const place = killed % processes;
    const victim = await workers[place];
    const reached = killed * step;
    await untilImports(asked, ({ completed, failed }) => completed + failed >= reached);
    await sleep(Math.random() * 500, undefined, { signal });
    await victim?.kill9();
    // The others work on while this one starts, and are killed in their turn.
    const next = service.startWorker();
    next.catch(() => undefined);
    workers[place] = next;
  }
  const ids = await accepted;
  const end = await untilImports(asked, ({ completed, failed }) => completed + failed >= imports);
  if (end.failed > 0) {
    assert.fail(JSON.stringify(await untilAnswered(asked, '/v1/memory/imports?state=failed')));
  }
  for (const worker of await Promise.all(workers)) {
    worker.child.kill('SIGTERM');
    assert.equal(await worker.exited, 0, worker.stderr.join('\n'));
  }
  return ids;
}
