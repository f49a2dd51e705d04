import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../support/generated-text.ts';
import { temporaryFolder } from '../../support/needs/process.ts';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
import { embeddedService, terminateAll } from '../load/system.ts';
import { expectLedger } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

const KILLS = 3;

export const embeddedKill9: Scenario = {
  name: 'embedded-kill-9',
  summary:
    'kills the embedded service with kill -9 under load; acknowledged writes are neither lost nor doubled',
  limitSeconds: 240,
  run: async (context, findings) => {
    const { signal, seed } = context;
    const random = seededRandom(seed);
    const embedded = await embeddedService(await temporaryFolder());
    let service = await embedded.start();
    const ledger = new Ledger();
    const load = startLoad({ urls: [embedded.url], ledger, seed, loops: 4 });
    const starts: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      await sleep(2000 + random() * 3000, undefined, { signal });
      await service.kill9();
      const began = performance.now();
      service = await embedded.start();
      starts.push((performance.now() - began) / 1000);
    }
    await sleep(2000, undefined, { signal });
    await load.stop();
    findings.figure(`${KILLS} kills, starts ${starts.map((seconds) => seconds.toFixed(1)).join(', ')} s`);
    findings.figure(loadFigures(load.replies));
    const wrong = load.replies.filter(({ status }) => status !== 0 && status !== 503 && status >= 300);
    findings.expect(wrong.length === 0, `${wrong.length} requests failed: ${wrong[0]?.problem}`);
    await expectLedger(findings, ledger, embedded.url, signal);
    await terminateAll([['service', service]], findings);
  },
};
