import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { listActiveTokensOf, revokeTokens } from '../../../db/queries/identity/agent-tokens.ts';
import type { AuditEntry } from '../../../db/queries/identity/audit.ts';
import { teamAccess } from '../../../shared/access.ts';

/**
 * Revokes for good the agent tokens of a person who has no access to their Teams any longer. Must be called wherever an
 * account is closed, or a role or a Company grant is removed. In a Team's scope, revokes only tokens for that Team.
 * @returns the audit events, which the command that calls this must return
 */
export async function revokeLostTokens(tx: ScopedTransaction, userId: string): Promise<AuditEntry[]> {
  const active = await listActiveTokensOf(tx, userId);
  const lost = active.filter(({ owner }) => owner === null || teamAccess(owner.companyRole, owner) === null);
  if (lost.length === 0) return [];
  await revokeTokens(tx, lost);
  return lost.map(({ id, teamId }) => ({
    kind: 'auth.token_revoke',
    subjectType: 'agent_token',
    subjectId: id,
    teamId,
    detail: { userId, reason: 'access_lost' },
  }));
}
