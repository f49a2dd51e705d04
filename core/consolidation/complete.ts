import { type TeamTransaction, transaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { completeCaptures as completeCaptureRows } from '../../db/queries/captures.ts';
import {
  type Completion,
  closeConsolidationBatch,
  type LockedBatch,
  lockConsolidationBatch,
} from '../../db/queries/consolidation.ts';
import { findSimilarMemories, insertMemory, lockMemories } from '../../db/queries/memories.ts';
import { lockSimilarMemories } from '../../db/queries/sources/removal.ts';
import { needsReview } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { jsonHash } from '../../shared/formats/json-parts.ts';
import { dayOfMoment, type Moment } from '../../shared/formats/times.ts';
import { newId, parseId } from '../../shared/ids.ts';
import { lowestOrigin } from '../../shared/origin.ts';
import type {
  CompleteRequest,
  ConsolidatedItem,
  ConsolidationResult,
} from '../../shared/schemas/consolidation.ts';
import type { Memory } from '../../shared/schemas/memories.ts';
import { clientOf, type LayerId, requireRight, type TeamScope } from '../../shared/scope.ts';
import { type PreparedContent, prepareContents } from '../../shared/text/memory-content.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import type { Applied, OnceCommand, Recorded } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  archiveMemory,
  assertPublished,
  assertSameLayer,
  captureEvents,
  insertMemorySource,
  memoryEvent,
  type SupersededPair,
} from '../memories/store.ts';
import { redactionMode } from '../redaction/redact.ts';
import { enqueueIndexing } from '../sources/indexing.ts';
import {
  assertFutureItems,
  type ItemForm,
  type ItemText,
  layersOf,
  parseItems,
  type ResolvedItem,
  redactItems,
  resolveLayers,
  resolveNames,
} from './items.ts';
import { readableResults } from './queries.ts';

