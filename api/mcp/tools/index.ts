import type { Tool } from '../tool.ts';
import { whoami } from './accounts.ts';
import { stageSession } from './captures.ts';
import { claimCapturesTool, completeCapturesTool } from './consolidation.ts';
import { importStatus } from './imports.ts';
import { decideMemory, forget, remember } from './memories.ts';
import { expand, fetch, search } from './search.ts';

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
  claimCapturesTool,
  completeCapturesTool,
  decideMemory,
];
