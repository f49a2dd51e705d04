import { revokeTokens } from '../../../db/queries/identity/agent-tokens.ts';
import type { Token } from '../../../shared/schemas/identity.ts';
import type { CompanyScope, Scope, TeamScope } from '../../../shared/scope.ts';
import { lockCompanyAs, lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { type Command, runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { requireToken } from './require-token.ts';

type Needed = Pick<Dependencies, 'database'>;

/**
 * Revokes an agent token of the caller: every secret of it ends now.
 * @throws ServiceError `not_found`
 */
export function revokeOwnToken({ database }: Needed, scope: CompanyScope, id: string): Promise<void> {
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
