import type { Identity, TeamMembership } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { foldName } from '../../shared/formats/names.ts';
import { isId } from '../../shared/ids.ts';
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
  const found = named === undefined ? teams : matchTeams(teams, named);
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

/**
 * Returns the Teams that a text names, by id or by name. A UUID is an id. A name is compared as names of Teams are, as it is
 * and percent-decoded, so that two Teams can fit.
 */
export function matchTeams(teams: readonly TeamMembership[], named: string): readonly TeamMembership[] {
  const text = named.trim();
  const withId = teams.filter(({ id }) => id === text.toLowerCase());
  if (withId.length > 0 || isId(text)) return withId;
  const names = new Set([text, percentDecoded(text)].filter((name) => name !== null).flatMap(foldedName));
  return teams.filter(({ name }) => names.has(foldName(name)));
}

/** The form in which a name is compared; none if it is too long for a name: to sort the accents of a megabyte takes minutes. */
function foldedName(name: string): string[] {
  return countCharacters(name) > MAX_NAME ? [] : [foldName(name)];
}

/** Null if the text is not percent-encoded UTF-8. */
function percentDecoded(text: string): string | null {
  if (!text.includes('%')) return null;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function list(teams: readonly TeamMembership[]): string {
  const listed = teams.slice(0, MAX_LISTED).map(({ id, name }) => `${name} (${id})`);
  return [...listed, ...(teams.length > MAX_LISTED ? ['…'] : [])].join(', ');
}
