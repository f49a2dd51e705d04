import { type TeamTransaction, transaction } from '../../../db/database.ts';
import { insertAuditEvents } from '../../../db/queries/audit.ts';
import { type ConsolidationBatch, claimCaptures } from '../../../db/queries/captures.ts';
import { newId } from '../../../shared/ids.ts';
import {
  ClaimRequest,
  ClaimResponse,
  DEFAULT_CLAIM_LIMIT,
  DEFAULT_LEASE_SECONDS,
} from '../../../shared/schemas/consolidation.ts';
import { narrowToClient, type TeamScope, writeLayer } from '../../../shared/scope.ts';
import type { Routes } from '../../app.ts';
import { assertTeamActive } from '../../plugins/guards.ts';
import { assertActive, holdTeam } from '../../take.ts';

/** Where captures are claimed: one client, or everywhere the caller writes. */
function claimScope(scope: TeamScope, clientId: string | undefined): TeamScope {
  if (clientId !== undefined) writeLayer(scope, { clientId });
  return narrowToClient(scope, clientId);
}

async function claim(
  tx: TeamTransaction,
  size: { limit: number; leaseSeconds: number },
): Promise<ConsolidationBatch | null> {
  const held = await holdTeam(tx);
  assertActive(held);
  const ownOnly = held.access !== 'full';
  const batch = await claimCaptures(tx, { id: newId(), ...size, ownOnly });
  if (batch === null) return null;
  await insertAuditEvents(tx, [
    {
      kind: 'memory.claim',
      subjectType: 'batch',
      subjectId: batch.id,
      detail: { captureIds: batch.captures.map(({ id }) => id) },
    },
  ]);
  return batch;
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
      const batch = await transaction(database, scope, (tx) => claim(tx, { limit, leaseSeconds }));
      return { batch: batch === null ? null : { ...batch, expiresAt: batch.expiresAt.toISOString() } };
    },
  );
};
