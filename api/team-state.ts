import type { ScopedTransaction } from '../db/database.ts';
import { lockTeam } from '../db/queries/teams.ts';
import { ServiceError } from '../shared/errors.ts';
import type { Team } from '../shared/schemas/identity.ts';

/**
 * Takes a Team of the Company for a change of it, as it is now and not as it was when the request came.
 * @throws ServiceError `not_found` where it is gone, `team_archived` where it takes no changes
 */
export async function lockActiveTeam(tx: ScopedTransaction, teamId: string): Promise<Team> {
  const team = await lockTeam(tx, teamId);
  if (team === null) throw new ServiceError('not_found');
  if (team.state !== 'active') throw new ServiceError('team_archived');
  return team;
}
