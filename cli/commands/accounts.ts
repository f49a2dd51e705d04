import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { isId } from '../../shared/ids.ts';
import { Link, ResetLink, Session, SessionInfo } from '../../shared/schemas/accounts.ts';
import { Time } from '../../shared/schemas/common.ts';
import {
  chosenProfile,
  type Profile,
  profileOption,
  readSession,
  removeSession,
  type SavedSession,
  sessionPath,
  writeSession,
} from '../client/profiles.ts';
import { connect, NoBody, ServiceRefusal } from '../client/service-client.ts';
import { serviceUrl, serviceUrlFor, setting } from '../client/settings.ts';
import { findCompany, findTeam, signedIn } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS, type Values } from '../program/command.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import type { Result } from '../terminal/output.ts';
import { askTerminal, atTerminal, readFirstLine } from '../terminal/prompt.ts';
import { type Column, table } from '../terminal/table.ts';
import { parseDuration } from '../terminal/times.ts';

/** A session that was created with a password always has an end, and without a cookie the answer has its token. */
const NewSession = Type.Object({ ...Session.properties, token: Type.String(), expiresAt: Time });

/** What the refusal of a sign-in says that requires a Company. */
const SeveralCompanies = Type.Object({
  companies: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
});

const loginOptions = {
  email: {
    type: 'string',
    value: 'email',
    help: 'email to sign in with; if left out, the terminal asks for it',
  },
  company: {
    type: 'string',
    value: 'name',
    help: 'name or id of the Company, for an email that has accounts in several with one password',
  },
  profile: {
    type: 'string',
    value: 'name',
    completes: 'profile',
    help: 'save the session under this name, next to those of other services; default: MEMORY_PROFILE',
  },
  url: {
    ...SERVICE_OPTIONS.url,
    help:
      'address of the service; default: the address of the saved session of --profile, otherwise ' +
      'MEMORY_API_PUBLIC_URL, otherwise http://127.0.0.1 with the port of MEMORY_API_PORT or PORT, otherwise the ' +
      'address of the saved session, otherwise http://127.0.0.1:8787. The address of a file .env is not used',
  },
} as const;

type Given = Values<typeof loginOptions>;

async function readEmail(given: string | undefined): Promise<string> {
  if (given === undefined && !atTerminal()) {
    throw new CommandError(
      '--email: required, because standard input is not a terminal and the email cannot be asked for',
    );
  }
  const email = (given ?? (await askTerminal('Email: '))).trim();
  if (email === '') throw new CommandError('--email: expected an email address');
  return email;
}

async function readPassword(email: string, url: string): Promise<string> {
  const password = atTerminal()
    ? await askTerminal(`Password of ${oneLine(email)} at ${url}: `, { secret: true })
    : await readFirstLine();
  if (password === '') throw new CommandError('no password was given: the password must not be empty');
  return password;
}

/**
 * The address to send the password to. A named profile stays at its service, and .env does not receive a password.
 * @throws CommandError if nothing was given and the saved session, which has the address, cannot be read
 */
