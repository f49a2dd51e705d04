import { readOnce } from '../../../db/driver/database.ts';
import { ONE_ROW } from '../../../db/queries/fragments/list-part.ts';
import { listTeams } from '../../../db/queries/identity/teams.ts';
import { findQuota } from '../../../db/queries/jobs/usage.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { Team } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import { quotaInForce } from '../../../shared/settings/team-settings.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Reads one Team of the Company, with its quota.
 * @throws ServiceError `not_found`
 */
export async function readTeam(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: CompanyScope,
  teamId: string,
): Promise<Team> {
  const [team] = await readOnce(database, scope, (tx) => listTeams(tx, ONE_ROW, teamId));
  if (team === undefined) throw new ServiceError('not_found');
  const quota = await readOnce(database, scope, (tx) => findQuota(tx, teamId));
  return { ...team, quota: quotaInForce(quota, config) };
}
