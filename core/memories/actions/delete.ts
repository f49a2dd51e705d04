import { archiveMemory } from '../superseded.ts';
import type { DecisionAction } from './action.ts';

/** Archives a published memory. */
export const remove: DecisionAction = {
  fields: [],
  participle: 'deleted',
  act: async (tx, { own }) => ({ ...(await archiveMemory(tx, own.memory, null)), indexed: [] }),
};
