import { updateMemory } from '../../../db/queries/memory/memories.ts';
import { retitleSource, updateSourceFields } from '../../../db/queries/memory/source-fields.ts';
import { invalidField } from '../../../shared/errors.ts';
import { memoryEvent } from '../events.ts';
import { replaceMemoryText } from '../store-memory.ts';
import type { DecisionAction } from './action.ts';
import { storedText } from './stored-text.ts';

/** Changes the title, the content or the tags of a published memory. */
export const update: DecisionAction = {
  fields: ['tags', 'title', 'content'],
  participle: 'updated',
  assertComplete: ({ title, content, tags }) => {
    if (title === undefined && content === undefined && tags === undefined) {
      throw invalidField('/content', 'is required with update when title and tags are absent');
    }
  },
  find: async (tx, { title, content }, present) =>
    content === undefined ? {} : { text: await storedText(tx, present, { title, content }) },
  act: async (tx, { own: { memory } }, { decision, prepared, model }) => {
    const { sourceId, clientId: layerId } = memory;
    if (sourceId === null) throw new Error('a published memory has no source');
    const title = decision.title ?? memory.title;
    // If the text is the same, its chunks keep their vectors.
    const changed = prepared === null || prepared.content === memory.content ? null : prepared;
    if (changed === null) await retitleSource(tx, sourceId, title);
    else await replaceMemoryText(tx, sourceId, { layerId, title, prepared: changed, model });
    const retagged =
      decision.tags === null ? null : await updateSourceFields(tx, sourceId, { tags: decision.tags });
    const updated = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      ...(changed === null ? {} : { content: changed }),
      ...(retagged === null ? {} : { tags: retagged.source.tags }),
    });
    const titleChanged = title !== memory.title;
    const detail = {
      sourceId,
      titleChanged,
      contentChanged: changed !== null,
      ...(decision.tags === null ? {} : { tagsChanged: retagged !== null }),
      ...(changed === null ? {} : { chunks: changed.chunks.length }),
    };
    return {
      result: updated,
      audit: [memoryEvent('memory.update', updated, detail)],
      indexed: [layerId],
      titleChanged,
    };
  },
};
