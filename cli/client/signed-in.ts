import { isAgentToken } from '../../shared/formats/agent-token.ts';
import { SessionInfo } from '../../shared/schemas/identity.ts';
import { CommandError } from '../terminal/command-error.ts';
import { PROGRAM } from '../terminal/program.ts';
import { type Found, findVariable } from './environment.ts';
import { findTeam } from './find-team.ts';
import {
  chosenProfile,
  loginCommand,
  type Profile,
  profileOption,
  readProfileSettings,
  UNNAMED,
} from './profiles.ts';
import { type Credential, connect, type ServiceClient } from './service-client.ts';
import { readSession } from './session-file.ts';
import { environmentToken, placeName, serviceUrl, serviceUrlFor } from './settings.ts';

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
