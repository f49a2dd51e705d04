import { createHash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  constants,
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  rmdir,
  utimes,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { STATE_FOLDER } from './state.ts';

/** The outcome of a change on the disk: done, not done because someone else changed the place, or why it cannot be. */
type Placed = 'done' | 'changed' | { why: string };

/** The same of a file that was put: `modified` is its time there, in ms since 1970. */
export type Put = { modified: number } | Exclude<Placed, 'done'>;

/** A file system that has no hard links says so in one of these ways. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/** Of a file's content, in hexadecimal. */
export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What lies at a place, itself and not what a link leads to; null where nothing does. */
export async function look(at: string): Promise<Stats | null> {
  return lstat(at).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Whether a place has this content now; with null, whether it has nothing. */
export async function has(at: string, sha256: string | null): Promise<boolean> {
  const found = await look(at);
  if (found === null || sha256 === null) return found === null && sha256 === null;
  return found.isFile() && sha256Of(await readFile(at)) === sha256;
}

/** The folder that is in sync, as the place where files are put. No link in it is ever followed. */
export interface Disk {
  /** Puts a content in the place of the content `over`; with null, where nothing is. */
  put(at: string, over: string | null, content: Buffer, modified: Date): Promise<Put>;
  /** Copies the content `over` to a second name, if that is free or has it already. */
  keepAside(at: string, aside: string, over: string): Promise<Placed>;
  /** Removes a file with this content, and the folders that are empty then, up to the top of its scope. */
  remove(at: string, over: string, top: string): Promise<Placed>;
}

/** Why there is no way down to a place that keeps within the folder, or null. */
async function wayFault(folder: string, at: string): Promise<string | null> {
  let reached = folder;
  for (const segment of relative(folder, dirname(at)).split(sep)) {
    reached = join(reached, segment);
    const found = await look(reached);
    if (found === null) return null;
    const shown = relative(folder, reached).split(sep).join('/');
    if (found.isSymbolicLink()) return `${shown} is a symbolic link, which is not followed`;
    if (!found.isDirectory()) return `${shown} is no folder here`;
  }
  return null;
}

/** What the file system said, as a reason. */
async function tried<Result>(act: () => Promise<Result>): Promise<Result | { why: string }> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'EXDEV')
      return { why: `its folder and ${STATE_FOLDER} are on two file systems: keep the whole folder on one` };
    return { why: `it cannot be written here (${code})` };
  }
}

/** Gives a file a second name that nothing has yet: false where something has it. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
    if ((await look(to)) !== null) return false;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  return true;
}

/**
 * Writes a whole file under a name that no one looks at.
 * @param mode null for what is usual
 * @returns its time, as the file system tells it: taken before anyone else can change the file
 */
async function writeAside(at: string, content: Buffer, modified: Date, mode: number | null): Promise<number> {
  const file = await open(at, 'wx');
  try {
    await file.writeFile(content);
    if (mode !== null) await file.chmod(mode);
    await file.utimes(modified, modified);
    // Renamed before its content is on the disk, it may be empty after a power failure, and be sent as an edit.
    await file.datasync();
    return (await file.stat()).mtimeMs;
  } finally {
    await file.close();
  }
}

/**
 * Opens a folder for changes to its files, and recreates the folder in which they are written first.
 * @param folder has its state folder already
 * @throws CommandError where nothing can be written in that
 */
export async function openDisk(folder: string): Promise<Disk> {
  const aside = join(folder, STATE_FOLDER, 'incoming');
  try {
    // What a run that was killed left behind was in no one's place yet.
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${oneLine(aside)} cannot be recreated (${code})`);
  }

  const put = async (at: string, over: string | null, content: Buffer, time: Date): Promise<Put> => {
    const fault = await wayFault(folder, at);
    if (fault !== null) return { why: fault };
    const found = await look(at);
    if (found !== null && !found.isFile()) return { why: 'something else is in its place here' };
    if (!(await has(at, over))) return 'changed';
    await mkdir(dirname(at), { recursive: true });
    const incoming = join(aside, randomUUID());
    try {
      const mode = over === null ? null : (await lstat(at)).mode & 0o777;
      const modified = await writeAside(incoming, content, time, mode);
      if (over === null) return (await linkNew(incoming, at)) ? { modified } : 'changed';
      // The last look, directly before: an edit of the moment between is all that could be lost.
      if (!(await has(at, over))) return 'changed';
      await rename(incoming, at);
      return { modified };
    } finally {
      await rm(incoming, { force: true });
    }
  };

  const keepAside = async (at: string, second: string, over: string): Promise<Placed> => {
    const fault = await wayFault(folder, at);
    if (fault !== null) return { why: fault };
    if (!(await has(at, over))) return 'changed';
    const copy = join(aside, randomUUID());
    try {
      // No second link to the same file: an edit of the one would be one of the other.
      await copyFile(at, copy, constants.COPYFILE_FICLONE);
      const { atime, mtime } = await lstat(at);
      await utimes(copy, atime, mtime);
      if (!(await has(copy, over))) return 'changed';
      return (await linkNew(copy, second)) || (await has(second, over)) ? 'done' : 'changed';
    } finally {
      await rm(copy, { force: true });
    }
  };

  const remove = async (at: string, over: string, top: string): Promise<Placed> => {
    const fault = await wayFault(folder, at);
    if (fault !== null) return { why: fault };
    if (!(await has(at, over))) return 'changed';
    await rm(at);
    for (let above = dirname(at); above.startsWith(top + sep); above = dirname(above)) {
      const emptied = await rmdir(above).then(
        () => true,
        () => false,
      );
      if (!emptied) break;
    }
    return 'done';
  };

  return {
    put: (...given) => tried(() => put(...given)),
    keepAside: (...given) => tried(() => keepAside(...given)),
    remove: (...given) => tried(() => remove(...given)),
  };
}
