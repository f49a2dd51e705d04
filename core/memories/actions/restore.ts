import { settleFeedback } from '../../../db/queries/feedback/feedback.ts';
import { updateMemory } from '../../../db/queries/memory/memories.ts';
import { findVersionText, insertVersion } from '../../../db/queries/memory/memory-versions.ts';
import { retitleSource } from '../../../db/queries/memory/source-fields.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { isPast } from '../../../shared/formats/times.ts';
import { layerOf } from '../../../shared/scope.ts';
import { archiveIfDue } from '../../sources/removal/expire-records.ts';
import { memoryEvent } from '../events.ts';
import { publishMemoryText, replaceMemoryText } from '../store-memory.ts';
import type { DecisionAction } from './action.ts';
import { storedText } from './stored-text.ts';

/** Publishes an earlier text of a memory as a new version, also if the memory is archived. */
export const restore: DecisionAction = {
  fields: ['baseVersion'],
  namesVersion: true,
  addsText: true,
  participle: 'restored',
  assertComplete: ({ version }) => {
    if (version === undefined) throw invalidField('/version', 'is required with restore');
  },
  find: async (tx, { version = 0 }, present) => {
    const earlier = version > present.version ? null : await findVersionText(tx, present.id, version);
    if (earlier === null) throw new ServiceError('not_found');
    return { text: await storedText(tx, present, earlier), origin: earlier.origin };
  },
  act: async (tx, { own: { memory } }, { decision, storable, prepared, origin, model }) => {
    if (prepared === null || storable === null || origin === undefined)
      throw new Error('the version to restore has no prepared content');
    const layerId = layerOf(tx.scope, memory.clientId);
    const expired = memory.state === 'archived' ? await archiveIfDue(tx, memory.id) : [];
    // Otherwise it would count as archived again.
    const expiresAt = isPast(memory.expiresAt) ? null : memory.expiresAt;
    const { title } = storable;
    let stored = null;
    let { sourceId } = memory;
    if (memory.state === 'archived') {
      const archived = { ...memory, expiresAt };
      stored = await publishMemoryText(tx, archived, { title, prepared, origin, embedding: null, model });
      sourceId = stored.sourceId;
    } else if (sourceId === null) {
      throw new Error('a published memory has no source');
    } else if (prepared.content !== memory.content) {
      stored = await replaceMemoryText(tx, sourceId, { layerId, title, prepared, origin, model });
    } else {
      // Its chunks keep their vectors.
      await retitleSource(tx, sourceId, { title, origin });
    }
    if (sourceId !== null) await settleFeedback(tx, sourceId);
    const restored = await updateMemory(tx, memory.id, {
      state: 'published',
      title,
      content: prepared,
      origin,
      supersededBy: null,
      sourceId,
      expiresAt: expiresAt === null ? null : new Date(expiresAt),
    });
    // Also if it has the same text as the version before.
    await insertVersion(tx, restored, origin);
    const detail = { sourceId, ...stored, restoredVersion: decision.version };
    return {
      result: restored,
      audit: [...expired, memoryEvent('memory.restore', restored, detail)],
      indexed: [layerId],
      isOutdated: stored === null && title !== memory.title,
    };
  },
};
