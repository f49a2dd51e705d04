import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { insertSession, resolveSession } from '../../../db/queries/identity/sessions.ts';
import type { Config } from '../../../shared/config.ts';
import { newId } from '../../../shared/ids.ts';
import type { Session } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { hashToken, newToken } from '../../../shared/tokens.ts';
import type { Recorded } from '../../access/run-command.ts';
import { sessionInfo } from './session-info.ts';

/** Longer user agents are cut. In characters. */
const MAX_USER_AGENT = 300;

/**
 * Starts a session of the scope's user. An account at its limit loses the session that was used longest ago. Lock the
 * account before.
 * @returns the session with its token, which is shown only this once, and the audit entries of the sessions that ended
 */
export async function startSession(
  tx: ScopedTransaction<CompanyScope>,
  userAgent: string | undefined,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<Recorded<{ sessionId: string; session: Session }>> {
  const sessionId = newId();
  const token = newToken();
  const tokenHash = hashToken(token);
  const storedUserAgent = userAgent?.slice(0, MAX_USER_AGENT) ?? null;
  const ended = await insertSession(tx, { id: sessionId, tokenHash, userAgent: storedUserAgent }, limits);
  const identity = await resolveSession(tx, tokenHash, null, limits);
  if (typeof identity === 'string') throw new Error(`a new session resolves as ${identity}`);
  const detail = { reason: 'too_many_sessions', sessionId };
  return {
    result: { sessionId, session: { token, ...sessionInfo(identity) } },
    audit: ended.map((id) => ({
      kind: 'auth.session_end',
      subjectType: 'session',
      subjectId: id,
      detail,
    })),
  };
}
