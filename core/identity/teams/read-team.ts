import { readOnce } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { listTeams } from '../../../db/queries/identity/teams.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Reads one Team of the Company.
 * @throws ServiceError `not_found`
 */
export async function readTeam(
  { database }: Pick<Dependencies, 'database'>,
  scope: CompanyScope,
  teamId: string,
): Promise<Team> {
  const [team] = await readOnce(database, scope, (tx) => listTeams(tx, ONE_ROW, teamId));
  if (team === undefined) throw new ServiceError('not_found');
  return team;
}
