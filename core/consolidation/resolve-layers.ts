import type { TeamTransaction } from '../../db/driver/database.ts';
import { type LeasedCapture, lockLeasedCaptures } from '../../db/queries/memory/consolidation/captures.ts';
import { lockConsolidationBatch } from '../../db/queries/memory/consolidation/consolidation-batches.ts';
import { hasRight } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import type { LayerId } from '../../shared/scope.ts';
import { canWrite, type LockedTeam } from '../access/lock-and-recheck.ts';
import type { ItemForm } from './parse-items.ts';

/** An item with its captures, and the layer that it goes to: undefined if it discards captures of several layers. */
export type ResolvedItem<T extends ItemForm> = T & {
  captures: LeasedCapture[];
  layerId: LayerId | undefined;
};

/**
 * Finds the layer of each item: that of its captures, unless a caller with Full access names another. Locks the
 * captures of the batch.
 * @throws ServiceError `invalid_request` for an item with captures of several layers that names no layer;
 *   `scope_forbidden` if the caller cannot write to the layer of a capture or of its item; `batch_expired`
 */
export async function resolveLayers<T extends ItemForm>(
  tx: TeamTransaction,
  team: LockedTeam,
  batchId: string,
  items: readonly T[],
): Promise<ResolvedItem<T>[]> {
  const leased = new Map((await lockLeasedCaptures(tx, batchId)).map((capture) => [capture.id, capture]));
  const resolved: ResolvedItem<T>[] = [];
  for (const [index, item] of items.entries()) {
    const captures = item.captureIds.map((id) => leased.get(id)).filter((capture) => capture !== undefined);
    if (captures.length < item.captureIds.length) throw await missingCaptureError(tx, batchId);
    resolved.push({ ...item, captures, layerId: layerOfItem(team, item, captures, `/items/${index}/scope`) });
  }
  if (!(await canWrite(tx, team, layersOf(resolved)))) throw new ServiceError('scope_forbidden');
  return resolved;
}

/** The layers of these items and of their captures, with repetitions. */
export function layersOf(items: readonly Pick<ResolvedItem<ItemForm>, 'layerId' | 'captures'>[]): LayerId[] {
  const layers = items.flatMap(({ layerId, captures }) => [
    layerId,
    ...captures.map((capture) => capture.layerId),
  ]);
  return layers.filter((layerId) => layerId !== undefined);
}

function layerOfItem(
  team: LockedTeam,
  { namedLayerId, text }: ItemForm,
  captures: readonly LeasedCapture[],
  path: string,
): LayerId | undefined {
  const layers = [...new Set(captures.map(({ layerId }) => layerId))];
  const [only] = layers;
  if (!hasRight(team, 'actForOthers')) {
    // The caller can have lost Full access since it claimed the captures of others.
    const foreign = captures.some(({ createdBy }) => createdBy !== team.userId);
    if (foreign || layers.length > 1 || (namedLayerId !== undefined && namedLayerId !== only)) {
      throw new ServiceError('scope_forbidden');
    }
  }
  if (namedLayerId !== undefined) return namedLayerId;
  if (layers.length === 1) return only;
  // A text from several layers goes only where the caller says, because readers of one layer cannot read all of them.
  if (text !== null) throw invalidField(path, 'is required when the captures are in several scopes');
  return undefined;
}

/**
 * Returns the error for a capture that the batch no longer has: `batch_expired` if the lease expired after the batch was
 * checked, otherwise `scope_forbidden`, because the caller can no longer write to the layer of the capture.
 */
async function missingCaptureError(tx: TeamTransaction, batchId: string): Promise<ServiceError> {
  const batch = await lockConsolidationBatch(tx, batchId);
  return new ServiceError(batch?.expired === true ? 'batch_expired' : 'scope_forbidden');
}
