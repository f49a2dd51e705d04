import { setTimeout as sleep } from 'node:timers/promises';
import { tally } from '../load/client.ts';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
import { startSystem, terminate } from '../load/system.ts';
import { expectLedger } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

const PROCESSES = 2;
/** How a connection ends that the service closes or does not accept. Both are safe to send again. */
const CLOSED = ['ECONNREFUSED', 'ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'];

export const rolling: Scenario = {
  name: 'rolling',
  summary: 'replaces each of two APIs and two workers under load; no request fails that is sent again once',
  limitSeconds: 240,
  run: async (context, findings) => {
    const { signal, seed } = context;
    const system = await startSystem(context, { apis: PROCESSES, workers: PROCESSES });
    const ledger = new Ledger();
    const load = startLoad({ urls: system.urls, ledger, seed, retryOnce: true });
    await sleep(3000, undefined, { signal });
    let ended = 0;
    for (let index = 0; index < PROCESSES; index += 1) {
      for (const kind of ['apis', 'workers'] as const) {
        const before = system[kind][index];
        if (before === undefined) continue;
        const ending = await terminate(before);
        ended += 1;
        findings.expect(ending === 0, `SIGTERM ended a process of the ${kind} with ${ending}`);
        if (kind === 'apis') await system.startApi(index);
        else system.workers[index] = await system.startWorker();
        await sleep(1000, undefined, { signal });
      }
    }
    await load.stop();
    const retried = load.replies.filter(({ retriedAfter }) => retriedAfter !== null);
    const failed = load.replies.filter(({ status }) => status < 200 || status >= 300);
    const others = retried.filter(({ retriedAfter }) => !CLOSED.includes(retriedAfter ?? ''));
    findings.figure(`${ended} processes replaced`);
    findings.figure(
      `first tries: ${tally(retried.map(({ retriedAfter }) => ({ status: 0, failure: retriedAfter }))) || 'none failed'}`,
    );
    findings.figure(loadFigures(load.replies));
    findings.expect(failed.length === 0, `${failed.length} requests failed: ${tally(failed)}`);
    findings.expect(
      others.length === 0,
      `${others.length} first tries failed other than by a closed connection`,
    );
    await expectLedger(findings, ledger, system.url, signal);
    await system.stop(findings);
  },
};
