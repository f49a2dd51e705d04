import { access, constants, lstat, mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { addressesOf } from '../formats/addresses.ts';

/** The user of this process, for messages. */
const user = () => `user ${process.getuid?.() ?? 'of this process'}`;

const codeOf = (error: unknown) => (error as { code?: string }).code ?? 'unknown error';

/** Errors of a disk that is full, for this user or for all. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/** In place of a code of the file system: a link leads to nothing. */
const DANGLING = 'a link without a target';

/** What is wrong and what to do, by the code of an error of the file system. */
function reasonOf(code: string, place: string, owner: number | null): string {
  if (FULL.has(code))
    return `the disk of ${place} is full, so ${user()} cannot write there: free some space, or`;
  if (code === 'EROFS')
    return `${user()} cannot write to ${place}: its file system is read-only. Make it writable, or`;
  if (code === 'ENOENT')
    return `${user()} cannot create anything in ${place}: its file system stores no files;`;
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return `${user()} cannot write to ${place}: it is not a folder. Remove it, or`;
  if (code === DANGLING)
    return `${user()} cannot write to ${place}: it is a link to a folder that does not exist. Create that folder (its disk may not be mounted), or`;
  if (code === 'EACCES' || code === 'EPERM') {
    const belongs = owner === null ? '' : `, which belongs to user ${owner}`;
    return `${user()} cannot write to ${place}${belongs}: give this user the right (chown), or`;
  }
  return `${user()} cannot write to ${place} (${code}). Correct this, or`;
}

/** The folder of a setting cannot be used. The message is one line: the variable, the folder, the user, and what to do. */
export class FolderError extends Error {
  override name = 'FolderError';
  constructor(variable: string, code: string, place: string, owner: number | null = null) {
    super(`${variable}: ${reasonOf(code, place, owner)} set ${variable} to another folder`);
  }
}

/** The folder, or the nearest one above it that exists. */
async function nearestFolder(variable: string, folder: string): Promise<string> {
  const found = await stat(folder).catch(async (error: unknown) => {
    const link = await lstat(folder).catch(() => null);
    if (codeOf(error) === 'ENOENT' && link?.isSymbolicLink() === true)
      throw new FolderError(variable, DANGLING, folder);
    // A part of the path is a file, or cannot be passed: the reason is further up.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(codeOf(error)) && dirname(folder) !== folder) return null;
    throw new FolderError(variable, codeOf(error), folder);
  });
  if (found === null) return nearestFolder(variable, dirname(folder));
  if (!found.isDirectory()) throw new FolderError(variable, 'ENOTDIR', folder);
  return folder;
}

const exists = (place: string) =>
  access(place).then(
    () => true,
    () => false,
  );

async function assertAccess(variable: string, place: string, mode: number): Promise<void> {
  try {
    await access(place, mode);
  } catch (error) {
    const owner = await stat(place).catch(() => null);
    throw new FolderError(variable, codeOf(error), place, owner?.uid ?? null);
  }
}

/**
 * Asserts that this user can create the folder, or can write to it and to these files and folders in it. Changes nothing.
 * @param variable the setting that names the folder
 * @param names what is written in the folder, if it exists there. Anything else can belong to another user, such as
 *   `lost+found` at the root of a disk
 * @returns the folder, or the nearest one above it that exists
 * @throws FolderError
 */
export async function assertCanWrite(
  variable: string,
  folder: string,
  names: readonly string[],
): Promise<string> {
  const whole = resolve(folder);
  const nearest = await nearestFolder(variable, whole);
  const { R_OK, W_OK, X_OK } = constants;
  await assertAccess(variable, nearest, W_OK | X_OK);
  // A file system of the kernel, such as /proc, where also the superuser can create nothing.
  if ((await statfs(nearest)).blocks === 0) throw new FolderError(variable, 'ENOENT', nearest);
  // A folder of this user can contain what another user has written, for example a container that ran as root.
  for (const name of nearest === whole ? names : []) {
    const place = join(nearest, name);
    if (await exists(place)) await assertAccess(variable, place, R_OK | W_OK);
  }
  return nearest;
}

/**
 * Creates the folder if it does not exist, and asserts that this user can write to it and to these files and folders in it.
 * @throws FolderError
 */
export async function makeFolder(variable: string, folder: string, names: readonly string[]): Promise<void> {
  await assertCanWrite(variable, folder, names);
  await writing(variable, folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
}

/**
 * Runs what writes to the folder of a setting. An error of the file system becomes one line for the operator.
 * @throws FolderError
 */
export async function writing<T>(variable: string, folder: string, write: () => Promise<T> | T): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isOfFiles = error instanceof Error && 'syscall' in error && 'code' in error;
    throw isOfFiles ? new FolderError(variable, codeOf(error), resolve(folder)) : error;
  }
}

/** The parameters of an address of PostgreSQL that name a file. */
const CERTIFICATES = ['sslrootcert', 'sslcert', 'sslkey'];

/**
 * Asserts that this user can read the certificates that an address of a database names.
 * @param variable the setting that has the address
 * @throws Error with one line for the operator
 */
export async function assertCertificates(variable: string, url: string): Promise<void> {
  const [address] = addressesOf(url) ?? [];
  const parameters = new URL(address ?? 'postgres://').searchParams;
  for (const name of CERTIFICATES) {
    const file = parameters.get(name);
    if (file === null || file === '' || file === 'system') continue;
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw new Error(
        `${variable}: ${user()} cannot read ${resolve(file)}, the file of ${name} (${codeOf(error)}): correct the path, or give this user the right`,
      );
    });
  }
}
