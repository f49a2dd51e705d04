import type { Scenario } from '../scenario.ts';
import { dbDrop } from './db-drop.ts';
import { dbFreeze } from './db-freeze.ts';
import { dbKill } from './db-kill.ts';
import { dbRestart } from './db-restart.ts';
import { diskFullLog, diskFullTables } from './disk-full.ts';
import { embeddedKill9 } from './embedded-kill-9.ts';
import { embeddedSoak } from './embedded-soak.ts';
import { fuzz } from './fuzz.ts';
import { kill9 } from './kill-9.ts';
import { limits } from './limits.ts';
import { overload } from './overload.ts';
import { rolling } from './rolling.ts';
import { slow } from './slow.ts';
import { soak } from './soak.ts';

/** Every scenario, in the order in which they run. */
export const SCENARIOS: readonly Scenario[] = [
  dbKill,
  dbRestart,
  dbFreeze,
  dbDrop,
  kill9,
  rolling,
  overload,
  limits,
  slow,
  diskFullTables,
  diskFullLog,
  embeddedKill9,
  fuzz,
  soak,
  embeddedSoak,
];