/** An item whose content has been cut. */
interface PreparedItem extends ItemForm {
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
async function completeItems(
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

/** What a complete stores, with its contents cut. */
interface Completing {
  /** SHA-256 of the items: the same complete again gets the same results. */
  requestHash: Buffer;
  items: PreparedItem[];
}

/** A locked batch of the caller, and the memories that its items are to supersede. */
interface LockedItems<T extends ItemForm> {
  batch: LockedBatch;
  /** The items with their layers. Empty if the batch was completed before or its lease has expired. */
  resolved: ResolvedItem<T>[];
  /** By id. */
  superseded: ReadonlyMap<string, Memory>;
  /** Whether an item that is to be published waits for a decision instead. */
  reviewed: boolean;
}

/**
 * Refuses what is refused before the body is validated: to supersede a memory is a decision, which requires Full access.
 * @throws ServiceError `full_access_required`, `permission_required`
 */
export function assertCompleteAllowed(scope: TeamScope, body: unknown): void {
  const items = (body as { items?: unknown } | null | undefined)?.items;
  if (!Array.isArray(items)) return;
  const supersedes = (item: unknown) => (item as Partial<ConsolidatedItem> | null)?.supersedes !== undefined;
  if (items.some(supersedes)) requireRight(scope, 'decideMemories');
}

/**
 * Completes a batch: all of its items or none. Captures that no item names are staged again. If the batch was completed
 * before with the same items, its results are repeated, as far as the caller can read them now.
 * @param signal of the request: no content is cut after it is closed
 * @throws ServiceError `invalid_request`, the refusals of an embedding, `scope_forbidden`, `not_found`; the command also `team_archived`, `conflict`, `batch_expired`, `secret_detected`,
 *   `quota_exceeded`
 */
export async function completeCaptures(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  body: CompleteRequest,
  signal: AbortSignal,
): Promise<OnceCommand<LockedItems<PreparedItem>, ConsolidationResult[], Completing>> {
  const given = await parseItems(body.items, deps.config.embeddingModel);
  const checked = await redactItems(redactionMode(deps.config, scope), body.items, given);
  const { redactions, assertAllowed } = checked;
  const forms = resolveNames(checked.fields, body.items, scope);
  const batchId = parseId(body.batchId);
  return {
    prepare: async () => {
      const hashed = body.items.map((item, index) => ({ ...item, captureIds: forms[index]?.captureIds }));
      return {
        requestHash: await jsonHash(hashed, 'canonical'),
        items: await prepareItems(scope.teamId, forms, signal),
      };
    },
    lock: (tx, { items }) => lockBatch(tx, batchId, items),
    quota: deps.config,
    apply: (tx, locked, { requestHash }) =>
      apply(tx, deps, { batchId, requestHash, ...locked, assertAllowed }),
    answer: (results) => ({ status: 200, body: { results, redactions } }),
    recheckAnswer: async (stored) => {
      const { results, ...answer } = stored as { results: ConsolidationResult[] };
      const readable = await transaction(deps.database, scope, async (tx) => {
        await lockBatch(tx, batchId, forms);
        return readableResults(tx, results);
      });
      return { results: readable, ...answer };
    },
  };
}

async function prepareItems(
  teamId: string,
  forms: readonly ItemForm[],
  signal: AbortSignal,
): Promise<PreparedItem[]> {
  const contents = forms.flatMap(({ text, occurredAt }) =>
    text === null ? [] : { ...text, day: occurredAt && dayOfMoment(occurredAt) },
  );
  const prepared = await prepareContents(teamId, contents, signal);
  return forms.map((form) => ({
    ...form,
    id: newId(),
    prepared: form.text === null ? null : (prepared.shift() ?? null),
  }));
}

/**
 * Locks the Team, the batch, its captures and the memories to be superseded. A batch that was completed before is shown
 * only if the caller can still write where it wrote.
 */
async function lockBatch<T extends ItemForm>(
  tx: TeamTransaction,
  batchId: string,
  items: readonly T[],
): Promise<LockedItems<T>> {
  const team = await lockTeamForWrite(tx);
  const supersedes = items.map(({ text }) => text?.supersedes ?? null).filter((id) => id !== null);
  if (supersedes.length > 0) requireRight(team, 'decideMemories');
  const batch = await lockConsolidationBatch(tx, batchId);
  if (batch === null) throw new ServiceError('not_found');
  assertOfBatch(items, batch);
  const written = batch.completion?.layers ?? [];
  if (!(await canWrite(tx, team, written))) throw new ServiceError('scope_forbidden');
  const isOpen = batch.completion === null && !batch.expired;
  const resolved = isOpen ? await resolveLayers(tx, team, batchId, items) : [];
  const lockedMemories = await lockMemories(tx, supersedes);
  // A completion that is sent again has superseded them already; they can have been purged since.
  if (batch.completion === null && lockedMemories.size < supersedes.length)
    throw new ServiceError('not_found');
  assertActive(team);
  return {
    batch,
    resolved,
    superseded: new Map([...lockedMemories].map(([id, { memory }]) => [id, memory])),
    reviewed: needsReview(team.settings, team),
  };
}

function assertOfBatch(items: readonly ItemForm[], { captureIds }: LockedBatch): void {
  for (const [index, item] of items.entries()) {
    if (item.captureIds.some((id) => !captureIds.includes(id))) {
      throw invalidField(`/items/${index}/captureIds`, 'names a capture that is not in the batch');
    }
  }
}

async function apply(
  tx: TeamTransaction,
  { config, queue }: Pick<Dependencies, 'config' | 'queue'>,
  completing: LockedItems<PreparedItem> & { batchId: string; requestHash: Buffer; assertAllowed: () => void },
): Promise<Applied<ConsolidationResult[]>> {
  const { batchId, requestHash, batch, superseded } = completing;
  if (batch.completion !== null) {
    const results = repeatResults(batch.completion, requestHash);
    return { result: await readableResults(tx, results), audit: [] };
  }
  if (batch.expired) throw new ServiceError('batch_expired');
  assertFutureItems(completing.resolved);
  completing.assertAllowed();

  const resolved = completing.reviewed ? completing.resolved.map(toReview) : completing.resolved;
  const context = { batchId, model: config.embeddingModel };
  const { result: results, audit } = await completeItems(tx, context, resolved, superseded);
  await completeCaptureRows(tx, batchId, [...new Set(resolved.flatMap(({ captureIds }) => captureIds))]);
  const layers = [...new Set(layersOf(resolved))];
  await closeConsolidationBatch(tx, batchId, { requestHash, results, layers });
  const published = resolved.flatMap(({ layerId }, index) =>
    layerId !== undefined && results[index]?.state === 'published' ? [layerId] : [],
  );
  return {
    result: results,
    audit,
    enqueue: async () => {
      if (published.length > 0) await enqueueIndexing(tx, queue, config, published);
    },
  };
}

/** An item that waits for a decision if it was to be published. */
function toReview<T extends ItemForm>(item: T): T {
  return item.text === null ? item : { ...item, text: { ...item.text, state: 'review' } };
}

function repeatResults(completion: Completion, requestHash: Buffer): ConsolidationResult[] {
  if (!completion.requestHash.equals(requestHash)) {
    throw new ServiceError('conflict', 'The batch was already completed with different items');
  }
  return completion.results;
}
