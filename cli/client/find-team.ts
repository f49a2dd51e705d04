import { foldName } from '../../shared/formats/names.ts';
import { isId } from '../../shared/ids.ts';
import { Client } from '../../shared/schemas/identity.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { readList } from './read-list.ts';
import type { ServiceClient } from './service-client.ts';

/** Something with a name that people know and an id that programs know. */
interface Named {
  id: string;
  name: string;
}

/** How many candidates a message lists. */
const MAX_LISTED = 10;

function listed(candidates: readonly Named[]): string {
  if (candidates.length === 0) return 'none';
  const shown = candidates.slice(0, MAX_LISTED).map(({ name, id }) => `${oneLine(name)} (${id})`);
  const more = candidates.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}

/** The one with this name or id. */
function findNamed<Item extends Named>(given: string, items: readonly Item[]): Item | readonly Item[] {
  const byId = items.find(({ id }) => id === given.toLowerCase());
  if (byId !== undefined) return byId;
  const sameName = items.filter(({ name }) => foldName(name) === foldName(given));
  return sameName.length === 1 && sameName[0] !== undefined ? sameName[0] : sameName;
}

/**
 * The id of the Team with this name or id. An id is not looked up: the service refuses it if it is not in reach.
 * @param readTeams reads the Teams that the caller has access to
 * @throws CommandError that lists the candidates if the name is unknown or ambiguous
 */
export async function findTeam(given: string, readTeams: () => Promise<readonly Named[]>): Promise<string> {
  if (isId(given)) return given.toLowerCase();
  if (given.trim() === '' || /\p{Cc}/u.test(given))
    throw new CommandError('--team: expected the id of a Team, or its name on one line');
  const teams = await readTeams();
  const found = findNamed(given, teams);
  if ('id' in found) return found.id;
  const name = JSON.stringify(given);
  throw new CommandError(
    found.length === 0
      ? `--team: you have no Team named ${name}; yours are: ${listed(teams)}`
      : `--team: several Teams are named ${name}: choose one by its id: ${listed(found)}`,
  );
}

/**
 * The id of the client of the Team with this name or id. An id is not looked up.
 * @param option that names it, for the message
 * @throws CommandError that lists the candidates if the name is unknown or ambiguous
 */
export async function findClient(
  service: ServiceClient,
  given: string,
  option: '--client' | '--to' = '--client',
): Promise<string> {
  if (isId(given)) return given.toLowerCase();
  const clients = await readList(service, '/v1/team/clients', Client);
  const found = findNamed(given, clients);
  if ('id' in found) return found.id;
  const name = JSON.stringify(oneLine(given));
  throw new CommandError(
    found.length === 0
      ? `${option}: you can reach no client named ${name} (scope_forbidden); yours are: ${listed(clients)}`
      : `${option}: several clients are named ${name}: choose one by its id: ${listed(found)}`,
  );
}

/** The same for an option that can be left out. */
export async function findOptionalClient(
  service: ServiceClient,
  given: string | undefined,
): Promise<string | undefined> {
  return given === undefined ? undefined : findClient(service, given);
}
