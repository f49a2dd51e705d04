import { fullDisk, ingestLarge } from '../load/full-disk.ts';
import type { Scenario } from '../scenario.ts';

const MEGABYTE = 2 ** 20;
/** Less than a segment of the write-ahead log, which has 16 MB: the next one does not fit. */
const LESS_THAN_A_SEGMENT = 13 * MEGABYTE;
const MOST_INGESTS = 400;

export const diskFullTables: Scenario = {
  name: 'disk-full-tables',
  summary:
    'lets the embedded database fill its disk; 503 in time, reads work, and it goes on when there is space',
  limitSeconds: 240,
  run: (context, findings) =>
    fullDisk(context, findings, async (disk, url, random) => {
      // The database fills the rest itself.
      await disk.fill(70 * MEGABYTE);
      for (let n = 0; n < MOST_INGESTS; n += 1) {
        context.signal.throwIfAborted();
        const { status } = await ingestLarge(url, `large ${n}`, random);
        if (status !== 201) return;
      }
    }),
};

export const diskFullLog: Scenario = {
  name: 'disk-full-log',
  summary:
    "fills the embedded database's disk so far that its log cannot grow; same promises, or exit code 1",
  limitSeconds: 240,
  run: (context, findings) =>
    fullDisk(context, findings, async (disk, url, random) => {
      await disk.fill(LESS_THAN_A_SEGMENT);
      // Enough to reach the end of the present segment.
      for (let n = 0; n < MOST_INGESTS; n += 1) {
        context.signal.throwIfAborted();
        const { status } = await ingestLarge(url, `large ${n}`, random);
        if (status !== 201) return;
      }
    }),
};
