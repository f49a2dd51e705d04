import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { waitFor } from '../../test/cluster/servers/debian.ts';
import { send } from '../../test/faults/load/client.ts';
import { type System, terminate } from '../../test/faults/load/system.ts';
import { textOfChunks } from '../../test/worker/imports/slow-storing.ts';
import { startApiProxy, startDatabaseServer, startService } from './deployment.ts';
import { type Fault, type Measured, measureUnderLoad } from './measure.ts';

const PROCESSES = 3;
const LARGE_FILES = 6;
const LARGE_CHUNKS = 5000;
/** As in the documented haproxy.cfg, and a proxy that tries nothing again. */
const DOCUMENTED = ['option redispatch 1', 'retries 3', 'retry-on conn-failure'];
const NO_RETRIES = ['no option redispatch', 'retries 0'];

async function endedWell(process: System['apis'][number]): Promise<void> {
  const ending = await terminate(process);
  if (ending !== 0) throw new Error(`a process ended with ${ending}`);
}

async function measureApis(
  backend: readonly string[],
  replaceOne: (system: System, index: number) => Promise<void>,
  count: number,
): Promise<Measured> {
  const server = await startDatabaseServer();
  const env = { MEMORY_DRAIN_SECONDS: '3' };
  const system = await startService(server, { apis: PROCESSES, env });
  const proxy = await startApiProxy(system, backend);
  const fault = async () => {
    for (let index = 0; index < count; index += 1) {
      await replaceOne(system, index);
      await waitFor(() => proxy.isUp(Number(new URL(system.urls[index] ?? '').port)), proxy.server);
    }
  };
  return measureUnderLoad({ url: `http://127.0.0.1:${proxy.port}`, checkUrl: system.url, fault });
}

const replaceApi = async (system: System, index: number) => {
  const api = system.apis[index];
  if (api !== undefined) await endedWell(api);
  await system.startApi(index);
};

const killApi = async (system: System, index: number) => {
  await system.apis[index]?.kill9();
  await system.startApi(index);
};

/** Sends large files, so that workers read and store them while they are replaced. */
async function sendLargeFiles(url: string): Promise<void> {
  for (let count = 0; count < LARGE_FILES; count += 1) {
    const text = `File ${count}\n\n${textOfChunks(LARGE_CHUNKS)}`;
    const body = { items: [{ filename: `large-${count}.txt`, text }] };
    const { status } = await send(url, { method: 'POST', path: '/v1/memory/imports', body });
    if (status !== 202) throw new Error(`a large file was refused with ${status}`);
  }
}

async function measureWorkers(): Promise<Measured> {
  const server = await startDatabaseServer();
  const system = await startService(server, { workers: PROCESSES });
  const drains: number[] = [];
  const fault = async () => {
    await sendLargeFiles(system.url);
    for (let index = 0; index < PROCESSES; index += 1) {
      const worker = system.workers[index];
      const began = performance.now();
      if (worker !== undefined) await endedWell(worker);
      drains.push((performance.now() - began) / 1000);
      system.workers[index] = await system.startWorker();
    }
  };
  const settle = async () => {
    const database = openPostgres(system.databaseUrl, createLogger('fatal', 'bench'), { max: 1 });
    try {
      await waitFor(async () => {
        const open = await database.query(
          `select 1 as one from memory.import where state in ('queued', 'running')`,
        );
        return open.length === 0;
      });
      const [row] = await database.query(
        'select coalesce(sum(attempts - 1), 0)::int as wasted from memory.import',
      );
      const [released] = await database.query(
        `select coalesce(sum(jobs), 0)::int as runs from memory.job_tally where queue = 'import.process' and outcome = 'given_back'`,
      );
      const times = `${Math.min(...drains).toFixed(1)}–${Math.max(...drains).toFixed(1)} s`;
      return `${String(released?.['runs'])} runs released, ${String(row?.['wasted'])} attempts wasted; a worker took ${times} to end`;
    } finally {
      await database.close();
    }
  };
  return measureUnderLoad({ url: system.url, fault, settle });
}

export const processFaults: readonly Fault[] = [
  {
    name: 'apis-replaced',
    title: 'three APIs replaced by SIGTERM, HAProxy without retries',
    measure: () => measureApis(NO_RETRIES, replaceApi, PROCESSES),
  },
  {
    name: 'apis-replaced-retried',
    title: 'the same, HAProxy as documented',
    measure: () => measureApis(DOCUMENTED, replaceApi, PROCESSES),
  },
  {
    name: 'api-kill',
    title: 'one of three APIs `kill -9` and started again, HAProxy without retries',
    measure: () => measureApis(NO_RETRIES, killApi, 1),
  },
  {
    name: 'api-kill-retried',
    title: 'the same, HAProxy as documented',
    measure: () => measureApis(DOCUMENTED, killApi, 1),
  },
  {
    name: 'workers-replaced',
    title: 'three workers replaced by SIGTERM while six large imports run',
    measure: measureWorkers,
  },
];
