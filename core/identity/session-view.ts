import type { ScopedTransaction } from '../../db/driver/database.ts';
import { insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { insertSession, resolveSession } from '../../db/queries/identity/sessions.ts';
import { type Identity, teamAccess } from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import { newId } from '../../shared/ids.ts';
import type { Session, SessionInfo } from '../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import { hashToken, newToken } from '../../shared/tokens.ts';

/** The longest user agent that is kept. */
const MAX_USER_AGENT = 300;

/** Who a caller is and what is open to it, as the wire shows it. */
export function sessionInfo(identity: Identity): SessionInfo {
  return {
    expiresAt: identity.session?.expiresAt.toISOString() ?? null,
    user: { id: identity.userId, email: identity.email, name: identity.name },
    company: { id: identity.companyId, name: identity.companyName, role: identity.companyRole },
    teams: identity.teams.flatMap((team) => {
      const access = teamAccess(identity.companyRole, team);
      return access === null
        ? []
        : [{ id: team.id, name: team.name, state: team.state, role: team.role, access }];
    }),
  };
}

/**
 * Starts a session of the scope's user and returns it with its token, which is shown this once. An account at its limit
 * loses the session that was used longest ago. The caller has locked the account.
 */
export async function startSession(
  tx: ScopedTransaction<CompanyScope>,
  userAgent: string | undefined,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<{ sessionId: string; session: Session }> {
  const sessionId = newId();
  const token = newToken();
  const tokenHash = hashToken(token);
  const kept = userAgent?.slice(0, MAX_USER_AGENT) ?? null;
  const ended = await insertSession(tx, { id: sessionId, tokenHash, userAgent: kept }, limits);
  if (ended.length > 0) {
    const detail = { reason: 'too_many_sessions', sessionId };
    insertAuditEvents(
      tx,
      ended.map((id) => ({ kind: 'auth.session_end', subjectType: 'session', subjectId: id, detail })),
    );
  }
  const identity = await resolveSession(tx, tokenHash, null, limits);
  if (typeof identity === 'string') throw new Error(`a new session resolves as ${identity}`);
  return { sessionId, session: { token, ...sessionInfo(identity) } };
}
