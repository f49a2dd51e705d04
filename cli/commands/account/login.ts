import { type Static, Type } from 'typebox';
import { Time } from '../../../shared/schemas/common.ts';
import { Session } from '../../../shared/schemas/identity.ts';
import { chosenProfile, type Profile } from '../../client/profiles.ts';
import { connect, NoBody, ServiceRefusal } from '../../client/service-client.ts';
import { readSession, writeSession } from '../../client/session-file.ts';
import { serviceUrlFor, setting } from '../../client/settings.ts';
import { type Command, SERVICE_OPTIONS, type Values } from '../../program/command.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { askTerminal, atTerminal, readFirstLine } from '../../terminal/prompt.ts';

/** A session that was created with a password always has an end. */
const NewSession = Type.Object({ ...Session.properties, expiresAt: Time });

const options = {
  email: {
    type: 'string',
    value: 'email',
    help: 'email to sign in with; if left out, the terminal asks for it',
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

type Given = Values<typeof options>;

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

async function signIn(url: string, email: string, password: string): Promise<Static<typeof NewSession>> {
  try {
    return await connect(url, null).post('/v1/auth/login', NewSession, { email, password });
  } catch (error) {
    if (!(error instanceof ServiceRefusal) || error.code !== 'invalid_credentials') throw error;
    throw new CommandError(`the service at ${url} does not know this email with this password`);
  }
}

/** Ends a session whose token is not saved anywhere. If this fails, the session expires by itself, after days. */
async function endUnsaved(url: string, token: string, profile: Profile): Promise<void> {
  const service = connect(url, { token, source: 'session', profile });
  await service.post('/v1/auth/logout', NoBody).catch(() => {});
}

export const login: Command<typeof options> = {
  section: 'account',
  summary: 'sign in, and save the session for later commands',
  about: 'Signs in with email and password, and saves the session for later commands.',
  options,
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
    const { token, expiresAt, user } = await signIn(url, email, password);
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
