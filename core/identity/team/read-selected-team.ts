import { transaction } from '../../../db/driver/database.ts';
import { countTeamMembers } from '../../../db/queries/identity/members.ts';
import type { TeamMembership } from '../../../shared/access.ts';
import type { SelectedTeam } from '../../../shared/schemas/identity.ts';
import { clientsIn, type TeamScope } from '../../../shared/scope.ts';
import type { Dependencies } from '../../dependencies.ts';
import { readUsage } from '../../status/read-usage.ts';

/**
 * Describes the Team of the scope and the caller's access to it, with the number of its members.
 * @param team the caller's place in the Team of the scope
 */
export async function readSelectedTeam(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { id, name, state, role, publish, redaction }: TeamMembership,
): Promise<SelectedTeam> {
  const { members, storage } = await transaction(database, scope, async (tx) => ({
    ...(await countTeamMembers(tx)),
    storage: await readUsage(tx, config),
  }));
  const clients = clientsIn(scope, scope.reads).length;
  return { id, name, state, role, access: scope.access, clients, members, publish, redaction, ...storage };
}
