import type { TeamTransaction } from '../../../db/driver/database.ts';
import { findActiveClients } from '../../../db/queries/identity/clients.ts';
import { findOpenInviteTo } from '../../../db/queries/identity/invites.ts';
import { lockCompany } from '../../../db/queries/identity/members.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Invite } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { assertActive, lockTeamForAdmin } from '../../access/lock-and-recheck.ts';
import { runCommand } from '../../access/run-command.ts';
import type { Dependencies } from '../../dependencies.ts';
import { createInvite, type InviteDraft, type IssuedInvite } from '../invites.ts';
import { assertCanEndInvite } from './owner-rights.ts';

/** An invite into the Team of the caller. */
export interface TeamInviteDraft extends Omit<InviteDraft, 'teamId'> {
  grants: Invite['grants'];
}

/**
 * Invites an email into the Team, in place of its open invite.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`, `forbidden` if only an Owner can
 *   replace the open invite, `not_found` for an unknown client of a grant, `team_archived`, `conflict` if the person is
 *   the caller or has the role already
 */
export function inviteToTeam(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  given: TeamInviteDraft,
): Promise<IssuedInvite> {
  const draft = { ...given, teamId: scope.teamId };
  return runCommand(database, scope, {
    lock: async (tx) => {
      // An erasure deletes the invites to a person: one that is being made would be left.
      await lockCompany(tx, 'share');
      const team = await lockTeamForAdmin(tx);
      assertCanEndInvite(team.standing, await findOpenInviteTo(tx, draft));
      await assertClientsExist(tx, draft.grants);
      assertActive(team);
    },
    apply: (tx) => createInvite(tx, draft),
  });
}

async function assertClientsExist(tx: TeamTransaction, grants: Invite['grants']): Promise<void> {
  const ids = grants.map(({ clientId }) => clientId);
  if ((await findActiveClients(tx, ids)).length < ids.length) throw new ServiceError('not_found');
}
