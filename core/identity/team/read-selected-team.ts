import { readOnce } from '../../../db/driver/database.ts';
import { countTeamMembers } from '../../../db/queries/identity/members.ts';
import type { TeamMembership } from '../../../shared/access.ts';
import type { SelectedTeam } from '../../../shared/schemas/identity.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Describes the Team of the scope and the caller's access to it, with the number of its members.
 * @param team the caller's place in the Team of the scope
 */
export async function readSelectedTeam(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  { id, name, state, role, publish, redaction }: TeamMembership,
): Promise<SelectedTeam> {
  const { members } = await readOnce(database, scope, countTeamMembers);
  const clients = scope.reads.clients.length;
  return { id, name, state, role, access: scope.access, clients, members, publish, redaction };
}
