import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from '../terminal/command-error.ts';

/** Windows has no file modes. There, other users cannot read a user's folder by default. */
const HAS_MODES = process.platform !== 'win32';

/**
 * Reads a file that only its owner can read; null if it does not exist.
 * @param what what is read, for messages
 * @throws CommandError if other users can read the file. The message says what to do
 */
export async function readPrivateFile(path: string, what: string): Promise<string | null> {
  const read = await readWithMode(path).catch((error: unknown) => {
    throw fileError(error, `${what} cannot be read from ${path}`);
  });
  if (read === null) return null;
  const { mode, text } = read;
  if (HAS_MODES && (mode & 0o077) !== 0) {
    const shown = (mode & 0o777).toString(8);
    throw new CommandError(
      `${path} can be read by other users (mode ${shown}): protect it with chmod 600 ${path}`,
    );
  }
  return text;
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

/**
 * Writes a file that only its owner can read, as JSON, and replaces any earlier one. The file is written under another
 * name and then renamed, so it is never incomplete and other users can never read it. A symbolic link at this path is
 * replaced; its target is not changed.
 * @param what what is saved, for messages
 * @throws CommandError
 */
export async function writePrivateFile(path: string, content: object, what: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // A folder that existed before can be readable for other users.
    if (HAS_MODES) await chmod(folder, 0o700);
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      // If the file were renamed before its text is on the disk, it could be empty after a power failure.
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw fileError(error, `${what} cannot be saved in ${path}`);
  }
}

/**
 * Removes a file, whatever it contains.
 * @throws CommandError
 */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch((error: unknown) => {
    throw fileError(error, `${path} cannot be removed`);
  });
}

/** A value of JSON with fields. */
export type Fields = Readonly<Record<string, unknown>>;

const hasFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The fields of a value; none if it is not an object. */
export const fields = (value: unknown): Fields => (hasFields(value) ? value : {});

/** The record in a JSON text; null if it is not one. */
export function parseRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return hasFields(value) ? value : null;
  } catch {
    return null;
  }
}

function fileError(error: unknown, what: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? new CommandError(`${what} (${code})`) : error;
}
