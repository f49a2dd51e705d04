import { settleFeedback } from '../../../db/queries/feedback/feedback.ts';
import { updateMemory } from '../../../db/queries/memory/memories.ts';
import {
  retitleSource,
  updateSourceExpiry,
  updateSourceFields,
} from '../../../db/queries/memory/source-fields.ts';
import { invalidField } from '../../../shared/errors.ts';
import { layerOf } from '../../../shared/scope.ts';
import { memoryEvent } from '../events.ts';
import { replaceMemoryText } from '../store-memory.ts';
import type { DecisionAction } from './action.ts';
import { editedOrigin, storedText } from './stored-text.ts';

/** Changes the title, the content, the tags, the date or the expiry of a published memory. */
export const update: DecisionAction = {
  fields: ['tags', 'title', 'content', 'occurredAt', 'expiresAt'],
  addsText: true,
  participle: 'updated',
  assertComplete: ({ title, content, tags, occurredAt, expiresAt }) => {
    if ([title, content, tags, occurredAt, expiresAt].every((field) => field === undefined)) {
      throw invalidField(
        '/content',
        'is required with update when title, tags, occurredAt and expiresAt are absent',
      );
    }
  },
  find: async (tx, { title, content, tags, occurredAt }, present) =>
    content === undefined
      ? {}
      : { text: await storedText(tx, present, { title, content, tags, occurredAt }) },
  act: async (tx, { own }, { decision, prepared, model }) => {
    const { memory } = own;
    const { sourceId } = memory;
    const layerId = layerOf(tx.scope, memory.clientId);
    if (sourceId === null) throw new Error('a published memory has no source');
    const title = decision.title ?? memory.title;
    // If the text is the same, its chunks keep their vectors.
    const changed = prepared === null || prepared.content === memory.content ? null : prepared;
    const origin = editedOrigin(tx, own, decision);
    const { occurredAt, expiresAt } = decision;
    // Before the text, whose terms are made with the new date and the new tags.
    const dated = occurredAt === undefined ? null : await updateSourceFields(tx, sourceId, { occurredAt });
    const retagged =
      decision.tags === null ? null : await updateSourceFields(tx, sourceId, { tags: decision.tags });
    if (changed === null) await retitleSource(tx, sourceId, { title, origin });
    else await replaceMemoryText(tx, sourceId, { layerId, title, prepared: changed, origin, model });
    if (expiresAt !== undefined) await updateSourceExpiry(tx, sourceId, expiresAt);
    await settleFeedback(tx, sourceId);
    const updated = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      origin,
      ...(changed === null ? {} : { content: changed }),
      ...(retagged === null ? {} : { tags: retagged.source.tags }),
      ...(occurredAt === undefined ? {} : { occurredAt }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    });
    const titleChanged = title !== memory.title;
    const detail = {
      sourceId,
      titleChanged,
      contentChanged: changed !== null,
      ...(decision.tags === null ? {} : { tagsChanged: retagged !== null }),
      ...(occurredAt === undefined ? {} : { dateChanged: dated !== null }),
      ...(expiresAt === undefined ? {} : { expiryChanged: memory.expiresAt !== updated.expiresAt }),
      ...(changed === null ? {} : { chunks: changed.chunks.length }),
    };
    return {
      result: updated,
      audit: [memoryEvent('memory.update', updated, detail)],
      indexed: [layerId],
      // Terms of a new text are made with the new title, the new date and the new tags.
      isOutdated: changed === null && (titleChanged || dated !== null || retagged !== null),
    };
  },
};
