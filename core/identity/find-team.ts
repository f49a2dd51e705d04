import type { Identity, TeamMembership } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { foldName } from '../../shared/formats/names.ts';
import { countCharacters } from '../../shared/text/characters.ts';

/** The most Teams that an error lists. */
const MAX_LISTED = 20;
/** The longest name of a Team, in characters. */
const MAX_NAME = 300;

/**
 * Finds the Team that a caller means, among those that it has access to.
 * @param named the id or the name of the Team; undefined: the only one of the caller
 * @throws ServiceError `team_required` if several Teams are possible, with their names; `team_forbidden`, the same whether
 *   or not the Team exists
 */
export function findTeam({ teams }: Pick<Identity, 'teams'>, named: string | undefined): TeamMembership {
  const found = named === undefined ? teams : (teamsWithId(teams, named) ?? teamsWithName(teams, named));
  const [only, ...others] = found;
  if (only === undefined) {
    throw new ServiceError(
      'team_forbidden',
      teams.length === 0
        ? 'You do not have access to any Team. Ask an Owner of the Company for it'
        : `You do not have access to this Team. Name one of these: ${list(teams)}`,
    );
  }
  if (others.length > 0) {
    const several = named === undefined ? 'several Teams' : 'several Teams with this name';
    throw new ServiceError(
      'team_required',
      `You have access to ${several}. Name one, best by its id: ${list(found)}`,
    );
  }
  return only;
}

function teamsWithId(teams: readonly TeamMembership[], named: string): TeamMembership[] | null {
  const team = teams.find(({ id }) => id === named.trim().toLowerCase());
  return team === undefined ? null : [team];
}

function teamsWithName(teams: readonly TeamMembership[], named: string): TeamMembership[] {
  // To fold a text of a megabyte can take minutes, because its accents are sorted.
  if (countCharacters(named) > MAX_NAME) return [];
  const folded = foldName(named);
  return teams.filter(({ name }) => foldName(name) === folded);
}

function list(teams: readonly TeamMembership[]): string {
  const listed = teams.slice(0, MAX_LISTED).map(({ id, name }) => `${name} (${id})`);
  return [...listed, ...(teams.length > MAX_LISTED ? ['…'] : [])].join(', ');
}
