import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { API_TOKEN, freePorts, startCommand, temporaryFolder } from '../../test/support/needs/process.ts';
import { type Answer, askingAt } from '../support/asking.ts';
import { untilReady } from '../support/service.ts';
import type { Steps } from './monitor.ts';
import { monitoredBy } from './monitored.ts';

/** The answer to a body, or the reason for no answer, and what the body did to the event loop. */
export interface Stall extends Steps {
  status: string;
  seconds: number;
  /** The longest wait of another request. */
  longestWaitMs: number;
}

/** A service of a checkout, as a user starts it, and what measures it. */
export interface MeasuredService {
  readonly name: string;
  /** Sends a body. Closes the connection if there is no answer after some seconds. */
  send(path: string, body: Buffer, limitSeconds: number): Promise<Stall>;
  close(): Promise<void>;
}

/** What runs on after an answer still belongs to its body: the end of a thread, the jobs that follow. */
const SETTLE_MS = 300;
/** Work of a request that was aborted can run on. The next body is sent when no step takes longer. */
const QUIET_CPU_MS = 10;
const MAX_SETTLE_SECONDS = 60;

const HEADERS = { authorization: `Bearer ${API_TOKEN}`, accept: 'application/json, text/event-stream' };

/** The status of an answer, and the code of a refusal. */
function outcomeOf({ status, body }: Answer): string {
  const code = status < 400 ? undefined : /"code":"([a-z_]+)"/.exec(body.toString())?.[1];
  return code === undefined ? String(status) : `${status} ${code}`;
}

async function readSteps(port: number): Promise<Steps> {
  const socket = connect(port, '127.0.0.1');
  return JSON.parse(await text(socket)) as Steps;
}

/** Waits until what the last body has caused is done. */
async function untilQuiet(port: number): Promise<void> {
  await readSteps(port);
  for (let quiet = 0, tries = 0; quiet < 3 && tries < MAX_SETTLE_SECONDS * 4; tries += 1) {
    await sleep(250);
    const { longestCpuMs } = await readSteps(port);
    quiet = longestCpuMs < QUIET_CPU_MS ? quiet + 1 : 0;
  }
}

/** Starts the service of a checkout; `server`: with PostgreSQL in place of the embedded database. */
export async function startMeasured(name: string, folder: string, server?: string): Promise<MeasuredService> {
  const [port = 0, monitorPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  const database = server === undefined ? null : await createEmptyDatabase(server);
  const main = database === null ? 'start.ts' : 'api/main.ts';
  const monitor = pathToFileURL(join(import.meta.dirname, 'monitor.ts')).href;
  const service = startCommand(
    process.execPath,
    ['--max-semi-space-size=16', '--import', monitor, join(folder, main)],
    {
      cwd: await temporaryFolder(),
      env: {
        ...monitoredBy(main, monitorPort),
        MEMORY_DATABASE_URL: database?.url ?? '',
        MEMORY_API_HOST: '127.0.0.1',
        MEMORY_API_PORT: String(port),
        MEMORY_LOG_LEVEL: 'error',
        MALLOC_ARENA_MAX: '2',
        MALLOC_TRIM_THRESHOLD_: '2097152',
      },
    },
  );
  await untilReady(url, service);
  const asker = new Worker(new URL('./livez-thread.ts', import.meta.url), { workerData: url });
  const longestWait = async () => {
    asker.postMessage('read');
    const [ms] = (await once(asker, 'message')) as [number];
    return ms;
  };
  return {
    name,
    send: async (path, body, limitSeconds) => {
      await untilQuiet(monitorPort);
      await Promise.all([readSteps(monitorPort), longestWait()]);
      const began = performance.now();
      const signal = AbortSignal.timeout(limitSeconds * 1000);
      const asking = askingAt(url, { headers: HEADERS, signal: () => signal });
      const status = await asking
        .ask('POST', path, body)
        .then(outcomeOf, (error: Error) => (signal.aborted ? 'none in time' : error.message));
      const seconds = (performance.now() - began) / 1000;
      asking.close();
      await sleep(SETTLE_MS);
      const longestWaitMs = await longestWait();
      return { status, seconds, longestWaitMs, ...(await readSteps(monitorPort)) };
    },
    close: async () => {
      await asker.terminate();
      await service.kill9();
      await database?.drop();
    },
  };
}
