import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings, ScenarioContext } from '../scenario.ts';
import { get, untilReply } from './client.ts';
import { Ledger } from './ledger.ts';
import { type LoadReply, loadFigures, startLoad, unexpected } from './mixed-load.ts';
import type { System } from './system.ts';

/** A request whose database does not respond ends within this time. */
const REQUEST_SECONDS = 12;
/** Dead connections are replaced within this time. */
const BACK_SECONDS = 30;
/** Acknowledged imports are done within this time after the load. The work of a dead process is resumed within 2 minutes. */
const IMPORTED_SECONDS = 120;
/** Load before the fault, so that every connection and worker is in use, and after it. */
const WARM_MS = 5000;
const AFTER_MS = 5000;

/** Asks for something again and again until it is stopped. Returns how often the response was not 200. */
export function watch(url: string, path: string): { stop(): Promise<{ asked: number; failed: number }> } {
  let stopped = false;
  const counts = { asked: 0, failed: 0 };
  const running = (async () => {
    while (!stopped) {
      counts.asked += 1;
      if ((await get(url, path, 10_000)).status !== 200) counts.failed += 1;
      await sleep(200);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await running;
      return counts;
    },
  };
}

/** Notes each promise about requests that was broken: only 2xx and 503, and no request longer than the limit. */
export function expectReplies(findings: Findings, replies: readonly LoadReply[]): void {
  const others = unexpected(replies);
  const [first] = others;
  findings.expect(
    first === undefined,
    `${others.length} requests neither succeeded nor got 503, such as ${first?.operation}: ${first?.failure ?? first?.status} ${first?.problem}`,
  );
  const slow = replies.filter(({ ms }) => ms > REQUEST_SECONDS * 1000);
  const slowest = Math.max(0, ...slow.map(({ ms }) => ms));
  findings.expect(
    slow.length === 0,
    `${slow.length} requests took over ${REQUEST_SECONDS} s, the slowest ${(slowest / 1000).toFixed(1)} s`,
  );
}

/** Waits for the acknowledged imports, then looks for every acknowledged write. */
export async function expectLedger(
  findings: Findings,
  ledger: Ledger,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const ms = await ledger.untilImported(url, IMPORTED_SECONDS * 1000, signal);
  const { acknowledged, lost, doubled } = await ledger.check(url, signal);
  if (ms !== null) findings.figure(`imports done ${(ms / 1000).toFixed(1)} s after the load`);
  findings.expect(ms !== null, `imports were not done ${IMPORTED_SECONDS} s after the load`);
  findings.figure(`${acknowledged} acknowledged writes, lost ${lost}, doubled ${doubled}`);
  findings.expect(acknowledged > 0, 'no write was acknowledged');
  findings.expect(lost === 0, `${lost} of ${acknowledged} acknowledged writes were lost`);
  findings.expect(doubled === 0, `${doubled} writes took effect more than once`);
}

/**
 * Causes a fault of the database under load, and expects what holds for every such fault: requests succeed or get 503
 * in time, /livez responds all along, the service goes on by itself, no acknowledged write is lost or doubled, and
 * SIGTERM ends every process with 0.
 * @param fault resolves when the fault is over
 */
export async function faultUnderLoad(
  context: ScenarioContext,
  findings: Findings,
  system: System,
  fault: () => Promise<void>,
): Promise<void> {
  const { signal, seed } = context;
  const { url, urls } = system;
  const ledger = new Ledger();
  const load = startLoad({ urls, ledger, seed });
  const livez = watch(url, '/livez');
  await sleep(WARM_MS, undefined, { signal });
  await fault();
  const backMs = await untilReply(url, '/v1/memory/sources', signal);
  findings.figure(`back after ${(backMs / 1000).toFixed(1)} s`);
  findings.expect(
    backMs <= BACK_SECONDS * 1000,
    `requests failed for ${(backMs / 1000).toFixed(0)} s after the fault`,
  );
  await sleep(AFTER_MS, undefined, { signal });
  await load.stop();
  const { asked, failed } = await livez.stop();
  findings.figure(loadFigures(load.replies));
  findings.expect(failed === 0, `/livez failed ${failed} of ${asked} times`);
  expectReplies(findings, load.replies);
  await expectLedger(findings, ledger, url, signal);
  await system.stop(findings);
}
