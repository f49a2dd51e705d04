import type { ScopedTransaction } from '../../db/driver/database.ts';
import { findClientGrant, upsertClientGrant } from '../../db/queries/people/grants.ts';
import { findTeamRole, upsertTeamMember } from '../../db/queries/people/members.ts';
import { hasRole, type TeamRole } from '../../shared/access.ts';
import type { Invite } from '../../shared/schemas/people.ts';

/** A role in a Team, with the grants on its clients. */
export interface GivenRole {
  teamId: string;
  userId: string;
  role: TeamRole;
  grants: Invite['grants'];
}

/** Gives a role in a Team and grants on its clients. Never lowers what the account has. Lock the account and the Team first. */
export async function giveTeamRole(
  tx: ScopedTransaction,
  { teamId, userId, role, grants }: GivenRole,
): Promise<void> {
  const present = await findTeamRole(tx, teamId, userId);
  if (!hasRole(present, role)) await upsertTeamMember(tx, { teamId, userId, role });
  for (const { clientId, access } of grants) {
    const granted = await findClientGrant(tx, { teamId, userId, clientId });
    if (granted !== 'write') await upsertClientGrant(tx, { teamId, userId, clientId, access });
  }
}
