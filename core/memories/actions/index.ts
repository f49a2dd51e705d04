import type { MemoryAction } from '../../../shared/memory-states.ts';
import type { DecisionAction } from './action.ts';
import { remove } from './delete.ts';
import { discard } from './discard.ts';
import { keep } from './keep.ts';
import { move } from './move.ts';
import { publish } from './publish.ts';
import { renew } from './renew.ts';
import { reopen } from './reopen.ts';
import { restore } from './restore.ts';
import { unpublish } from './unpublish.ts';
import { update } from './update.ts';

/** Every action of POST /v1/memory/memories, by its name. */
export const ACTIONS: Readonly<Record<MemoryAction, DecisionAction>> = {
  publish,
  discard,
  reopen,
  update,
  unpublish,
  delete: remove,
  restore,
  renew,
  keep,
  move,
};
