import type { Identity } from '../../shared/access.ts';
import type { Config } from '../../shared/config.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { Queryable, ScopedTransaction } from '../database.ts';

type ResolvedIdentity = Omit<Identity, 'session'> & { session: { id: string; expiresAt: string } | null };

function toIdentity(resolved: ResolvedIdentity): Identity {
  const { session } = resolved;
  return {
    ...resolved,
    session: session === null ? null : { id: session.id, expiresAt: new Date(session.expiresAt) },
  };
}

/** The caller whose session has a token of this hash. Needs no scope: an exact match of a secret. */
export async function resolveSession(
  tx: Queryable,
  tokenHash: Buffer,
  teamId: string | null,
  limits: Pick<Config, 'sessionIdleSeconds' | 'sessionMaxSeconds'>,
): Promise<Identity | 'unknown' | 'expired'> {
  const [row] = await tx.query<{ caller: ResolvedIdentity | { expired: true } | null }>(
    'select identity.resolve_session($1, $2, $3, $4) as caller',
    [tokenHash, teamId, limits.sessionIdleSeconds, limits.sessionMaxSeconds],
  );
  const caller = row?.caller ?? null;
  if (caller === null) return 'unknown';
  return 'expired' in caller ? 'expired' : toIdentity(caller);
}

/** The server principal, as whom the service's own token acts. The caller has compared that token. */
export async function resolvePrincipal(tx: Queryable, teamId: string | null): Promise<Identity | 'unknown'> {
  const [row] = await tx.query<{ caller: ResolvedIdentity | null }>(
    'select identity.resolve_principal($1) as caller',
    [teamId],
  );
  return row?.caller ? toIdentity(row.caller) : 'unknown';
}

/** Starts a session of the scope's user. Only the token's hash is kept. */
export async function insertSession(
  tx: ScopedTransaction<CompanyScope>,
  session: { id: string; tokenHash: Buffer; userAgent: string | null },
): Promise<void> {
  await tx.query(
    `insert into identity.session (company_id, id, user_id, token_hash, user_agent) values ($1, $2, $3, $4, $5)`,
    [tx.scope.companyId, session.id, tx.scope.userId, session.tokenHash, session.userAgent],
  );
}

/** Ends one session of the scope's user. */
export async function deleteSession(tx: ScopedTransaction<CompanyScope>, sessionId: string): Promise<void> {
  await tx.query('delete from identity.session where company_id = $1 and user_id = $2 and id = $3', [
    tx.scope.companyId,
    tx.scope.userId,
    sessionId,
  ]);
}

/** Ends every session of the scope's user. */
export async function deleteSessions(tx: ScopedTransaction<CompanyScope>): Promise<void> {
  await tx.query('delete from identity.session where company_id = $1 and user_id = $2', [
    tx.scope.companyId,
    tx.scope.userId,
  ]);
}
