import { updateMemory } from '../../../db/queries/memory/memories.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { layerOf } from '../../../shared/scope.ts';
import { memoryEvent } from '../events.ts';
import { publishMemoryText } from '../store-memory.ts';
import { archiveMemory, assertPublished, assertSameLayer, type SupersededPair } from '../superseded.ts';
import type { DecisionAction, LockedDecision } from './action.ts';
import { assertSameContent, versionConflict } from './stale.ts';
import { editedOrigin, storedText } from './stored-text.ts';

/** Publishes a memory in review, with an edited text if one is given. It can supersede another memory. */
export const publish: DecisionAction = {
  fields: ['title', 'content', 'supersedes'],
  addsText: true,
  participle: 'published',
  find: async (tx, { title, content, supersedes }, present) => ({
    text: present.state === 'review' ? await storedText(tx, present, { title, content }) : null,
    otherId: supersedes,
  }),
  assertLocked: (locked, { supersedes }) => {
    if (supersedes !== null && locked.other === null) throw new ServiceError('not_found');
    assertSameLayer(supersededBy(locked));
  },
  act: async (tx, locked, { decision, text, storable, prepared, model }) => {
    const { memory, embedding, embeddingModel } = locked.own;
    // It can have been published, changed and put back into review since its text was found.
    if (prepared === null || storable === null) throw versionConflict(memory.version);
    if (decision.content === undefined) assertSameContent(memory, text);
    const pairs = supersededBy(locked);
    assertPublished(pairs);
    const audit = [];
    for (const { superseded } of pairs) audit.push(...(await archiveMemory(tx, superseded, memory.id)).audit);
    const edited = prepared.content !== memory.content;
    const title =
      text?.title === memory.title || decision.title !== undefined ? storable.title : memory.title;
    const supersedes = decision.supersedes === null ? {} : { supersedes: decision.supersedes };
    const origin = editedOrigin(tx, locked.own, decision);
    const stored = await publishMemoryText(tx, memory, {
      title,
      prepared,
      origin,
      // The vector that came with the item is valid only for the text that it came with, and for its own model.
      embedding: edited || embeddingModel !== model ? null : embedding,
      model,
    });
    const published = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      origin,
      sourceId: stored.sourceId,
      ...(edited ? { content: prepared } : {}),
      ...supersedes,
    });
    const detail = { ...stored, edited: edited || title !== memory.title, ...supersedes };
    audit.push(memoryEvent('memory.publish', published, detail));
    return { result: published, audit, indexed: [layerOf(tx.scope, memory.clientId)] };
  },
};

function supersededBy({ own, other }: LockedDecision): SupersededPair[] {
  return other === null ? [] : [{ superseded: other, clientId: own.memory.clientId, path: '/supersedes' }];
}
