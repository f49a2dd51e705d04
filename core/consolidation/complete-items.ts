import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/identity/audit.ts';
import { lockSimilarMemories } from '../../db/queries/library/purge.ts';
import { insertMemory } from '../../db/queries/memory/memories.ts';
import { findSimilarMemories } from '../../db/queries/memory/similar-memories.ts';
import type { Moment } from '../../shared/formats/times.ts';
import { lowestOrigin } from '../../shared/origin.ts';
import type { ConsolidationResult } from '../../shared/schemas/consolidation.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import { clientOf, type LayerId } from '../../shared/scope.ts';
import type { PreparedContent } from '../../shared/text/memory-content.ts';
import type { Recorded } from '../access/run-command.ts';
import { captureEvents, memoryEvent } from '../memories/events.ts';
import { insertMemorySource } from '../memories/store-memory.ts';
import {
  archiveMemory,
  assertPublished,
  assertSameLayer,
  type SupersededPair,
} from '../memories/superseded.ts';
import type { ItemForm, ItemText } from './parse-items.ts';
import type { ResolvedItem } from './resolve-layers.ts';

/** An item whose content has been cut. */
export interface PreparedItem extends ItemForm {
  /** Of the memory that it becomes, if it is not discarded. */
  id: string;
  /** Null if the item is discarded. */
  prepared: PreparedContent | null;
}

/** What the items are completed for: the batch, and the model of the vectors. */
interface BatchContext {
  batchId: string;
  model: string;
}

type ReadyItem = ResolvedItem<PreparedItem>;

/**
 * Publishes each item, sends it to review, or discards it: one after the other, so that each finds earlier ones that are
 * similar.
 * @param superseded the locked memories that items supersede, by id
 * @returns one result for each item, with the events for the command to record
 * @throws ServiceError `invalid_request` or `conflict` if a memory cannot be superseded
 */
export async function completeItems(
  tx: TeamTransaction,
  context: BatchContext,
  items: readonly ReadyItem[],
  superseded: ReadonlyMap<string, Memory>,
): Promise<Recorded<ConsolidationResult[]>> {
  const supersededBy = ({ text }: ReadyItem) => superseded.get(text?.supersedes ?? '');
  const pairs = items.flatMap((item, index): SupersededPair[] => {
    const memory = supersededBy(item);
    if (memory === undefined || item.layerId === undefined) return [];
    return [
      { superseded: memory, clientId: clientOf(tx.scope, item.layerId), path: `/items/${index}/supersedes` },
    ];
  });
  assertSameLayer(pairs);
  assertPublished(pairs);
  const results: ConsolidationResult[] = [];
  const audit: AuditEntry[] = [];
  for (const item of items) {
    const old = supersededBy(item);
    if (old !== undefined) audit.push(...(await archiveMemory(tx, old, item.id)).audit);
    const completed = await completeItem(tx, context, item);
    results.push(completed.result);
    audit.push(...completed.audit);
  }
  return { result: results, audit };
}

async function completeItem(
  tx: TeamTransaction,
  context: BatchContext,
  item: ReadyItem,
): Promise<Recorded<ConsolidationResult>> {
  const { text, prepared, layerId, captures } = item;
  if (text !== null && prepared !== null && layerId !== undefined) {
    return storeItem(tx, context, { ...item, text, prepared, layerId });
  }
  const discarded = captures.map((capture) => ({
    id: capture.id,
    clientId: clientOf(tx.scope, capture.layerId),
  }));
  return {
    result: { state: 'discarded', memoryId: null, similar: [] },
    audit: captureEvents('memory.discard', context.batchId, discarded),
  };
}

interface StoredItem {
  id: string;
  captureIds: string[];
  occurredAt: Moment | null;
  expiresAt: Date | null;
  text: ItemText;
  prepared: PreparedContent;
  layerId: LayerId;
  captures: ReadyItem['captures'];
}

async function storeItem(
  tx: TeamTransaction,
  { batchId, model }: BatchContext,
  item: StoredItem,
): Promise<Recorded<ConsolidationResult>> {
  const { id, captureIds, prepared, layerId, occurredAt, expiresAt } = item;
  const origin = lowestOrigin(tx.scope.origin, ...item.captures.map((capture) => capture.origin));
  const { state, title, content, metadata, tags, embedding, supersedes } = item.text;
  const compared = { layerId, terms: prepared.terms, embedding, model };
  const similar = await lockSimilarMemories(tx, await findSimilarMemories(tx, compared));
  const stored =
    state === 'published'
      ? await insertMemorySource(tx, {
          layerId,
          title,
          metadata,
          tags,
          occurredAt,
          expiresAt,
          prepared,
          embedding,
          model,
          origin,
        })
      : null;
  await insertMemory(tx, {
    id,
    layerId,
    state,
    title,
    content,
    terms: prepared.terms,
    metadata,
    tags,
    captureIds,
    supersedes,
    occurredAt,
    expiresAt,
    embedding,
    model,
    origin,
    sourceId: stored?.sourceId ?? null,
  });
  const kind = stored === null ? 'memory.review' : 'memory.publish';
  const detail = { batchId, captureIds, ...(supersedes === null ? {} : { supersedes }), ...stored };
  return {
    result: { state, memoryId: id, similar },
    audit: [memoryEvent(kind, { id, clientId: clientOf(tx.scope, layerId), version: 1 }, detail)],
  };
}
