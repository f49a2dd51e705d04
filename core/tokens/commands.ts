import type { ScopedTransaction } from '../../db/driver/database.ts';
import { hasSession } from '../../db/queries/accounts/sessions.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { findOwnClientGrants } from '../../db/queries/clients.ts';
import { ONE_ROW } from '../../db/queries/common.ts';
import {
  type ActiveToken,
  endTokenSecrets,
  insertToken,
  insertTokenSecret,
  listActiveTokensOf,
  lockToken,
  revokeTokens,
  selectTokens,
  type TokenFilter,
} from '../../db/queries/tokens.ts';
import { readableLayers, teamAccess } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newAgentToken } from '../../shared/formats/agent-token.ts';
import { isId, newId } from '../../shared/ids.ts';
import type { Permission } from '../../shared/permissions.ts';
import { DEFAULT_TOKEN_DAYS, type IssuedToken, type Token } from '../../shared/schemas/tokens.ts';
import type { CompanyScope, Scope, TeamScope } from '../../shared/scope.ts';
import {
  assertActive,
  lockCaller,
  lockCompanyAs,
  lockTeamAs,
  lockTeamForAdmin,
} from '../access/lock-and-recheck.ts';
import { type Command, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Gives an agent token a new secret.
 * @returns its record, and its text, which is shown only this once
 */
async function issueSecret(
  tx: ScopedTransaction<CompanyScope>,
  of: Pick<Token, 'id' | 'teamId'>,
): Promise<IssuedToken> {
  const { token, ...parts } = newAgentToken();
  await insertTokenSecret(tx, of, parts);
  const [record] = await selectTokens(tx, ONE_ROW, { id: of.id });
  if (record === undefined) throw new Error('the agent token does not exist');
  return { record, token };
}

/** An agent token to create. */
export interface TokenDraft {
  name: string;
  /** As in the request. */
  teamId: string;
  /** As in the request. Absent: all clients that the owner can reach. */
  clientIds?: readonly string[];
  permissions: readonly Permission[];
  expiresInDays?: number;
}

/**
 * Creates an agent token of the caller for one Team.
 * @param sessionId the session of the caller; null for the service token
 * @returns its record, and its text, which is shown only this once
 * @throws ServiceError `unauthenticated` also if the session has ended, `team_forbidden`, `not_found` for a client that the
 *   caller cannot reach, `team_archived`
 */
export async function createToken(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  sessionId: string | null,
  draft: TokenDraft,
): Promise<IssuedToken> {
  if (!isId(draft.teamId)) throw new ServiceError('team_forbidden');
  const teamId = draft.teamId.toLowerCase();
  const { clientIds: given } = draft;
  const clientIds = given === undefined ? null : [...new Set(given.map((id) => id.toLowerCase()))];
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockReach(tx, teamId, clientIds ?? []);
      // A reset of the password ends the sessions and revokes the tokens, and this one would come after.
      if (sessionId !== null && !(await hasSession(tx, sessionId))) throw new ServiceError('unauthenticated');
    },
    apply: async (tx) => {
      const id = newId();
      const { name, expiresInDays = DEFAULT_TOKEN_DAYS } = draft;
      const permissions = [...draft.permissions];
      await insertToken(tx, { id, teamId, name, permissions, clientIds, expiresInDays });
      const issued = await issueSecret(tx, { id, teamId });
      const detail = { permissions, clientIds, expiresAt: issued.record.expiresAt };
      return {
        result: issued,
        audit: [{ kind: 'auth.token_create', subjectType: 'agent_token', subjectId: id, teamId, detail }],
      };
    },
  });
}

/**
 * Locks the Team, so that the caller keeps access to it, and requires that the caller can reach the Team and these
 * clients of it. A token that is created while its owner loses access would otherwise outlast the loss.
 */
async function lockReach(
  tx: ScopedTransaction<CompanyScope>,
  teamId: string,
  clientIds: readonly string[],
): Promise<void> {
  await lockCaller(tx, 'share');
  const team = await lockTeamAs(tx, teamId, 'update');
  const { standing } = team;
  // A text that is not an id is no client.
  const grants = await findOwnClientGrants(tx, teamId, clientIds.filter(isId));
  const reachable = readableLayers(standing.companyRole, { id: teamId, ...standing }, grants);
  // Besides the Team layer.
  if (reachable.length - 1 < clientIds.length) throw new ServiceError('not_found');
  assertActive(team);
}

/**
 * Locks an agent token for a change, and returns its current state.
 * @throws ServiceError `not_found` if it does not exist, or is not in the scope
 */
