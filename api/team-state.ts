import type { ScopedTransaction } from '../db/database.ts';
import { lockTeam } from '../db/queries/teams.ts';
import { ServiceError } from '../shared/errors.ts';
import type { Team } from '../shared/schemas/identity.ts';

/**
 * Takes a Team of the Company for a change of it, as it is now and not as it was when the request came.
 * @throws ServiceError `not_found` where it is gone
 */
export async function takeTeam(tx: ScopedTransaction, teamId: string): Promise<Team> {
  const team = await lockTeam(tx, teamId);
  if (team === null) throw new ServiceError('not_found');
  return team;
}

/**
 * Refuses what an archived Team does not take. Comes after whatever may not be found.
 * @throws ServiceError `team_archived`
 */
export function assertActive(team: Team): void {
  if (team.state !== 'active') throw new ServiceError('team_archived');
}
