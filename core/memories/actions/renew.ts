import { updateMemoryExpiry } from '../../../db/queries/memory/memories.ts';
import { updateSourceExpiry } from '../../../db/queries/memory/source-fields.ts';
import { invalidField } from '../../../shared/errors.ts';
import { memoryEvent } from '../events.ts';
import type { DecisionAction } from './action.ts';

/** Changes when a memory expires. */
export const renew: DecisionAction = {
  fields: ['expiresAt'],
  participle: 'renewed',
  assertComplete: ({ expiresAt }) => {
    if (expiresAt === undefined) throw invalidField('/expiresAt', 'is required with renew; null means never');
  },
  act: async (tx, { own: { memory } }, { decision: { expiresAt = null } }) => {
    const { id, sourceId } = memory;
    if (sourceId !== null) await updateSourceExpiry(tx, sourceId, expiresAt);
    const renewed = await updateMemoryExpiry(tx, id, expiresAt);
    return { result: renewed, audit: [memoryEvent('memory.renew', renewed, { sourceId })] };
  },
};
