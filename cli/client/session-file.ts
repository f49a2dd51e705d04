import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { canonicalBaseUrl } from '../../shared/formats/base-url.ts';
import { CommandError } from '../terminal/command-error.ts';
import { isToken, setting } from './settings.ts';

/** The session that `login` saves for later commands. */
export interface SavedSession {
  /** The normalized address of the service that created the session. The token is sent only there. */
  url: string;
  /** Secret. */
  token: string;
  email: string;
  expiresAt: string;
}

/** Windows has no file modes. There, other users cannot read a user's folder by default. */
const HAS_MODES = process.platform !== 'win32';

/** The path of the session file. A relative XDG_CONFIG_HOME is ignored, as its specification requires. */
export function sessionPath(): string {
  const chosen = setting('XDG_CONFIG_HOME');
  const base = chosen !== null && isAbsolute(chosen) ? chosen : join(homedir(), '.config');
  return join(base, 'team-memory', 'session.json');
}

/**
 * Reads the saved session; null if it does not exist.
 * @throws CommandError if other users can read the file, or if it is not a session file. The message says what to do.
 */
export async function readSession(): Promise<SavedSession | null> {
  const path = sessionPath();
  const read = await readWithMode(path).catch((error: unknown) => {
    throw fileError(error, `the session cannot be read from ${path}`);
  });
  if (read === null) return null;
  const { mode, text } = read;
  if (HAS_MODES && (mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw new CommandError(
      `${path} can be read by other users (mode ${shown}): protect it with chmod 600 ${path}`,
    );
  }
  const session = parseSession(text);
  if (session !== null) return session;
  throw new CommandError(`${path} is damaged: sign in again with login, or remove it with logout --force`);
}

/** Reads the mode and the text through one file handle, so that both belong to the same file. */
async function readWithMode(path: string): Promise<{ mode: number; text: string } | null> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (file === null) return null;
  try {
    return { mode: (await file.stat()).mode, text: await file.readFile('utf8') };
  } finally {
    await file.close();
  }
}

function parseSession(text: string): SavedSession | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { url, token, email, expiresAt } = (value ?? {}) as Record<string, unknown>;
  if (typeof url !== 'string' || typeof token !== 'string') return null;
  if (typeof email !== 'string' || typeof expiresAt !== 'string') return null;
  return canonicalBaseUrl(url) === url && isToken(token) ? { url, token, email, expiresAt } : null;
}

/**
 * Saves a session and replaces any earlier one. The file is written under another name and then renamed, so it is never
 * incomplete and other users can never read it. A symbolic link at this path is replaced; its target is not changed.
 * @throws CommandError
 */
export async function writeSession({ url, token, email, expiresAt }: SavedSession): Promise<void> {
  const path = sessionPath();
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A folder that existed before can be readable for other users.
    if (HAS_MODES) await chmod(folder, 0o700);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ url, token, email, expiresAt }, null, 2)}\n`);
      // If the file were renamed before its text is on the disk, it could be empty after a power failure.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError(error, `the session cannot be saved in ${path}`);
  }
}

/**
 * Removes the saved session, even if its file is damaged.
 * @throws CommandError
 */
export async function removeSession(): Promise<void> {
  const path = sessionPath();
  await rm(path, { force: true }).catch((error: unknown) => {
    throw fileError(error, `${path} cannot be removed`);
  });
}

function fileError(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? new CommandError(`${what} (${code})`) : error;
}
