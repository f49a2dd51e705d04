import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import {
  endProcesses,
  freePorts,
  type ServiceProcess,
  startCommand,
} from '../../test/support/needs/process.ts';
import { ROOT } from '../../test/support/root.ts';
import type { Counts } from './asking.ts';
import { medianBetween, readHeap, readMemory, readProcessorTime, type Sample } from './figures.ts';

/**
 * `npm run bench:memory`: what the API process holds during an hour of mixed load, beside a worker and the PostgreSQL
 * that MEMORY_TEST_DATABASE_URL names. Exits with 1 if it grows too much after ten minutes, or is too large at the end.
 * Linux only. `--minutes 5` is shorter, `--pace 2` asks twice as often, `--checkout DIR` measures another checkout.
 */
const MAX_GROWTH = 0.1;
const MAX_END_MIB = 300;
/** Growth is counted from here on; for a shorter run, from a sixth of it. */
const SETTLED_SECONDS = 600;
const SAMPLE_MS = 1000;
const LINE_SECONDS = 30;
const METRICS_TOKEN = 'token-of-the-bench';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    pace: { type: 'string', default: '1' },
    checkout: { type: 'string', default: ROOT },
  },
});
const seconds = Number(values.minutes) * 60;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Starts a process by its script in package.json, so that it runs with the flags that operators use. */
function startScript(name: 'api' | 'worker', env: Record<string, string>): ServiceProcess {
  const manifest = JSON.parse(readFileSync(join(values.checkout, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const command = (name === 'worker' ? 'renice -n 10 $$ >/dev/null; ' : '') + manifest.scripts[name];
  const { PATH } = process.env;
  return startCommand('/bin/sh', ['-c', command], {
    cwd: values.checkout,
    env: { PATH: `${dirname(process.execPath)}:${PATH}`, MEMORY_LOG_LEVEL: 'warn', ...env },
  });
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    if (ready?.ok === true) return;
    if (tries > 240) throw new Error('the API is not ready after a minute');
    await sleep(250);
  }
}

function startLoad(url: string): ChildProcess {
  const script = join(import.meta.dirname, 'load.ts');
  const args = ['-n', '10', process.execPath, script, url, String(seconds), values.pace];
  return spawn('nice', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Samples the API until the load ends. Prints a line every 30 seconds. */
async function watch(pid: number, url: string, load: ChildProcess): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  let isRunning = true;
  load.once('exit', () => {
    isRunning = false;
  });
  print(
    ['minute', 'rss', 'anonymous', 'heap used', 'heap', 'external', 'CPU s']
      .map((name) => name.padStart(10))
      .join(''),
  );
  for (let printed = 0; isRunning; ) {
    await sleep(SAMPLE_MS);
    const sample = { seconds: (performance.now() - began) / 1000, ...readMemory(pid) };
    samples.push(sample);
    if (sample.seconds < printed + LINE_SECONDS) continue;
    printed += LINE_SECONDS;
    const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    const heap = readHeap(await metrics.text());
    const figures = [
      sample.rss,
      sample.anonymous,
      heap.used,
      heap.total,
      heap.external,
      readProcessorTime(pid),
    ];
    print([sample.seconds / 60, ...figures].map((n, i) => n.toFixed(i === 0 ? 1 : 0).padStart(10)).join(''));
  }
  return samples;
}

/** Prints the figures that have a target; returns whether all targets are met. */
function report(samples: readonly Sample[], peak: number): boolean {
  const settled = Math.min(SETTLED_SECONDS, seconds / 6);
  const window = Math.min(180, seconds / 6);
  const early = medianBetween(samples, settled - window / 2, settled + window / 2);
  const end = medianBetween(samples, seconds - window, seconds);
  const growth = end / early - 1;
  print(
    `rss at minute ${(settled / 60).toFixed(1)}: ${early.toFixed(0)} MiB (median of ${window.toFixed(0)} s)`,
  );
  print(`rss at the end: ${end.toFixed(0)} MiB (target: below ${MAX_END_MIB})`);
  print(`growth: ${(100 * growth).toFixed(1)} % (target: at most ${100 * MAX_GROWTH} %)`);
  print(`peak: ${peak.toFixed(0)} MiB`);
  return growth <= MAX_GROWTH && end < MAX_END_MIB;
}

function printCounts(counts: Counts): void {
  for (const [kind, statuses] of Object.entries(counts)) {
    const shown = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
    print(`${kind.padEnd(28)}${shown.join(', ')}`);
  }
}

async function measure(server: string): Promise<boolean> {
  const own = await createEmptyDatabase(server);
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const env = {
    MEMORY_DATABASE_URL: own.url,
    MEMORY_API_HOST: '127.0.0.1',
    MEMORY_API_PORT: String(port),
    MEMORY_METRICS_TOKEN: METRICS_TOKEN,
    MEMORY_WORKSPACE_KEEP_VERSIONS: '1',
  };
  try {
    const api = startScript('api', env);
    await untilReady(url);
    const worker = startScript('worker', env);
    const pid = api.child.pid ?? 0;
    print(`the API at the start: ${readMemory(pid).rss.toFixed(0)} MiB`);
    const load = startLoad(url);
    await once(load, 'message');
    const counted = once(load, 'message') as Promise<[Counts]>;
    const samples = await watch(pid, url, load);
    const [counts] = await counted;
    printCounts(counts);
    const isWithin = report(samples, readMemory(pid).peak);
    for (const service of [worker, api]) {
      service.child.kill('SIGTERM');
      await service.exited;
    }
    return isWithin;
  } finally {
    await endProcesses();
    await own.drop();
  }
}

const server = process.env['MEMORY_TEST_DATABASE_URL'];
if (server === undefined) throw new Error('MEMORY_TEST_DATABASE_URL: expected a PostgreSQL URL');
process.exitCode = (await measure(server)) ? 0 : 1;