async function requireToken(tx: ScopedTransaction, filter: TokenFilter & { id: string }): Promise<Token> {
  const token = await lockToken(tx, filter);
  if (token === null) throw new ServiceError('not_found');
  return token;
}

/**
 * Gives an agent token of the caller a new secret. Its record keeps its id and its expiry.
 * @param overlapHours how long earlier secrets can still be used. 0: they end now
 * @throws ServiceError `unauthenticated`, `not_found`, `conflict` if the token is not active
 */
export function rotateToken(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  { id, overlapHours }: { id: string; overlapHours: number },
): Promise<IssuedToken> {
  return runCommand(database, scope, {
    lock: async (tx) => {
      await lockCaller(tx, 'share');
      return requireToken(tx, { id, userId: scope.userId });
    },
    apply: async (tx, token) => {
      if (token.state !== 'active') throw new ServiceError('conflict', `The agent token is ${token.state}`);
      await endTokenSecrets(tx, token, overlapHours);
      const { teamId } = token;
      return {
        result: await issueSecret(tx, token),
        audit: [
          {
            kind: 'auth.token_rotate',
            subjectType: 'agent_token',
            subjectId: id,
            teamId,
            detail: { overlapHours },
          },
        ],
      };
    },
  });
}

type Needed = Pick<Dependencies, 'database'>;

/**
 * Revokes an agent token of the caller: every secret of it ends now.
 * @throws ServiceError `not_found`
 */
export function revokeToken({ database }: Needed, scope: CompanyScope, id: string): Promise<void> {
  const filter = { id, userId: scope.userId };
  return runCommand(database, scope, { ...REVOCATION, lock: (tx) => requireToken(tx, filter) });
}

/**
 * Revokes an agent token of anyone for the Team, in an archived Team too.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `not_found`
 */
export function revokeTeamToken({ database }: Needed, scope: TeamScope, id: string): Promise<void> {
  return runCommand(database, scope, {
    ...REVOCATION,
    lock: async (tx) => {
      await lockTeamForAdmin(tx);
      return requireToken(tx, { id });
    },
  });
}

/**
 * Revokes an agent token of anyone in the Company.
 * @throws ServiceError `unauthenticated`, `company_role_required`, `not_found`
 */
export function revokeCompanyToken({ database }: Needed, scope: CompanyScope, id: string): Promise<void> {
  return runCommand(database, scope, {
    ...REVOCATION,
    lock: async (tx) => {
      await lockCompanyAs(tx, 'owner');
      return requireToken(tx, { id });
    },
  });
}

/** The change. A token that was revoked before stays as it is. */
const REVOCATION: Pick<Command<Scope, Token, void>, 'apply'> = {
  apply: async (tx, { id, teamId, userId, state }) => {
    if (state === 'revoked') return { result: undefined, audit: [] };
    await revokeTokens(tx, [{ id, teamId }]);
    return {
      result: undefined,
      audit: [
        {
          kind: 'auth.token_revoke',
          subjectType: 'agent_token',
          subjectId: id,
          teamId,
          detail: { userId, reason: 'revoked' },
        },
      ],
    };
  },
};

/**
 * Revokes for good the agent tokens of a person who has no access to their Teams any longer. Must be called wherever an
 * account is closed, or a role or a Company grant is removed. In a Team's scope, revokes only tokens for that Team.
 * @returns the audit events, which the command that calls this must return
 */
export async function revokeLostTokens(tx: ScopedTransaction, userId: string): Promise<AuditEntry[]> {
  const active = await listActiveTokensOf(tx, userId);
  const lost = active.filter(({ owner }) => owner === null || teamAccess(owner.companyRole, owner) === null);
  return revokeActiveTokens(tx, userId, lost, 'access_lost');
}

/**
 * Revokes for good every agent token of the scope's user. Lock the account first, so that none is created meanwhile.
 * @returns an audit event for each token, which the command that calls this must return
 */
export async function revokeOwnTokens(
  tx: ScopedTransaction<CompanyScope>,
  reason: 'password_reset',
): Promise<AuditEntry[]> {
  const { userId } = tx.scope;
  return revokeActiveTokens(tx, userId, await listActiveTokensOf(tx, userId), reason);
}

async function revokeActiveTokens(
  tx: ScopedTransaction,
  userId: string,
  tokens: readonly ActiveToken[],
  reason: string,
): Promise<AuditEntry[]> {
  if (tokens.length === 0) return [];
  await revokeTokens(tx, tokens);
  return tokens.map(({ id, teamId }) => ({
    kind: 'auth.token_revoke',
    subjectType: 'agent_token',
    subjectId: id,
    teamId,
    detail: { userId, reason },
  }));
}
