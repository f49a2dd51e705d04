import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockTeamForWrite, mayWrite } from '../../../core/access/lock-and-recheck.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import { completeItems, type PreparedItem } from '../../../core/memories/complete-items.ts';
import { type ItemForm, readItems } from '../../../core/memories/parse-items.ts';
import { type PlacedItem, placeItems } from '../../../core/memories/resolve-layers.ts';
import { enqueueIndexing } from '../../../core/sources/enqueue-indexing.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { settleCaptures } from '../../../db/queries/memory/captures.ts';
import {
  type Completion,
  closeConsolidationBatch,
  type LockedBatch,
  lockConsolidationBatch,
} from '../../../db/queries/memory/consolidation-batches.ts';
import { lockMemories } from '../../../db/queries/memory/memories.ts';
import { BATCH_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { jsonHash } from '../../../shared/formats/json-parts.ts';
import { newId } from '../../../shared/ids.ts';
import {
  CompleteRequest,
  CompleteResponse,
  type ConsolidationResult,
} from '../../../shared/schemas/consolidation.ts';
import type { Memory } from '../../../shared/schemas/library.ts';
import { prepareContents } from '../../../shared/text/memory-content.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import { goneSignal } from '../../request/gone-signal.ts';
import { COMPLETE_JSON_LIMITS } from '../../request/json-limits.ts';
import type { Routes } from '../../types.ts';

/** A complete whose form is checked and whose contents are cut. */
interface Completing {
  batchId: string;
  /** SHA-256 of the items, by which the same complete is known again. */
  requestHash: Buffer;
  items: PreparedItem[];
}

async function prepareItems(
  teamId: string,
  forms: readonly ItemForm[],
  signal: AbortSignal,
): Promise<PreparedItem[]> {
  const contents = forms.flatMap(({ text }) => text?.content ?? []);
  const prepared = await prepareContents(teamId, contents, signal);
  return forms.map((form) => ({
    ...form,
    id: newId(),
    prepared: form.text === null ? null : (prepared.shift() ?? null),
  }));
}

/** A batch of the caller's that is locked, and the memories that its items are to supersede. */
interface TakenBatch<T extends ItemForm> {
  batch: LockedBatch;
  /** Its items in their layers, where it is still to be completed. */
  placed: PlacedItem<T>[];
  superseded: Map<string, Memory>;
}

/**
 * Takes a batch of the caller's. One that was completed before is shown to who may still write where it wrote.
 * @throws ServiceError `full_access_required`, `invalid_request` for an item beside the batch, `scope_forbidden`,
 *   `not_found`, `team_archived`
 */
async function lockBatch<T extends ItemForm>(
  tx: TeamTransaction,
  batchId: string,
  items: readonly T[],
): Promise<TakenBatch<T>> {
  const held = await lockTeamForWrite(tx);
  const supersedes = items.map(({ text }) => text?.supersedes ?? null).filter((id) => id !== null);
  if (supersedes.length > 0 && held.access !== 'full') throw new ServiceError('full_access_required');
  const batch = await lockConsolidationBatch(tx, batchId);
  if (batch === null) throw new ServiceError('not_found');
  assertOfBatch(items, batch);
  const shown = batch.completion?.layers ?? [];
  if (!(await mayWrite(tx, held, shown))) throw new ServiceError('scope_forbidden');
  const open = batch.completion === null && !batch.expired;
  const placed = open ? await placeItems(tx, held, batchId, items) : [];
  const locked = await lockMemories(tx, supersedes);
  if (locked.size < supersedes.length) throw new ServiceError('not_found');
  assertActive(held);
  return { batch, placed, superseded: new Map([...locked].map(([id, { memory }]) => [id, memory])) };
}

/** Refuses an item that names a capture which is not of the batch. */
function assertOfBatch(items: readonly ItemForm[], { captureIds }: LockedBatch): void {
  for (const [index, item] of items.entries()) {
    if (item.captureIds.some((id) => !captureIds.includes(id))) {
      throw invalidField(`/items/${index}/captureIds`, 'names a capture that is not of the batch');
    }
  }
}

/** The results of a batch that was completed before. */
function repeatResults(completion: Completion, requestHash: Buffer): ConsolidationResult[] {
  if (!completion.requestHash.equals(requestHash)) {
    throw new ServiceError('conflict', 'The batch was completed differently');
  }
  return completion.results;
}

/** Completes a batch: all of its items or none. What no item names is staged again. */
async function complete(
  tx: TeamTransaction,
  { config, queue }: Dependencies,
  { batchId, requestHash, items }: Completing,
): Promise<ConsolidationResult[]> {
  const { batch, placed, superseded } = await lockBatch(tx, batchId, items);
  if (batch.completion !== null) return repeatResults(batch.completion, requestHash);
  if (batch.expired) throw new ServiceError('batch_expired');

  const occasion = { batchId, model: config.embeddingModel };
  const results = await completeItems(tx, occasion, placed, superseded);
  await settleCaptures(tx, batchId, [...new Set(items.flatMap(({ captureIds }) => captureIds))]);
  const written = placed.flatMap(({ layer, captures }) => [
    layer,
    ...captures.map((capture) => capture.layer),
  ]);
  const layers = [...new Set(written.filter((layer) => layer !== undefined))];
  await closeConsolidationBatch(tx, batchId, { requestHash, results, layers });
  if (results.some(({ state }) => state === 'published')) {
    const published = placed.flatMap(({ layer }, index) =>
      layer !== undefined && results[index]?.state === 'published' ? [layer] : [],
    );
    await enqueueIndexing(tx, queue, config, published);
  }
  return results;
}

/** POST /v1/memory/consolidation/complete: what the claimer made of its batch. */
export const consolidationCompleteRoute: Routes = (app, deps) => {
  const { config, database } = deps;
  app.post(
    '/v1/memory/consolidation/complete',
    {
      bodyLimit: BATCH_BODY_LIMIT,
      config: { jsonLimits: COMPLETE_JSON_LIMITS },
      schema: {
        summary: 'Complete a batch: publish, send to review or discard',
        tags: ['memory'],
        body: CompleteRequest,
        response: { 200: CompleteResponse },
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const { body, teamScope } = request;
      const forms = readItems(body.items, teamScope, config.embeddingModel);
      const batchId = knownId(body.batchId);
      // Before a kept answer is repeated, and before contents are cut for nothing.
      await transaction(database, teamScope, (tx) => lockBatch(tx, batchId, forms));
      const items = body.items.map((item, index) => ({ ...item, captureIds: forms[index]?.captureIds }));
      const requestHash = await jsonHash(items, 'canonical');
      return answerOnce(request, reply, database, {
        prepare: async (): Promise<Completing> => ({
          batchId,
          requestHash,
          items: await prepareItems(teamScope.teamId, forms, goneSignal(reply)),
        }),
        lock: async () => undefined,
        apply: async (tx, _, completing) => ({ result: await complete(tx, deps, completing), audit: [] }),
        answer: (results) => ({ status: 200, body: { results } }),
      });
    },
  );
};
