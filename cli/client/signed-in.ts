import { isAgentToken } from '../../shared/formats/agent-token.ts';
import { foldName } from '../../shared/formats/names.ts';
import { isId } from '../../shared/ids.ts';
import { SessionInfo } from '../../shared/schemas/accounts.ts';
import { Client } from '../../shared/schemas/clients.ts';
import { Page } from '../../shared/schemas/common.ts';
import { Member, Person } from '../../shared/schemas/people.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { PROGRAM } from '../terminal/program.ts';
import { type Found, findVariable } from './environment.ts';
import {
  chosenProfile,
  loginCommand,
  type Profile,
  profileOption,
  readProfileSettings,
  readSession,
  UNNAMED,
} from './profiles.ts';
import { readList, withQuery } from './requests.ts';
import { type Credential, connect, type ServiceClient } from './service-client.ts';
import { environmentToken, placeName, serviceUrl, serviceUrlFor } from './settings.ts';

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
 * The Company with this name or id, of those that can be meant.
 * @param what names it, for the message: an option or an operand
 * @throws CommandError that lists the candidates if the name is unknown or ambiguous
 */
export function findCompany<Company extends Named>(
  what: string,
  given: string,
  companies: readonly Company[],
): Company {
  const found = findNamed(given, companies);
  if ('id' in found) return found;
  const name = JSON.stringify(oneLine(given));
  throw new CommandError(
    found.length === 0
      ? `${what}: there is no Company ${name}; there are: ${listed(companies)}`
      : `${what}: several Companies are named ${name}: choose one by its id: ${listed(found)}`,
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

/**
 * The id of the member of the Team with this email, name or id. An id is not looked up: it can be that of a former member.
 * @throws CommandError that lists the candidates if the name is unknown or ambiguous
 */
export async function findMember(service: ServiceClient, given: string): Promise<string> {
  if (isId(given)) return given.toLowerCase();
  const members = await readList(service, '/v1/team/members', Member);
  const byEmail = members.find(({ email }) => foldName(email) === foldName(given));
  if (byEmail !== undefined) return byEmail.userId;
  const named = members.map(({ userId, name }) => ({ id: userId, name }));
  const found = findNamed(given, named);
  if ('id' in found) return found.id;
  const name = JSON.stringify(oneLine(given));
  throw new CommandError(
    found.length === 0
      ? `--actor: the Team has no member named ${name}; it has: ${listed(named)}`
      : `--actor: several members are named ${name}: choose one by the id: ${listed(found)}`,
  );
}

/**
 * The id of a person of the Company who has no role in the Team, by the name or a part of it, the whole email, or the id. An
 * id is not looked up.
 * @throws CommandError that lists the candidates if nobody is found, or several people
 */
export async function findPerson(service: ServiceClient, given: string): Promise<string> {
  if (isId(given)) return given.toLowerCase();
  const found = await service.get(withQuery('/v1/team/people', { q: given }), Page(Person));
  const people = found.items.map(({ userId, name }) => ({ id: userId, name }));
  const [only, ...others] = people;
  if (only !== undefined && others.length === 0) return only.id;
  const named = findNamed(given, people);
  if ('id' in named) return named.id;
  const text = JSON.stringify(oneLine(given));
  throw new CommandError(
    only === undefined
      ? `nobody of your Company who is not in the Team yet has ${text} in the name, or as the email`
      : `several people have ${text} in their names: choose one by the id: ${listed(people)}`,
  );
}

/** The options that say which service to use, and as whom. */
export interface Connection {
  readonly url?: string | undefined;
  readonly profile?: string | undefined;
}

/** A client of the service, and the credential that it sends. */
export interface SignedIn {
  service: ServiceClient;
  url: string;
  source: Credential['source'];
  profile: Profile;
}

/** Where to send requests, and with what credential. */
export interface Access {
  url: string;
  credential: Credential;
  profile: Profile;
}

/**
 * The token that the variables choose; null if it is not set, or if MEMORY_PROFILE hides it. A variable of the
 * environment hides one of `.env`.
 * @throws CommandError if both are set in one place: a program with a token of its own must not act as a person
 */
function chosenToken(): Found | null {
  const token = environmentToken();
  const profile = findVariable('MEMORY_PROFILE');
  if (token === null || profile === null) return token;
  if (token.place !== profile.place) return token.place === 'environment' ? token : null;
  throw new CommandError(
    `MEMORY_API_TOKEN and MEMORY_PROFILE are both set in ${placeName(token.place)}: unset one of them, or choose a profile with --profile`,
  );
}

/** Why a token is not used although it is set, and what to do; null if none is set. Call it if no token was chosen. */
function hiddenToken(givenProfile: string | undefined): { why: string; remedy: string } | null {
  const token = findVariable('MEMORY_API_TOKEN');
  if (token === null) return null;
  if (givenProfile !== undefined)
    return { why: 'with --profile, MEMORY_API_TOKEN is not used', remedy: 'leave --profile out' };
  const why = `with MEMORY_PROFILE in the environment, MEMORY_API_TOKEN of ${placeName(token.place)} is not used`;
  return { why, remedy: 'unset MEMORY_PROFILE' };
}

/**
 * Where to send requests, and with what credential: that of the profile of `--profile`, otherwise MEMORY_API_TOKEN or the
 * profile of MEMORY_PROFILE, whichever is set, otherwise the saved session. A session is sent only to the address that it
 * belongs to, and a token only to an address of the same place or of `--url`, so that a .env file with another address
 * cannot obtain them.
 * @throws CommandError
 */
export async function findAccess({ url: givenUrl, profile: givenProfile }: Connection): Promise<Access> {
  const token = givenProfile === undefined ? chosenToken() : null;
  if (token !== null) {
    return {
      url: serviceUrlFor(`MEMORY_API_TOKEN comes from ${placeName(token.place)}`, token.place, givenUrl),
      credential: { token: token.text, source: 'MEMORY_API_TOKEN' },
      profile: null,
    };
  }
  const profile = chosenProfile(givenProfile);
  const session = await readSession(profile);
  const hidden = session === null ? hiddenToken(givenProfile) : null;
  if (hidden !== null) {
    const who = profile === null ? 'you are not signed in' : `the profile ${profile} has no session`;
    const login = profile === null ? `${PROGRAM} login` : loginCommand(profile, '<url>');
    throw new CommandError(`${who}, and ${hidden.why}: sign in with ${login}, or ${hidden.remedy}`);
  }
  if (session === null && profile !== null) {
    throw new CommandError(
      `the profile ${profile} has no session: sign in with ${loginCommand(profile, '<url>')}`,
    );
  }
  // A profile names its service. Variables of another one, in a .env file of this folder, do not change it.
  const isNamed = profile !== null || givenProfile !== undefined;
  const url = isNamed ? serviceUrl(givenUrl ?? session?.url) : serviceUrl(givenUrl, session?.url);
  if (session === null) {
    throw new CommandError(
      `you are not signed in: sign in with ${PROGRAM} login${profileOption(profile)}, or set MEMORY_API_TOKEN to the token of the service`,
    );
  }
  if (session.url !== url) {
    throw new CommandError(
      `the saved session belongs to ${session.url}, not to ${url}: name its address with --url, or sign in with ${loginCommand(profile, url)}`,
    );
  }
  return { url, credential: { token: session.token, source: 'session', profile }, profile };
}

/**
 * Connects to the service, for commands that are not about one Team.
 * @throws CommandError
 */
export async function signedIn(given: Connection): Promise<SignedIn> {
  const { url, credential, profile } = await findAccess(given);
  return { service: connect(url, credential), url, source: credential.source, profile };
}

/**
 * The options with which another command uses the same service and the same credential. They name the unnamed profile
 * too: otherwise MEMORY_PROFILE, where that command runs, would choose another account. With a token they name none,
 * because a profile hides the token.
 */
export function connectionWords({ url, source, profile }: Omit<SignedIn, 'service'>): string[] {
  return [...(source === 'session' ? ['--profile', profile ?? UNNAMED] : []), '--url', url];
}

/** The id of the default Team; null if the user has chosen none for this service. */
async function defaultTeam({ url, credential, profile }: Access): Promise<string | null> {
  // An agent token belongs to one Team.
  if (isAgentToken(credential.token)) return null;
  const { team } = await readProfileSettings(profile);
  return team?.url === url ? team.id : null;
}

/**
 * The id of the Team of `--team`, by name or id, otherwise of the default Team; null for the only Team that the caller has
 * access to.
 * @throws CommandError that lists the Teams if the name is unknown or ambiguous
 */
export async function chosenTeam(access: Access, team: string | undefined): Promise<string | null> {
  if (team === undefined) return defaultTeam(access);
  const service = connect(access.url, access.credential);
  return findTeam(team, async () => (await service.get('/v1/auth/session', SessionInfo)).teams);
}

/**
 * Connects to the service for requests about one Team, as `chosenTeam` chooses it.
 * @throws CommandError that lists the Teams if the name is unknown or ambiguous
 */
export async function connectToTeam(access: Access, team: string | undefined): Promise<ServiceClient> {
  const teamId = await chosenTeam(access, team);
  return connect(access.url, access.credential, ...(teamId === null ? [] : [teamId]));
}

/**
 * Connects to the service for a command about one Team.
 * @throws CommandError
 */
export async function signedInToTeam(
  given: Connection & { readonly team?: string | undefined },
): Promise<SignedIn> {
  const access = await findAccess(given);
  const { url, credential, profile } = access;
  return { service: await connectToTeam(access, given.team), url, source: credential.source, profile };
}

/** Names the layer of a record: `Team layer`, or the name of the client. */
export type NameLayer = (clientId: string | null) => string;

/** Reads the names of clients, if one of these records belongs to a client. */
export async function readLayerNames(
  service: ServiceClient,
  clientIds: readonly (string | null)[],
): Promise<NameLayer> {
  const hasClient = clientIds.some((id) => id !== null);
  const clients = hasClient ? await readList(service, '/v1/team/clients', Client) : [];
  const names = new Map(clients.map(({ id, name }) => [id, name]));
  return (clientId) => (clientId === null ? 'Team layer' : (names.get(clientId) ?? clientId));
}

/** The word for the Team layer and every client in reach. */
export const ALL_LAYERS = 'all';

/**
 * The layers that a reading command asks for: without a client the Team layer, with one that client's layer too, and
 * with `all` everything in reach.
 */
export async function requestedScope(service: ServiceClient, client: string | undefined) {
  if (client === undefined) return {};
  if (client === ALL_LAYERS) return { include: ['team' as const, 'client' as const] };
  return { clientId: await findClient(service, client) };
}
