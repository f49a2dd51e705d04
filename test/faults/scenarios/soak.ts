import { setTimeout as sleep } from 'node:timers/promises';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
import { startSystem } from '../load/system.ts';
import { expectLedger, expectReplies } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

export const soak: Scenario = {
  name: 'soak',
  summary: 'a mixed load for --soak-seconds (60); every request succeeds, and every write is there after it',
  limitSeconds: 120,
  isSoak: true,
  run: async (context, findings) => {
    const { signal, seed, soakSeconds } = context;
    const system = await startSystem(context);
    const ledger = new Ledger();
    const load = startLoad({ urls: system.urls, ledger, seed });
    await sleep(soakSeconds * 1000, undefined, { signal });
    await load.stop();
    const others = load.replies.filter(({ status }) => status < 200 || status >= 300);
    findings.figure(`${soakSeconds} s, ${(load.replies.length / soakSeconds).toFixed(0)} requests a second`);
    findings.figure(loadFigures(load.replies));
    findings.expect(others.length === 0, `${others.length} requests failed: ${others[0]?.problem}`);
    expectReplies(findings, load.replies);
    await expectLedger(findings, ledger, system.url, signal);
    await system.stop(findings);
  },
};
