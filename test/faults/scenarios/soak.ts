import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { get, quantile } from '../load/client.ts';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
import { startSystem } from '../load/system.ts';
import { expectLedger, expectReplies } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

const SAMPLE_MS = 2000;

/** Memory of a process in MiB, or null where the platform does not tell. */
async function memoryOf(pid: number | undefined): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1024;
}

const range = (numbers: readonly (number | null)[]) => {
  const known = numbers.filter((number) => number !== null);
  const [first, last] = [known[0] ?? 0, known.at(-1) ?? 0];
  return `${first.toFixed(0)} -> ${last.toFixed(0)} MiB, most ${Math.max(0, ...known).toFixed(0)}`;
};

export const soak: Scenario = {
  name: 'soak',
  summary:
    'a mixed load for --soak-seconds (60); every request succeeds, and memory and event loop lag are printed',
  limitSeconds: 120,
  isSoak: true,
  run: async (context, findings) => {
    const { signal, seed, soakSeconds } = context;
    const system = await startSystem(context);
    const ledger = new Ledger();
    const load = startLoad({ urls: system.urls, ledger, seed });
    const memory = { api: [] as (number | null)[], worker: [] as (number | null)[] };
    const lags: number[] = [];
    const until = performance.now() + soakSeconds * 1000;
    while (performance.now() < until) {
      await sleep(Math.min(SAMPLE_MS, Math.max(1, until - performance.now())), undefined, { signal });
      memory.api.push(await memoryOf(system.apis[0]?.child.pid));
      memory.worker.push(await memoryOf(system.workers[0]?.child.pid));
      const { text } = await get(system.url, '/metrics');
      const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1];
      if (lag !== undefined) lags.push(Number(lag) * 1000);
    }
    await load.stop();
    const others = load.replies.filter(({ status }) => status < 200 || status >= 300);
    findings.figure(`${soakSeconds} s, ${(load.replies.length / soakSeconds).toFixed(0)} requests a second`);
    findings.figure(loadFigures(load.replies));
    findings.figure(`API ${range(memory.api)}`);
    findings.figure(`worker ${range(memory.worker)}`);
    findings.figure(
      `event loop lag p99 median ${quantile(lags, 0.5).toFixed(0)} ms, most ${Math.max(0, ...lags).toFixed(0)} ms`,
    );
    findings.expect(others.length === 0, `${others.length} requests failed: ${others[0]?.problem}`);
    expectReplies(findings, load.replies);
    await expectLedger(findings, ledger, system.url, signal);
    await system.stop(findings);
  },
};
