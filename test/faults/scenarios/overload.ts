import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
import { startSystem } from '../load/system.ts';
import { expectLedger } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

const AT_ONCE = [8, 64, 256];
const ROUND_MS = 6000;

export const overload: Scenario = {
  name: 'overload',
  summary: 'sends 8, 64 and 256 requests at once; none gets a 5xx, and every write is there after it',
  limitSeconds: 240,
  run: async (context, findings) => {
    const { signal, seed } = context;
    const system = await startSystem(context);
    const ledger = new Ledger();
    for (const loops of AT_ONCE) {
      const load = startLoad({ urls: system.urls, ledger, seed, loops });
      await sleep(ROUND_MS, undefined, { signal });
      await load.stop();
      findings.figure(`${loops} at once: ${loadFigures(load.replies)}`);
      const failed = load.replies.filter(({ status }) => status === 0 || status >= 500);
      findings.expect(
        failed.length === 0,
        `${loops} at once: ${failed.length} failed: ${failed[0]?.problem}`,
      );
    }
    await expectLedger(findings, ledger, system.url, signal);
    await system.stop(findings);
  },
};
