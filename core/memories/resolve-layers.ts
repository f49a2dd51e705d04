import type { TeamTransaction } from '../../db/driver/database.ts';
import { type LentCapture, lockLentCaptures } from '../../db/queries/memory/captures.ts';
import { lockConsolidationBatch } from '../../db/queries/memory/consolidation-batches.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import type { LayerId } from '../../shared/scope.ts';
import { type LockedTeam, mayWrite } from '../access/lock-and-recheck.ts';
import type { ItemForm } from './parse-items.ts';

/** An item with its captures, and the layer that it goes to: undefined for a discard over several. */
export type PlacedItem<T extends ItemForm> = T & { captures: LentCapture[]; layer: LayerId | undefined };

/**
 * Finds the layer of each item: that of its captures, unless a caller with Full access names another. Locks the
 * captures of the batch.
 * @throws ServiceError `invalid_request` for an item over several layers that names none, `scope_forbidden` where the
 *   caller may not write to a capture or to what it becomes, `batch_expired`
 */
export async function placeItems<T extends ItemForm>(
  tx: TeamTransaction,
  held: LockedTeam,
  batchId: string,
  items: readonly T[],
): Promise<PlacedItem<T>[]> {
  const lent = new Map((await lockLentCaptures(tx, batchId)).map((capture) => [capture.id, capture]));
  const placed: PlacedItem<T>[] = [];
  for (const [index, item] of items.entries()) {
    const captures = item.captureIds.map((id) => lent.get(id)).filter((capture) => capture !== undefined);
    if (captures.length < item.captureIds.length) throw await whyMissing(tx, batchId);
    placed.push({ ...item, captures, layer: layerOfItem(held, item, captures, `/items/${index}/scope`) });
  }
  const touched = placed.flatMap(({ layer, captures }) => [
    layer,
    ...captures.map((capture) => capture.layer),
  ]);
  const layers = touched.filter((layer) => layer !== undefined);
  if (!(await mayWrite(tx, held, layers))) throw new ServiceError('scope_forbidden');
  return placed;
}

function layerOfItem(
  held: LockedTeam,
  { namedLayer, text }: ItemForm,
  captures: readonly LentCapture[],
  path: string,
): LayerId | undefined {
  const layers = [...new Set(captures.map(({ layer }) => layer))];
  const [only] = layers;
  if (held.access !== 'full') {
    // Claimed with more than is held now, a batch may hold captures of others.
    const foreign = captures.some(({ createdBy }) => createdBy !== held.userId);
    if (foreign || layers.length > 1 || (namedLayer !== undefined && namedLayer !== only)) {
      throw new ServiceError('scope_forbidden');
    }
  }
  if (namedLayer !== undefined) return namedLayer;
  if (layers.length === 1) return only;
  // Where captures of several layers meet, what is made of them must not land where not all may read it unasked.
  if (text !== null) throw invalidField(path, 'is required where captures lie in several scopes');
  return undefined;
}

/**
 * Why the batch no longer holds a capture that was lent to it: the caller can no longer write to its layer, or the
 * lease expired after the batch was checked and someone else claimed the capture.
 */
async function whyMissing(tx: TeamTransaction, batchId: string): Promise<ServiceError> {
  const batch = await lockConsolidationBatch(tx, batchId);
  return new ServiceError(batch?.expired === true ? 'batch_expired' : 'scope_forbidden');
}
