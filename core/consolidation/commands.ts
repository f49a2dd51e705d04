import { readOnce, type TeamTransaction } from '../../db/driver/database.ts';
import {
  type ConsolidationBatch,
  claimCaptures as claimCaptureRows,
  findClaimedCapture,
} from '../../db/queries/captures.ts';
import {
  type HeldCapture,
  lockConsolidationBatch,
  lockHeldCaptures,
  releaseConsolidationBatch,
} from '../../db/queries/consolidation.ts';
import { hasRight, type Layers } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId, parseId } from '../../shared/ids.ts';
import type { Capture } from '../../shared/schemas/captures.ts';
import type { Batch } from '../../shared/schemas/consolidation.ts';
import { clientOf, type LayerId, narrowToClient, type TeamScope, writeLayer } from '../../shared/scope.ts';
import {
  assertActive,
  canRead,
  type LockedTeam,
  lockTeamForWrite,
  writableLayersNow,
} from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { captureEvents } from '../memories/store.ts';

interface Claim {
  limit: number;
  leaseSeconds: number;
  /** The client that the scope was narrowed to. */
  clientId: string | undefined;
  /** The most bytes of the JSON of all captures; null without a limit. The first is claimed in any case. */
  maxBytes?: number | null;
}

/** What the caller can claim now. */
interface Claimable {
  layers: Layers;
  ownOnly: boolean;
}

/**
 * Claims staged captures where the caller can write: those of every author with Full access, otherwise the caller's own.
 * @returns null if no capture can be claimed
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`
 */
export function claimCaptures(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { limit, leaseSeconds, clientId, maxBytes = null }: Claim,
): Promise<ConsolidationBatch | null> {
  return runCommand(database, scope, {
    lock: (tx) => lockClaimable(tx, clientId),
    apply: async (tx, { layers, ownOnly }) => {
      const batch = await claimCaptureRows(tx, {
        id: newId(),
        layers,
        limit,
        leaseSeconds,
        ownOnly,
        maxBytes,
      });
      return {
        result: batch,
        audit: batch === null ? [] : captureEvents('memory.claim', batch.id, batch.captures),
      };
    },
  });
}

async function lockClaimable(tx: TeamTransaction, clientId: string | undefined): Promise<Claimable> {
  const team = await lockTeamForWrite(tx);
  const layers = await writableLayersNow(tx, team, tx.scope.writes);
  if (clientId !== undefined && layers.length === 0) throw new ServiceError('scope_forbidden');
  assertActive(team);
  return { layers, ownOnly: !hasRight(team, 'actForOthers') };
}

/**
 * Where captures are claimed: in one client, or in every layer that the caller can write to.
 * @throws ServiceError `scope_forbidden`
 */
export function claimScope(scope: TeamScope, clientId: string | undefined): TeamScope {
  if (clientId !== undefined) writeLayer(scope, { clientId });
  return narrowToClient(scope, clientId);
}

/**
 * Reads a capture of an open batch of the caller.
 * @throws ServiceError `not_found`
 */
export async function readClaimedCapture(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  captureId: string,
): Promise<Capture> {
  const id = parseId(captureId);
  const capture = await readOnce(database, scope, (tx) => findClaimedCapture(tx, id));
  if (capture === null) throw new ServiceError('not_found');
  return capture;
}

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
