import { setTimeout as sleep } from 'node:timers/promises';
import { createEmptyDatabase } from '../../support/needs/own-database.ts';
import {
  freePorts,
  printedUrl,
  type ServiceProcess,
  startMain,
  temporaryFolder,
} from '../../support/needs/process.ts';
import type { Findings, ScenarioContext } from '../scenario.ts';
import { untilReply } from './client.ts';

/** API and worker processes on a PostgreSQL database of their own. Listed processes are those that should run. */
export interface System {
  /** The database itself, even where the processes reach it in another way. */
  readonly databaseUrl: string;
  /** Addresses of the API processes. A process that is started again has the address of the one before. */
  readonly urls: readonly string[];
  /** Address of the first API process. */
  readonly url: string;
  readonly apis: ServiceProcess[];
  readonly workers: ServiceProcess[];
  /** Starts an API process at the address with this index and waits until it is ready. */
  startApi(index: number): Promise<ServiceProcess>;
  /** Starts a worker process and waits until it takes jobs. */
  startWorker(): Promise<ServiceProcess>;
  /** Ends every listed process with SIGTERM. One that does not end with exit code 0 is a broken promise. */
  stop(findings: Findings): Promise<void>;
}

export interface SystemOptions {
  apis?: number;
  workers?: number;
  env?: Record<string, string>;
  /** What the processes connect to instead of the database: the URL of a proxy in front of it. */
  reach?: (databaseUrl: string) => Promise<string>;
}

/** How long a process can take after SIGTERM. Platforms usually wait 30 s before they kill it. */
const END_SECONDS = 30;

/** Ends a process with SIGTERM. Returns its exit code, or the reason why it has no exit code. */
export async function terminate(process: ServiceProcess): Promise<number | string> {
  process.child.kill('SIGTERM');
  return Promise.race([
    process.exited,
    sleep(END_SECONDS * 1000, `still running after ${END_SECONDS} s`, { ref: false }),
  ]);
}

/** Ends processes with SIGTERM, all at once, and notes each that does not end with exit code 0. */
export async function terminateAll(
  processes: readonly (readonly [string, ServiceProcess])[],
  findings: Findings,
): Promise<void> {
  const endings = await Promise.all(
    processes.map(async ([name, process]) => [name, await terminate(process)]),
  );
  for (const [name, ending] of endings) {
    findings.expect(ending === 0, `SIGTERM ended the ${name} with ${ending}`);
  }
}

/** Starts the processes on a new database, which is dropped when the scenario is over. */
export async function startSystem(context: ScenarioContext, options: SystemOptions = {}): Promise<System> {
  const { apis: apiCount = 1, workers: workerCount = 1, reach = (url) => Promise.resolve(url) } = options;
  const own = await createEmptyDatabase(await context.postgresUrl());
  context.defer(() => own.drop());
  const env = {
    MEMORY_DATABASE_URL: await reach(own.url),
    MEMORY_API_HOST: '127.0.0.1',
    ...options.env,
  };
  const ports = await freePorts(apiCount);
  const urls = ports.map((port) => `http://127.0.0.1:${port}`);
  const apis: ServiceProcess[] = [];
  const workers: ServiceProcess[] = [];
  const system: System = {
    databaseUrl: own.url,
    urls,
    url: urls[0] ?? '',
    apis,
    workers,
    startApi: async (index) => {
      const api = startMain('api/main.ts', { env: { ...env, MEMORY_API_PORT: String(ports[index]) } });
      await api.line(/"msg":"listening"/);
      await untilReply(urls[index] ?? '', '/readyz', context.signal);
      apis[index] = api;
      return api;
    },
    startWorker: async () => {
      const worker = startMain('worker/main.ts', { env });
      await worker.line(/"msg":"working"/);
      return worker;
    },
    stop: (findings) =>
      terminateAll(
        [
          ...apis.map((api) => ['API', api] as const),
          ...workers.map((worker) => ['worker', worker] as const),
        ],
        findings,
      ),
  };
  // One after the other: the first one migrates.
  for (let index = 0; index < apiCount; index += 1) await system.startApi(index);
  for (let count = 0; count < workerCount; count += 1) workers.push(await system.startWorker());
  return system;
}

/** The whole service in one process, on the embedded database. */
export interface EmbeddedService {
  readonly url: string;
  /** Starts it and waits until it listens. */
  start(): Promise<ServiceProcess>;
}

/** Prepares an embedded service, whose data is in this folder. */
export async function embeddedService(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<EmbeddedService> {
  const cwd = await temporaryFolder();
  const [port = 0] = await freePorts(1);
  return {
    url: `http://127.0.0.1:${port}`,
    start: async () => {
      const service = startMain('start.ts', {
        cwd,
        env: { MEMORY_DATA_DIR: dataDir, MEMORY_API_PORT: String(port), ...env },
      });
      await printedUrl(service);
      return service;
    },
  };
}
