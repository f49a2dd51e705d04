import { moveMemory } from '../../../db/queries/library/move.ts';
import { findMemory } from '../../../db/queries/memory/memories.ts';
import { invalidField } from '../../../shared/errors.ts';
import { layerOf } from '../../../shared/scope.ts';
import { moveFields } from '../../sources/move-source.ts';
import type { DecisionAction } from './action.ts';

/** Moves a memory in review or a published memory to another layer, with its versions and its source. */
export const move: DecisionAction = {
  fields: ['clientId'],
  participle: 'moved',
  assertComplete: ({ clientId }) => {
    if (clientId === undefined) {
      throw invalidField('/clientId', 'is required with move; null means the Team layer');
    }
  },
  act: async (tx, { own: { memory } }, { decision: { target } }) => {
    const { id, sourceId, clientId: from } = memory;
    if (target === undefined) throw new Error('the decision names no layer');
    if (target === layerOf(tx.scope, from)) return { result: memory, audit: [] };
    await moveMemory(tx, { id, sourceId }, target);
    const moved = await findMemory(tx, id);
    if (moved === null) throw new Error('the moved memory does not exist');
    const { detail, ...layer } = moveFields(from, moved.clientId);
    return {
      result: moved,
      audit: [
        {
          kind: 'memory.move',
          subjectType: 'memory',
          subjectId: id,
          ...layer,
          detail: { version: moved.version, ...detail },
        },
      ],
      ...(moved.state === 'published' ? { indexed: [target] } : {}),
    };
  },
};
