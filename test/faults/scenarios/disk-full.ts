import { fullDisk } from '../load/full-disk.ts';
import type { Scenario } from '../scenario.ts';

const MEGABYTE = 2 ** 20;

export const diskFullTables: Scenario = {
  name: 'disk-full-tables',
  summary:
    'lets the embedded database fill its disk; 503 in time, reads work, and it goes on when there is space',
  limitSeconds: 240,
  run: (context, findings) => fullDisk(context, findings, 70 * MEGABYTE),
};

export const diskFullLog: Scenario = {
  name: 'disk-full-log',
  summary:
    "fills the embedded database's disk so far that its log cannot grow; same promises, or exit code 1",
  limitSeconds: 240,
  // Less than a segment of the write-ahead log, which has 16 MB: the next one does not fit.
  run: (context, findings) => fullDisk(context, findings, 13 * MEGABYTE),
};
