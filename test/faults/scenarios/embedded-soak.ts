import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../support/needs/process.ts';
import { Ledger } from '../load/ledger.ts';
import { loadFigures, startLoad } from '../load/mixed-load.ts';
import { embeddedService, terminateAll } from '../load/system.ts';
import { expectLedger, expectReplies } from '../load/under-load.ts';
import type { Scenario } from '../scenario.ts';

const SAMPLE_MS = 200;
const MIB = 2 ** 20;
/** The log is at most so long, or twice the data if that is more. */
const MAX_LOG_BYTES = 256 * MIB;

/** The bytes of all files below a folder. A file can be removed while it is counted. */
function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).reduce((sum, entry) => {
    const file = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    return sum + (file?.isFile() === true ? file.size : 0);
  }, 0);
}

export const embeddedSoak: Scenario = {
  name: 'embedded-soak',
  summary:
    'a mixed load on the embedded service for --soak-seconds (60); its log is never above 256 MiB or twice the data',
  limitSeconds: 240,
  isSoak: true,
  run: async ({ signal, seed, soakSeconds }, findings) => {
    const folder = await temporaryFolder();
    const embedded = await embeddedService(folder);
    const service = await embedded.start();
    const ledger = new Ledger();
    const load = startLoad({ urls: [embedded.url], ledger, seed });
    const files = join(folder, 'postgres');
    const most = { log: 0, data: 0 };
    let above = 0;
    const until = performance.now() + soakSeconds * 1000;
    while (performance.now() < until) {
      await sleep(SAMPLE_MS, undefined, { signal });
      const log = bytesBelow(join(files, 'pg_wal'));
      const data = bytesBelow(join(files, 'base'));
      if (log > Math.max(MAX_LOG_BYTES, 2 * data)) above += 1;
      most.log = Math.max(most.log, log);
      most.data = Math.max(most.data, data);
    }
    await load.stop();
    findings.figure(
      `${soakSeconds} s, log at most ${(most.log / MIB).toFixed(0)} MiB, data at most ${(most.data / MIB).toFixed(0)} MiB`,
    );
    findings.figure(loadFigures(load.replies));
    findings.expect(above === 0, `the log was too long ${above} times, at most ${most.log} bytes`);
    expectReplies(findings, load.replies);
    await expectLedger(findings, ledger, embedded.url, signal);
    await terminateAll([['service', service]], findings);
  },
};
