import type { TeamTransaction } from '../../../db/driver/database.ts';
import { archiveSource } from '../../../db/queries/library/archive.ts';
import { findMemory, updateMemory } from '../../../db/queries/memory/memories.ts';
import { isPast } from '../../../shared/formats/times.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import { layerOf } from '../../../shared/scope.ts';
import type { Recorded } from '../../access/run-command.ts';
import { memoryEvent } from '../events.ts';
import { publishMemoryText } from '../store-memory.ts';
import type { Deciding, DecisionAction } from './action.ts';
import { assertSameContent, versionConflict } from './stale.ts';
import { storedText } from './stored-text.ts';

/**
 * Puts a published memory back into review: searches no longer find it, and its versions stay. The memory that it
 * superseded is published again if it is still archived.
 */
export const unpublish: DecisionAction = {
  fields: [],
  addsText: true,
  participle: 'unpublished',
  find: async (tx, _decision, present) => {
    const superseded = present.supersedes === null ? null : await findMemory(tx, present.supersedes);
    if (superseded === null || !isSuperseded(superseded, present)) return {};
    return { text: await storedText(tx, superseded), otherId: superseded.id };
  },
  act: async (tx, { own: { memory }, other }, deciding) => {
    const { sourceId } = memory;
    if (sourceId === null) throw new Error('a published memory has no source');
    // It can have been published again since then, in place of another memory.
    if (memory.supersedes !== deciding.present.supersedes) throw versionConflict(memory.version);
    await archiveSource(tx, sourceId);
    const withdrawn = await updateMemory(tx, memory.id, { state: 'review', supersedes: null });
    const restored =
      other !== null && isSuperseded(other, memory) ? await publishAgain(tx, other, deciding) : null;
    const detail = { sourceId, ...(restored === null ? {} : { restored: restored.result.id }) };
    const indexed = restored === null ? [] : [layerOf(tx.scope, restored.result.clientId)];
    return {
      result: withdrawn,
      audit: [memoryEvent('memory.unpublish', withdrawn, detail), ...(restored?.audit ?? [])],
      indexed,
    };
  },
};

/** Whether a memory is archived only because the other one superseded it. */
function isSuperseded({ state, supersededBy, expiresAt }: Memory, by: Memory): boolean {
  return state === 'archived' && supersededBy === by.id && !isPast(expiresAt);
}

async function publishAgain(
  tx: TeamTransaction,
  memory: Memory,
  { text, prepared, model }: Deciding,
): Promise<Recorded<Memory>> {
  if (prepared === null) throw new Error('the superseded memory has no prepared content');
  assertSameContent(memory, text);
  const stored = await publishMemoryText(tx, memory, {
    title: memory.title,
    prepared,
    embedding: null,
    model,
  });
  const published = await updateMemory(tx, memory.id, { state: 'published', supersededBy: null });
  return { result: published, audit: [memoryEvent('memory.restore', published, { ...stored })] };
}
