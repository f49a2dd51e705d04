import { join } from 'node:path';
import { canonicalBaseUrl } from '../../shared/formats/base-url.ts';
import { CommandError } from '../terminal/command-error.ts';
import { parseRecord, readPrivateFile, removeFile, writePrivateFile } from './private-file.ts';
import { type Profile, profileFolder, profileOption } from './profiles.ts';
import { isToken } from './settings.ts';

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
