import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type ServiceProcess, startCommand } from '../../test/support/needs/process.ts';
import { ROOT } from '../../test/support/root.ts';
import { runBench } from '../support/bench.ts';
import { memoryOf, startCpuTimer } from '../support/cpu.ts';
import { withServerDatabase } from '../support/databases.ts';
import { median, type Report } from '../support/report.ts';
import { untilReady } from '../support/service.ts';
import type { Counts } from './load.ts';

const MAX_GROWTH = 1.1;
const MAX_END_MIB = 300;
/** Growth is counted from here on; for a shorter run, from a sixth of it. */
const SETTLED_SECONDS = 600;
const SAMPLE_MS = 1000;
const LINE_SECONDS = 30;
const METRICS_TOKEN = 'token-of-the-bench';

/** What a process holds at a moment, in MiB. */
interface Sample {
  seconds: number;
  rss: number;
}

/** Starts a process by its script in package.json, so that it runs with the flags that operators use. */
function startScript(name: 'api' | 'worker', checkout: string, env: Record<string, string>): ServiceProcess {
  const manifest = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const command = (name === 'worker' ? 'renice -n 10 $$ >/dev/null; ' : '') + manifest.scripts[name];
  const { PATH } = process.env;
  return startCommand('/bin/sh', ['-c', command], {
    cwd: checkout,
    env: { PATH: `${dirname(process.execPath)}:${PATH}`, MEMORY_LOG_LEVEL: 'warn', ...env },
  });
}

/** The figures of /metrics that say what V8 holds, in MiB. */
async function readHeap(url: string): Promise<number[]> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const metrics = await answer.text();
  return ['heap_size_used', 'heap_size_total', 'external_memory'].map(
    (name) => Number(new RegExp(`^nodejs_${name}_bytes (\\S+)$`, 'm').exec(metrics)?.[1]) / 2 ** 20,
  );
}

/** Samples the API until the load ends. Prints a line every 30 seconds. */
async function watch(pid: number, url: string, load: ChildProcess, report: Report): Promise<Sample[]> {
  const samples: Sample[] = [];
  const began = performance.now();
  const cpu = startCpuTimer([pid]);
  let isRunning = true;
  load.once('exit', () => {
    isRunning = false;
  });
  report.row('minute', ['rss', 'anonymous', 'heap used', 'heap', 'external', 'CPU s']);
  for (let printed = 0; isRunning; ) {
    await sleep(SAMPLE_MS);
    const { rss, anonymous } = memoryOf(pid);
    const seconds = (performance.now() - began) / 1000;
    samples.push({ seconds, rss });
    if (seconds < printed + LINE_SECONDS) continue;
    printed += LINE_SECONDS;
    report.row((seconds / 60).toFixed(1), [rss, anonymous, ...(await readHeap(url)), cpu() / 1000], '', 0);
  }
  return samples;
}

/** Reports the figures that have a target. */
function reportMemory(samples: readonly Sample[], seconds: number, peak: number, report: Report): void {
  const settled = Math.min(SETTLED_SECONDS, seconds / 6);
  const window = Math.min(180, seconds / 6);
  const between = (from: number, to: number) =>
    median(samples.filter((one) => one.seconds >= from && one.seconds <= to).map(({ rss }) => rss));
  const early = between(settled - window / 2, settled + window / 2);
  const end = between(seconds - window, seconds);
  report.row(`rss in MiB, minute ${(settled / 60).toFixed(1)}`, [early], '', 0);
  report.row('at the end', [end], report.hold('rss at the end', end, MAX_END_MIB), 0);
  report.row('growth', [end / early], report.hold('growth', end / early, MAX_GROWTH), 3);
  report.row('peak', [peak], '', 0);
}

await runBench(
  {
    name: 'bench:memory',
    about: `What the API process holds during an hour of mixed load, beside a worker and PostgreSQL. Fails if it grows too much
after ten minutes, or is too large at the end.`,
    options: {
      minutes: [60, 'of the load'],
      pace: [1, 'of the requests: 2 asks twice as often'],
      checkout: [ROOT, 'the folder that is measured'],
    },
    needs: ['server', 'linux'],
  },
  ({ minutes, pace, checkout }, report) =>
    withServerDatabase(async (databaseUrl) => {
      const seconds = minutes * 60;
      const [port = 0] = await freePorts(1);
      const url = `http://127.0.0.1:${port}`;
      const env = {
        MEMORY_DATABASE_URL: databaseUrl,
        MEMORY_API_HOST: '127.0.0.1',
        MEMORY_API_PORT: String(port),
        MEMORY_METRICS_TOKEN: METRICS_TOKEN,
        MEMORY_WORKSPACE_KEEP_VERSIONS: '1',
      };
      const api = startScript('api', checkout, env);
      await untilReady(url, api);
      const worker = startScript('worker', checkout, env);
      const pid = api.child.pid ?? 0;
      report.print(`the API at the start: ${memoryOf(pid).rss.toFixed(0)} MiB`);
      const script = join(import.meta.dirname, 'load.ts');
      const args = ['-n', '10', process.execPath, script, url, String(seconds), String(pace)];
      const load = spawn('nice', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      await once(load, 'message');
      const counted = once(load, 'message') as Promise<[Counts]>;
      const samples = await watch(pid, url, load, report);
      const [counts] = await counted;
      for (const [kind, statuses] of Object.entries(counts)) {
        const shown = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
        report.print(`${kind.padEnd(28)}${shown.join(', ')}`);
      }
      reportMemory(samples, seconds, memoryOf(pid).peak, report);
      for (const service of [worker, api]) {
        service.child.kill('SIGTERM');
        await service.exited;
      }
    }),
);
