import { settleFeedback } from '../../../db/queries/feedback/feedback.ts';
import { updateMemory } from '../../../db/queries/memory/memories.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { memoryEvent } from '../events.ts';
import type { DecisionAction } from './action.ts';

/** Settles the feedback on a published memory, which stays as it is. */
export const keep: DecisionAction = {
  fields: [],
  participle: 'kept',
  act: async (tx, { own: { memory } }) => {
    const { id, sourceId } = memory;
    if (sourceId === null) throw new Error('a published memory has no source');
    const settled = await settleFeedback(tx, sourceId);
    if (settled === 0) throw new ServiceError('conflict', 'No feedback on the memory waits for a decision');
    const kept = await updateMemory(tx, id, { state: 'published' });
    return { result: kept, audit: [memoryEvent('memory.keep', kept, { settled })] };
  },
};
