import type { ScopedTransaction } from '../../../db/driver/database.ts';
import { insertToken } from '../../../db/queries/identity/agent-tokens.ts';
import { findOwnClientGrants } from '../../../db/queries/identity/clients.ts';
import { readableLayers } from '../../../shared/access.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { isId, newId } from '../../../shared/ids.ts';
import type { Permission } from '../../../shared/permissions.ts';
import { DEFAULT_TOKEN_DAYS, type IssuedToken } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { assertActive, lockCaller, lockTeamAs } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { issueSecret } from './issue-secret.ts';

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
 * @returns its record, and its text, which is shown only this once
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `not_found` for a client that the caller cannot reach,
 *   `team_archived`
 */
export async function createToken(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  draft: TokenDraft,
): Promise<IssuedToken> {
  if (!isId(draft.teamId)) throw new ServiceError('team_forbidden');
  const teamId = draft.teamId.toLowerCase();
  const { clientIds: given } = draft;
  const clientIds = given === undefined ? null : [...new Set(given.map((id) => id.toLowerCase()))];
  return runCommand(database, scope, {
    lock: (tx) => lockReach(tx, teamId, clientIds ?? []),
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
