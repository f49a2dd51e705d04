import { questionBest } from '../../support/feedback.ts';
import { addMemory, MEMORIES } from '../../support/memories.ts';
import { addSource } from '../../support/source-library.ts';
import type { LateScene, Part, Service } from './scene.ts';

const DECIDE = `POST ${MEMORIES}`;
export const LATE = { title: 'Late', content: 'What came late.' };
const EDITS = {
  publish: LATE,
  discard: {},
  update: { content: LATE.content },
  delete: {},
  move: { clientId: null },
};

/** A decision on a memory of the client. */
const decision = (action: keyof typeof EDITS) => async (scene: LateScene, service: Service) => {
  const state = action === 'publish' || action === 'discard' ? 'review' : 'published';
  const { id: memoryId } = await addMemory(service, scene.company, state, {}, scene.clientId);
  return { action, memoryId, ...EDITS[action] };
};

const decisions =
  (...actions: (keyof typeof EDITS)[]): Part<object> =>
  async (scene, service) => ({
    decisions: await Array.fromAsync(actions, (action) => decision(action)(scene, service)),
  });

/** Decisions on memories, and on a source. */
export const DECISIONS = {
  'publishing a memory': [DECIDE, decision('publish')],
  'discarding a memory': [DECIDE, decision('discard')],
  'updating a memory': [DECIDE, decision('update')],
  'deleting a memory': [DECIDE, decision('delete')],
  'moving a memory out of the client': [DECIDE, decision('move')],
  'moving a memory into the client': [
    DECIDE,
    async ({ company, clientId }: LateScene, service: Service) => {
      const { id: memoryId } = await addMemory(service, company, 'published');
      return { action: 'move', memoryId, clientId };
    },
  ],
  'keeping a source': [
    DECIDE,
    async ({ company, clientId }: LateScene, service: Service) => {
      const scope = { clientId };
      await addSource(service, company, { text: 'A heron.', scope });
      const { hit } = await questionBest(service, company, 'heron', {}, scope);
      return { action: 'keep', memoryId: hit.source_id };
    },
  ],
  'a list of one decision': [DECIDE, decisions('update')],
  'a list of two decisions': [DECIDE, decisions('publish', 'delete')],
} as const;
