import { readOnce, transaction } from '../../db/driver/database.ts';
import { readTeamActivity } from '../../db/queries/activity.ts';
import { type ListPart, ONE_ROW } from '../../db/queries/common.ts';
import { countTeamMembers } from '../../db/queries/people/members.ts';
import { readList } from '../../db/queries/query-list.ts';
import { findQuota } from '../../db/queries/status.ts';
import { selectTeams } from '../../db/queries/teams.ts';
import type { Identity, TeamMembership } from '../../shared/access.ts';
import { ServiceError } from '../../shared/errors.ts';
import { foldName } from '../../shared/formats/names.ts';
import { isId } from '../../shared/ids.ts';
import type { TeamActivity } from '../../shared/schemas/activity.ts';
import type { SelectedTeam, Team } from '../../shared/schemas/teams.ts';
import { type CompanyScope, clientsIn, readsTeamFigures, type TeamScope } from '../../shared/scope.ts';
import { quotaInForce } from '../../shared/settings/team-settings.ts';
import { countCharacters } from '../../shared/text/characters.ts';
import type { Dependencies } from '../dependencies.ts';
import { readUsage } from '../status/queries.ts';

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

/**
 * Describes the Team of the scope and the caller's access to it, with the number of its members.
 * @param team the caller's place in the Team of the scope
 */
export async function getSelectedTeam(
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

/**
 * Reads one Team of the Company, with its quota.
 * @throws ServiceError `not_found`
 */
export async function getTeam(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: CompanyScope,
  teamId: string,
): Promise<Team> {
  const [team] = await readOnce(database, scope, (tx) => selectTeams(tx, ONE_ROW, teamId));
  if (team === undefined) throw new ServiceError('not_found');
  const quota = await readOnce(database, scope, (tx) => findQuota(tx, teamId));
  return { ...team, quota: quotaInForce(quota, config) };
}

type Needed = Pick<Dependencies, 'database'>;

/**
 * Sums up how the Team was used in the last days, by day and by agent token.
 * @throws ServiceError `forbidden` for an agent token that is limited to clients: the numbers are those of the whole Team
 */
export function getTeamActivity({ database }: Needed, scope: TeamScope, days: number): Promise<TeamActivity> {
  if (!readsTeamFigures(scope)) {
    throw new ServiceError(
      'forbidden',
      'An agent token that is limited to clients cannot read the use of the whole Team',
    );
  }
  return transaction(database, scope, (tx) => readTeamActivity(tx, days));
}

/** Lists every Team of the Company, newest first, whatever access the caller has to it. */
export function listTeams({ database }: Needed, scope: CompanyScope, part: ListPart): Promise<Team[]> {
  return readList(database, scope, part, (tx) => selectTeams(tx, part));
}
