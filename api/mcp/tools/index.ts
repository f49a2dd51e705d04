import type { Tool } from '../tool.ts';
import { claimCaptures } from './claim-captures.ts';
import { completeCaptures } from './complete-captures.ts';
import { decideMemory } from './decide-memory.ts';
import { expand } from './expand.ts';
import { fetch } from './fetch.ts';
import { forget } from './forget.ts';
import { importStatus } from './import-status.ts';
import { remember } from './remember.ts';
import { search } from './search.ts';
import { stageSession } from './stage-session.ts';
import { whoami } from './whoami.ts';

/** Every tool, in the order in which agents list them. */
export const TOOLS: readonly Tool[] = [
  search,
  fetch,
  expand,
  whoami,
  remember,
  forget,
  stageSession,
  importStatus,
  claimCaptures,
  completeCaptures,
  decideMemory,
];
