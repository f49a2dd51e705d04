import type { TeamTransaction } from '../../db/driver/database.ts';
import {
  type HeldCapture,
  lockConsolidationBatch,
  lockHeldCaptures,
  releaseConsolidationBatch,
} from '../../db/queries/memory/consolidation/consolidation-batches.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import { clientOf, type LayerId, type TeamScope } from '../../shared/scope.ts';
import { assertActive, canRead, type LockedTeam, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { captureEvents } from '../memories/events.ts';

/** A locked batch that can be released, and what it holds. */
interface Releasable {
  held: HeldCapture[];
  /** The part of `held` that the caller can read now. */
  readable: HeldCapture[];
}

/**
 * Releases an open batch of the caller before its lease expires: its captures are staged again. Like a complete without
 * items, this also works for captures that the caller can no longer write or read.
 * @returns the batch, with the ids of the released captures that the caller can read. Its lease has ended
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found`, `team_archived`, `conflict` if the batch was
 *   completed, `batch_expired`
 */
export function releaseBatch(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  batchId: string,
): Promise<Batch> {
  return runCommand(database, scope, {
    lock: (tx) => lockReleasable(tx, batchId),
    apply: async (tx, { held, readable }) => ({
      result: {
        id: batchId,
        captureIds: readable.map(({ id }) => id),
        ...(await releaseConsolidationBatch(tx, batchId)),
      },
      audit: captureEvents(
        'memory.release',
        batchId,
        held.map(({ id, layerId }) => ({ id, clientId: clientOf(tx.scope, layerId) })),
      ),
    }),
  });
}

async function lockReleasable(tx: TeamTransaction, batchId: string): Promise<Releasable> {
  const team = await lockTeamForWrite(tx);
  const batch = await lockConsolidationBatch(tx, batchId);
  if (batch === null) throw new ServiceError('not_found');
  assertActive(team);
  if (batch.completion !== null) throw new ServiceError('conflict', 'The batch was already completed');
  if (batch.expired) throw new ServiceError('batch_expired');
  const held = await lockHeldCaptures(tx, batchId);
  // The lease has expired since, and others have claimed the captures.
  if (held.length === 0) throw new ServiceError('batch_expired');
  return { held, readable: await readableOf(tx, team, held) };
}

async function readableOf(
  tx: TeamTransaction,
  team: LockedTeam,
  held: readonly HeldCapture[],
): Promise<HeldCapture[]> {
  const readable = new Set<LayerId>();
  for (const layerId of new Set(held.map(({ layerId }) => layerId))) {
    if (await canRead(tx, team, layerId)) readable.add(layerId);
  }
  return held.filter(({ layerId }) => readable.has(layerId));
}
