import type { Scenario } from '../scenario.ts';
import { dbFreeze } from './db-freeze.ts';
import { dbKill } from './db-kill.ts';
import { dbRestart } from './db-restart.ts';
import { diskFullLog, diskFullTables } from './disk-full.ts';
import { fuzz } from './fuzz.ts';
import { overload } from './overload.ts';
import { slow } from './slow.ts';
import { soak } from './soak.ts';

/** Every scenario, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  dbKill,
  dbRestart,
  dbFreeze,
  overload,
  slow,
  diskFullTables,
  diskFullLog,
  fuzz,
  soak,
];
