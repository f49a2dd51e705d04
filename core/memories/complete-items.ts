import type { TeamTransaction } from '../../db/driver/database.ts';
import { type AuditEntry, insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { insertMemory } from '../../db/queries/memory/memories.ts';
import { findSimilarMemories } from '../../db/queries/memory/similar-memories.ts';
import type { ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { PreparedContent } from '../../shared/text/memory-content.ts';
import type { ItemForm, ItemText } from './parse-items.ts';
import type { PlacedItem } from './resolve-layers.ts';
import { insertMemorySource, type StoredText } from './store-memory.ts';
import { archiveMemory, assertPublished, assertSameScope, type Superseding } from './superseded.ts';

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

/** An item that is complete except for its effect. */
type ReadyItem = PlacedItem<PreparedItem>;

/**
 * Makes of each item what it asks for, one after the other, so that a later one finds an earlier one that is like it.
 * @param superseded locked memories that items name, by id
 * @throws ServiceError `invalid_request`, `conflict`, for what is to be superseded
 */
export async function completeItems(
  tx: TeamTransaction,
  occasion: Occasion,
  items: readonly ReadyItem[],
  superseded: ReadonlyMap<string, Memory>,
): Promise<ConsolidationResult[]> {
  const supersededBy = ({ text }: ReadyItem) => superseded.get(text?.supersedes ?? '');
  const pairs = items.flatMap((item, index): Superseding[] => {
    const memory = supersededBy(item);
    if (memory === undefined || item.layer === undefined) return [];
    return [{ superseded: memory, layer: item.layer, path: `/items/${index}/supersedes` }];
  });
  assertSameScope(pairs);
  assertPublished(pairs);
  const results: ConsolidationResult[] = [];
  for (const item of items) {
    const { text, prepared, layer } = item;
    const gone = supersededBy(item);
    if (gone !== undefined) await archiveMemory(tx, gone, item.id);
    if (text === null || prepared === null || layer === undefined) {
      results.push(await discard(tx, occasion, item));
    } else {
      results.push(await keep(tx, occasion, { ...item, text, prepared, layer }));
    }
  }
  return results;
}

/** An event for each layer that the item's captures lie in. */
async function discard(
  tx: TeamTransaction,
  { batchId }: Occasion,
  { captures }: ReadyItem,
): Promise<ConsolidationResult> {
  const events = [...Map.groupBy(captures, (capture) => capture.layer)].map(
    ([layer, own]): AuditEntry => ({
      kind: 'memory.discard',
      subjectType: 'batch',
      subjectId: batchId,
      layer,
      detail: { captureIds: own.map(({ id }) => id) },
    }),
  );
  insertAuditEvents(tx, events);
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
  insertAuditEvents(tx, [keptEvent({ id, layer, stored }, from)]);
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
