import { updateMemory } from '../../../db/queries/memory/memories.ts';
import { memoryEvent } from '../events.ts';
import type { DecisionAction } from './action.ts';

/** Discards a memory in review. */
export const discard: DecisionAction = {
  fields: [],
  participle: 'discarded',
  act: async (tx, { own }) => {
    const discarded = await updateMemory(tx, own.memory.id, { state: 'discarded' });
    return { result: discarded, audit: [memoryEvent('memory.discard', discarded)] };
  },
};
