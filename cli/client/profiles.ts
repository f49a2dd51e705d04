import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { canonicalBaseUrl } from '../../shared/formats/addresses.ts';
import { CommandError } from '../terminal/command-error.ts';
import { PROGRAM } from '../terminal/program.ts';
import { parseRecord, readPrivateFile, removeFile, writePrivateFile } from './private-file.ts';
import { isToken, setting } from './settings.ts';

/** The name of a profile: a session and its settings, for one of several services. Null is the unnamed one. */
export type Profile = string | null;

/** What a user has chosen for a profile. */
export interface ProfileSettings {
  /** The default Team. It is used only with the service that it belongs to. */
  team?: { url: string; id: string; name: string };
  /** A command that makes the vector of a query: text on standard input, a JSON array of numbers on standard output. */
  embedWith?: string;
  /** The model of these vectors: that of the service when the command was chosen. */
  embeddingModel?: string;
}

/** What the unnamed profile is called in lists and in --profile. */
export const UNNAMED = 'default';

/**
 * The profile that a command uses: `--profile`, otherwise MEMORY_PROFILE, otherwise the unnamed one.
 * @throws CommandError if the name cannot be that of a folder
 */
export function chosenProfile(given: string | undefined): Profile {
  const name = given ?? setting('MEMORY_PROFILE');
  if (name === null || name === UNNAMED) return null;
  if (/^[\w-]{1,64}$/.test(name)) return name;
  const source = given === undefined ? 'MEMORY_PROFILE' : '--profile';
  throw new CommandError(`${source}: expected up to 64 letters, digits, - and _`);
}

/** The option that names this profile, with a space before it; '' if none is needed. */
export function profileOption(profile: Profile): string {
  const isNamed = profile !== null || setting('MEMORY_PROFILE') !== null;
  return isNamed ? ` --profile ${profile ?? UNNAMED}` : '';
}

/** The command that signs in with a profile. */
export function loginCommand(profile: Profile, url: string): string {
  return `${PROGRAM} login${profileOption(profile)} --url ${url}`;
}

/** Where the terminal client stores what it keeps. A relative XDG_CONFIG_HOME is ignored, as its specification requires. */
function configFolder(): string {
  const chosen = setting('XDG_CONFIG_HOME');
  const base = chosen !== null && isAbsolute(chosen) ? chosen : join(homedir(), '.config');
  return join(base, 'team-memory');
}

/** The folder of a profile. That of the unnamed one also contains the folders of the others. */
export function profileFolder(profile: Profile): string {
  return profile === null ? configFolder() : join(configFolder(), 'profiles', profile);
}

/** The path of the file with the times at which the versions of services were asked for. */
export function versionsPath(): string {
  return join(configFolder(), 'versions.json');
}

/** The profiles that have been used so far, the unnamed one first. */
export async function listProfiles(): Promise<Profile[]> {
  const entries = await readdir(join(configFolder(), 'profiles'), { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return [null, ...names.sort()];
}

const settingsPath = (profile: Profile) => join(profileFolder(profile), 'settings.json');

/**
 * Reads the settings of a profile. They are empty until the user has chosen something.
 * @throws CommandError if the file cannot be read, or is not a file of settings
 */
export async function readProfileSettings(profile: Profile): Promise<ProfileSettings> {
  const path = settingsPath(profile);
  const text = await readPrivateFile(path, 'the settings');
  if (text === null) return {};
  const record = parseRecord(text);
  if (record === null) throw new CommandError(`${path} is damaged: correct it or remove it`);
  const { url, id, name } = (record['team'] ?? {}) as Record<string, unknown>;
  const { embedWith, embeddingModel } = record;
  return {
    ...(typeof url === 'string' && typeof id === 'string' && typeof name === 'string'
      ? { team: { url, id, name } }
      : {}),
    ...(typeof embedWith === 'string' ? { embedWith } : {}),
    ...(typeof embeddingModel === 'string' ? { embeddingModel } : {}),
  };
}

/**
 * Saves the settings of a profile and replaces the earlier ones.
 * @throws CommandError
 */
export function writeProfileSettings(profile: Profile, settings: ProfileSettings): Promise<void> {
  return writePrivateFile(settingsPath(profile), settings, 'the settings');
}

/** The session that `login` saves for later commands. */
export interface SavedSession {
  /** The normalized address of the service that created the session. The token is sent only there. */
  url: string;
  /** Secret. */
  token: string;
  email: string;
  expiresAt: string;
}

/** The path of the session file of a profile. */
export function sessionPath(profile: Profile): string {
  return join(profileFolder(profile), 'session.json');
}

/**
 * Reads the saved session of a profile; null if it does not exist.
 * @throws CommandError if other users can read the file, or if it is not a session file. The message says what to do.
 */
export async function readSession(profile: Profile): Promise<SavedSession | null> {
  const path = sessionPath(profile);
  const text = await readPrivateFile(path, 'the session');
  if (text === null) return null;
  const session = parseSession(text);
  if (session !== null) return session;
  const option = profileOption(profile);
  throw new CommandError(
    `${path} is damaged: sign in again with login${option}, or remove it with logout --force${option}`,
  );
}

function parseSession(text: string): SavedSession | null {
  const { url, token, email, expiresAt } = parseRecord(text) ?? {};
  if (typeof url !== 'string' || typeof token !== 'string') return null;
  if (typeof email !== 'string' || typeof expiresAt !== 'string') return null;
  return canonicalBaseUrl(url) === url && isToken(token) ? { url, token, email, expiresAt } : null;
}

/**
 * Saves the session of a profile and replaces any earlier one.
 * @throws CommandError
 */
export function writeSession(
  profile: Profile,
  { url, token, email, expiresAt }: SavedSession,
): Promise<void> {
  return writePrivateFile(sessionPath(profile), { url, token, email, expiresAt }, 'the session');
}

/**
 * Removes the saved session of a profile, even if its file is damaged.
 * @throws CommandError
 */
export function removeSession(profile: Profile): Promise<void> {
  return removeFile(sessionPath(profile));
}
