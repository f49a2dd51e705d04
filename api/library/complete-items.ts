import type { TeamTransaction } from '../../db/database.ts';
import { type AuditEntry, insertAuditEvents } from '../../db/queries/audit.ts';
import { insertMemory, lockMemories } from '../../db/queries/memories.ts';
import { findSimilarMemories } from '../../db/queries/similar-memories.ts';
import { insertMemorySource, type StoredText } from '../../db/stored-memory.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { PreparedContent } from '../../shared/memory-content.ts';
import type { ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { ItemForm, ItemText } from './item-form.ts';
import type { PlacedItem } from './placed-items.ts';
import { archiveMemory, takeSuperseded } from './superseded.ts';

/** An item whose content is cut already. */
export interface PreparedItem extends ItemForm {
  /** Of the memory that it may become. */
  id: string;
  prepared: PreparedContent | null;
}

/** What items are completed for: the batch, and the model of the vectors. */
interface Occasion {
  batchId: string;
  model: string;
}

/**
 * Makes of each item what it asks for, one after the other, so that a later one finds an earlier one that is like it.
 * @throws ServiceError what `takeSuperseded` throws
 */
export async function completeItems(
  tx: TeamTransaction,
  occasion: Occasion,
  items: readonly PlacedItem<PreparedItem>[],
): Promise<ConsolidationResult[]> {
  const superseded = await takeAllSuperseded(tx, items);
  const results: ConsolidationResult[] = [];
  for (const item of items) {
    const { text, prepared, layer } = item;
    if (text === null || prepared === null || layer === undefined) {
      results.push(await discard(tx, occasion, item));
    } else {
      if (text.supersedes !== null) await archiveMemory(tx, superseded.get(text.supersedes)!, item.id);
      results.push(await keep(tx, occasion, { ...item, text, prepared, layer }));
    }
  }
  return results;
}

/** Locks every memory that is to be superseded, before the first is, so that requests never hold each other's. */
async function takeAllSuperseded(
  tx: TeamTransaction,
  items: readonly PlacedItem<PreparedItem>[],
): Promise<Map<string, Memory>> {
  const taken = new Map<string, Memory>();
  const ids = items.map(({ text }) => text?.supersedes ?? null).filter((id) => id !== null);
  if (ids.length === 0) return taken;
  const locked = await lockMemories(tx, ids);
  for (const [index, { text, layer }] of items.entries()) {
    if (!text?.supersedes || layer === undefined) continue;
    const memory = takeSuperseded(locked.get(text.supersedes), layer, `/items/${index}/supersedes`);
    taken.set(memory.id, memory);
  }
  if (taken.size < ids.length)
    throw new ServiceError('conflict', 'Two items would supersede the same memory');
  return taken;
}

async function discard(
  tx: TeamTransaction,
  { batchId }: Occasion,
  { captureIds, layer }: PlacedItem<PreparedItem>,
): Promise<ConsolidationResult> {
  await insertAuditEvents(tx, [
    {
      kind: 'memory.discard',
      subjectType: 'batch',
      subjectId: batchId,
      ...(layer === undefined ? {} : { layer }),
      detail: { captureIds },
    },
  ]);
  return { state: 'discarded', memoryId: null, similar: [] };
}

interface KeptItem {
  id: string;
  captureIds: string[];
  text: ItemText;
  prepared: PreparedContent;
  layer: LayerId;
}

async function keep(
  tx: TeamTransaction,
  { batchId, model }: Occasion,
  item: KeptItem,
): Promise<ConsolidationResult> {
  const { id, captureIds, prepared, layer } = item;
  const { state, title, content, metadata, embedding, supersedes } = item.text;
  const similar = await findSimilarMemories(tx, { layer, terms: prepared.terms, embedding, model });
  const stored =
    state === 'published'
      ? await insertMemorySource(tx, { layer, title, metadata, prepared, embedding, model })
      : null;
  await insertMemory(tx, {
    id,
    layer,
    state,
    title,
    content,
    terms: prepared.terms,
    metadata,
    captureIds,
    supersedes,
    embedding,
    model,
    sourceId: stored?.sourceId ?? null,
  });
  const from = { batchId, captureIds, ...(supersedes === null ? {} : { supersedes }) };
  await insertAuditEvents(tx, [keptEvent({ id, layer, stored }, from)]);
  return { state, memoryId: id, similar };
}

function keptEvent(
  { id, layer, stored }: { id: string; layer: LayerId; stored: StoredText | null },
  from: Record<string, unknown>,
): AuditEntry {
  return {
    kind: stored === null ? 'memory.review' : 'memory.publish',
    subjectType: 'memory',
    subjectId: id,
    layer,
    detail: { version: 1, ...from, ...stored },
  };
}