async function addressOf({ url, profile: named }: Given, profile: Profile): Promise<string> {
  const what = 'the password comes from you';
  if (url !== undefined) return serviceUrlFor(what, 'environment', url);
  const session = await readSession(profile).catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${error.message}: name the address with --url`);
  });
  if (session !== null && (profile !== null || named !== undefined)) return session.url;
  return serviceUrlFor(what, 'environment', undefined, session?.url);
}

interface Credentials {
  email: string;
  password: string;
}

async function signIn(
  url: string,
  credentials: Credentials & { companyId?: string },
): Promise<Static<typeof NewSession>> {
  try {
    return await connect(url, null).post('/v1/auth/login', NewSession, credentials);
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.code !== 'invalid_credentials') throw error;
    throw new CommandError(`the service at ${url} does not know this email with this password`);
  }
}

/** Signs in to a Company by its name or id; without one, to the only Company of the email and the password. */
async function signInTo(
  company: string | undefined,
  url: string,
  credentials: Credentials,
): Promise<Static<typeof NewSession>> {
  if (company !== undefined && isId(company)) return signIn(url, { ...credentials, companyId: company });
  let session: Static<typeof NewSession>;
  try {
    session = await signIn(url, credentials);
  } catch (error) {
    const problem = error instanceof ServiceRefusal ? error.problem : null;
    if (!Value.Check(SeveralCompanies, problem)) throw error;
    const { companies } = problem;
    if (company === undefined) {
      const names = companies.map(({ id, name }) => `${oneLine(name)} (${id})`).join(', ');
      throw new CommandError(`you have accounts in several Companies: choose one with --company: ${names}`);
    }
    return signIn(url, { ...credentials, companyId: findCompany('--company', company, companies).id });
  }
  if (company !== undefined) {
    try {
      findCompany('--company', company, [session.company]);
    } catch (error) {
      await endUnsaved(url, session.token, null);
      throw error;
    }
  }
  return session;
}

/** Ends a session whose token is not saved anywhere. If this fails, the session expires by itself, after days. */
async function endUnsaved(url: string, token: string, profile: Profile): Promise<void> {
  const service = connect(url, { token, source: 'session', profile });
  await service.post('/v1/auth/logout', NoBody).catch(() => {});
}

export const login: Command<typeof loginOptions> = {
  section: 'account',
  summary: 'sign in, and save the session for later commands',
  about: 'Signs in with email and password, and saves the session for later commands.',
  options: loginOptions,
  notes: `The terminal asks for the password and does not show it. If standard input is not a terminal, the password is
its first line. The session is saved in team-memory/session.json in XDG_CONFIG_HOME or ~/.config, and only you can read
the file; that of a profile is in team-memory/profiles/<name>. It replaces the session saved before, which is ended if it
belongs to the same address. A session is sent only to its own address. Each use extends it: whoami shows when it ends,
and logout ends it at once.`,
  async run(values) {
    const profile = chosenProfile(values.profile);
    const url = await addressOf(values, profile);
    const email = await readEmail(values.email);
    const password = await readPassword(email, url);
    const { token, expiresAt, user } = await signInTo(values.company, url, { email, password });
    const before = await readSession(profile).catch(() => null);
    try {
      await writeSession(profile, { url, token, email: user.email, expiresAt });
    } catch (error) {
      await endUnsaved(url, token, profile);
      throw error;
    }
    if (before?.url === url) await endUnsaved(url, before.token, profile);
    const done = `Signed in as ${oneLine(user.name)} <${oneLine(user.email)}> at ${url}, until ${expiresAt}.`;
    const isHidden = profile === null && setting('MEMORY_API_TOKEN') !== null;
    return {
      text: isHidden
        ? `${done}\nMEMORY_API_TOKEN is set and takes precedence over this session: unset it to act as yourself.`
        : done,
      data: { url, user, expiresAt, profile },
    };
  },
};

const logoutOptions = {
  force: {
    type: 'boolean',
    help: 'remove the file even if the session cannot be ended or the file cannot be read',
  },
  profile: { ...SERVICE_OPTIONS.profile, help: 'the profile to sign out; default: MEMORY_PROFILE' },
  url: { ...SERVICE_OPTIONS.url, help: 'sign out only if the session belongs to this address' },
} as const;

/** The result: whether there was a session to end, and whether its end was confirmed. */
function result(text: string, ended: boolean): Result {
  return { text, data: { ended } };
}

/** Ends the session on the service. Returns false if it had already ended. */
async function endSession({ url, token }: SavedSession, profile: Profile): Promise<boolean> {
  try {
    await connect(url, { token, source: 'session', profile }).post('/v1/auth/logout', NoBody);
    return true;
  } catch (error) {
    if (error instanceof ServiceRefusal && error.isCredentialInvalid) return false;
    throw error;
  }
}

/** Removes the file of a session that may still be valid. */
async function removeUnended(profile: Profile, why: string): Promise<Result> {
  await removeSession(profile);
  return result(`Removed ${sessionPath(profile)}, but its session was not ended${why}.`, false);
}

export const logout: Command<typeof logoutOptions> = {
  section: 'account',
  summary: 'end the session that login saved',
  about: 'Ends the session that login saved, and removes its file.',
  options: logoutOptions,
  notes: `A session that could not be ended expires after it has not been used for some time. MEMORY_API_TOKEN is not a
session, and logout does not change it.`,
  async run({ force, url, profile: given }) {
    const profile = chosenProfile(given);
    const session = await readSession(profile).catch((error: unknown) => {
      if (force !== true || !(error instanceof CommandError)) throw error;
      return 'unreadable' as const;
    });
    if (session === null) return result('You are not signed in: there is no saved session.', false);
    if (session === 'unreadable') return removeUnended(profile, '');
    if (url !== undefined && serviceUrl(url) !== session.url) {
      throw new CommandError(`the saved session belongs to ${session.url}, not to ${serviceUrl(url)}`);
    }
    let ended: boolean;
    try {
      ended = await endSession(session, profile);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (force === true) return removeUnended(profile, `: ${error.message}`);
      throw new CommandError(
        `${error.message} (the session file was not removed; logout --force${profileOption(profile)} removes it anyway)`,
      );
    }
    await removeSession(profile);
    const who = `${oneLine(session.email)} at ${session.url}`;
    return ended
      ? result(`Signed out ${who}.`, true)
      : result(`The session of ${who} had already ended. Its file was removed.`, true);
  },
};

type Team = SessionInfo['teams'][number];

/** The columns of a list of Teams. */
export const TEAM_COLUMNS: readonly Column<Team>[] = [
  { title: 'Team', value: ({ id }) => id, role: 'id' },
  { title: 'Role', value: ({ role }) => role },
  { title: 'Access', value: ({ access }) => access },
  { title: 'State', value: ({ state }) => state },
  { title: 'Name', value: ({ name }) => name, canShrink: true, role: 'name' },
];

export const whoami: Command<typeof SERVICE_OPTIONS> = {
  section: 'account',
  summary: 'show who is signed in, and the Teams with their ids',
  about: `Shows who is signed in: name, email, role in the Company, and the Teams with their ids and your access to
them. For an agent token, also its name and its permissions.`,
  options: SERVICE_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service, url, source, profile } = await signedIn(values);
    const session = await service.get('/v1/auth/session', SessionInfo);
    const { user, company, teams, expiresAt, agentToken, permissions } = session;
    const credential = source === 'session' ? 'the saved session' : source;
    const token =
      agentToken === undefined
        ? []
        : [`as the agent token ${oneLine(agentToken.name)}, which permits ${permissions?.join(', ') ?? ''}`];
    const lines = [
      `${oneLine(user.name)} <${oneLine(user.email)}>, ${company.role} of the Company "${oneLine(company.name)}"`,
      `using ${credential} for ${url}${expiresAt === null ? '' : `, until ${expiresAt}`}`,
      ...token,
      '',
      ...(teams.length === 0 ? ['You do not have access to any Team.'] : table(TEAM_COLUMNS, teams)),
    ];
    return { text: lines.join('\n'), data: { ...session, url, credential: source, profile } };
  },
};

/** The token of a link, or the text itself. */
function tokenIn(link: string): string {
  const token = URL.canParse(link) ? new URLSearchParams(new URL(link).hash.slice(1)).get('token') : link;
  if (token === null || token === '') throw new CommandError('the link is incomplete: it ends with #token=…');
  return token;
}

export const accept: Command<typeof SERVICE_OPTIONS> = {
  section: 'account',
  summary: 'accept an invite for your own account',
  about: `Accepts an invite into a Team, or the invitation to become an Admin of the Company, with the link that you were given.
It must be for the email of your account. Without an account, open the link in a browser.`,
  options: SERVICE_OPTIONS,
  operand: { name: 'link' },
  notes: CREDENTIAL_NOTE,
  async run(values, given) {
    const { service } = await signedIn(values);
    const token = tokenIn(given.trim());
    const { kind, team, company } = await service.post('/v1/auth/link', Link, { token });
    if (kind === 'reset') throw new CommandError('the link sets a new password: open it in a browser');
    const path = kind === 'invite' ? '/v1/auth/join' : '/v1/company/invitations/accept';
    const session = await service.post(path, SessionInfo, { token });
    const what = team === null ? `an Admin of ${oneLine(company)}` : `in the Team ${oneLine(team)}`;
    return { text: `You are now ${what}.`, data: session };
  },
};

const ownerResetLinkOptions = {
  team: {
    type: 'string',
    value: 'team',
    completes: 'team',
    help: 'name or id of the Team of the Owner; default: the first Team',
  },
  email: {
    type: 'string',
    value: 'email',
    help: "email of an Owner of that Team or of the Company; default: the caller's own",
  },
  'base-url': {
    type: 'string',
    value: 'url',
    help: "address of the service for the Owner's browser; default: as the service is configured",
  },
  ttl: {
    type: 'string',
    value: 'duration',
    help: 'how long the link is valid, 60s to 24h, such as 900, 15m or 1h; default: 1h',
  },
  ...SERVICE_OPTIONS,
} as const;

function readTtl(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDuration(text);
  if (seconds === null || seconds < 60 || seconds > 86_400) {
    throw new CommandError('--ttl: expected a duration from 60s to 24h, such as 900, 15m or 1h');
  }
  return seconds;
}

export const ownerResetLink: Command<typeof ownerResetLinkOptions> = {
  section: 'operator',
  summary: 'create a link with which an Owner can set a new password',
  about:
    'Creates a link with which an Owner can set a new password, and prints it with the time at which it expires.',
  options: ownerResetLinkOptions,
  notes: CREDENTIAL_NOTE,
  async run({ team, email, 'base-url': baseUrl, ttl, url, profile }) {
    const ttlSeconds = readTtl(ttl);
    const { service } = await signedIn({ url, profile });
    const isComplete = team !== undefined && isId(team) && email !== undefined;
    const session = isComplete ? null : await service.get('/v1/auth/session', SessionInfo);
    const teams = session?.teams ?? [];
    const teamId = team === undefined ? teams[0]?.id : await findTeam(team, async () => teams);
    if (teamId === undefined) throw new CommandError('you have no Team: choose one with --team');
    const link = await service.post('/v1/company/reset-links', ResetLink, {
      teamId,
      email: email ?? session?.user.email,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    });
    return { text: `${link.url}\nvalid once, until ${link.expiresAt}`, data: link };
  },
};
