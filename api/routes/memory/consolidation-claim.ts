import { assertActive, lockTeamForWrite, writableLayersNow } from '../../../core/access/lock-and-recheck.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { type AuditEntry, insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { type ConsolidationBatch, claimCaptures } from '../../../db/queries/memory/captures.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import {
  ClaimRequest,
  ClaimResponse,
  DEFAULT_CLAIM_LIMIT,
  DEFAULT_LEASE_SECONDS,
} from '../../../shared/schemas/consolidation.ts';
import { narrowToClient, type TeamScope, writeLayer } from '../../../shared/scope.ts';
import { assertTeamActive } from '../../plugins/guards.ts';
import type { Routes } from '../../types.ts';

/** Where captures are claimed: one client, or everywhere the caller writes. */
function claimScope(scope: TeamScope, clientId: string | undefined): TeamScope {
  if (clientId !== undefined) writeLayer(scope, { clientId });
  return narrowToClient(scope, clientId);
}

/**
 * Lends captures where the caller still writes, which was looked at when the request came and is looked at again.
 * @param size `clientId`: the one client that is asked for
 */
async function claim(
  tx: TeamTransaction,
  size: { limit: number; leaseSeconds: number; clientId: string | undefined },
): Promise<ConsolidationBatch | null> {
  const held = await lockTeamForWrite(tx);
  const layers = await writableLayersNow(tx, held, tx.scope.writes);
  if (size.clientId !== undefined && layers.clients.length === 0) throw new ServiceError('scope_forbidden');
  assertActive(held);
  const ownOnly = held.access !== 'full';
  const batch = await claimCaptures(tx, { id: newId(), ...size, layers, ownOnly });
  if (batch !== null) insertAuditEvents(tx, claimEvents(batch));
  return batch;
}

/** An event for each layer, so that what lies in a client that is archived later goes out of the list with it. */
function claimEvents({ id, captures }: ConsolidationBatch): AuditEntry[] {
  return [...Map.groupBy(captures, ({ clientId }) => clientId)].map(([layer, own]) => ({
    kind: 'memory.claim',
    subjectType: 'batch',
    subjectId: id,
    layer,
    detail: { captureIds: own.map((capture) => capture.id) },
  }));
}

/** POST /v1/memory/consolidation/claim: lends a small batch of staged captures, for a time. */
export const consolidationClaimRoute: Routes = (app, { database }) => {
  app.post(
    '/v1/memory/consolidation/claim',
    {
      schema: {
        summary: 'Claim staged captures: any with Full access, else one’s own',
        tags: ['memory'],
        body: ClaimRequest,
        response: { 200: ClaimResponse },
      },
    },
    async (request) => {
      const { limit = DEFAULT_CLAIM_LIMIT, leaseSeconds = DEFAULT_LEASE_SECONDS, clientId } = request.body;
      const scope = claimScope(request.teamScope, clientId);
      assertTeamActive(request);
      const batch = await transaction(database, scope, (tx) => claim(tx, { limit, leaseSeconds, clientId }));
      return { batch: batch === null ? null : { ...batch, expiresAt: batch.expiresAt.toISOString() } };
    },
  );
};
