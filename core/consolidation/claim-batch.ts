import { readOnce, type TeamTransaction } from '../../db/driver/database.ts';
import {
  type ConsolidationBatch,
  claimCaptures,
  findClaimedCapture,
} from '../../db/queries/memory/consolidation/captures.ts';
import { hasRight, type Layers } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { Capture } from '../../shared/schemas/consolidation.ts';
import { narrowToClient, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { assertActive, lockTeamForWrite, writableLayersNow } from '../access/lock-and-recheck.ts';
import { parseId } from '../access/parse-id.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { captureEvents } from '../memories/events.ts';

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
export function claimBatch(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { limit, leaseSeconds, clientId, maxBytes = null }: Claim,
): Promise<ConsolidationBatch | null> {
  return runCommand(database, scope, {
    lock: (tx) => lockClaimable(tx, clientId),
    apply: async (tx, { layers, ownOnly }) => {
      const batch = await claimCaptures(tx, {
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
