import { createHash, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
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
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { STATE_FOLDER } from './state.ts';

/** The outcome of a change on the disk. `changed`: another program has changed the file. `why`: why it failed. */
type ChangeOutcome = 'done' | 'changed' | { why: string };

/** The error codes with which file systems report that they do not support hard links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL']);

/** The SHA-256 of a file's content, in hexadecimal. */
export function sha256Of(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Runs lstat: a symbolic link is not followed. Returns null if nothing exists at the path. */
export async function lstatOrNull(at: string): Promise<BigIntStats | null> {
  return lstat(at, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
    throw error;
  });
}

/** Whether the file at a path has this content now. With null: whether nothing exists at the path. */
export async function hasContent(at: string, sha256: string | null): Promise<boolean> {
  const found = await lstatOrNull(at);
  if (found === null || sha256 === null) return found === null && sha256 === null;
  return found.isFile() && sha256Of(await readFile(at)) === sha256;
}

/** Changes the files of the folder. Symbolic links in it are never followed. */
export interface Disk {
  /** Writes a file if it still has the content `over`; with null, if it does not exist. */
  write(at: string, over: string | null, content: Buffer, modified: Date): Promise<ChangeOutcome>;
  /** Copies the content `over` to a second name, if that name is free or already has this content. */
  saveCopy(at: string, aside: string, over: string): Promise<ChangeOutcome>;
  /**
   * Removes a file if it has this content, and then the folders that have become empty, up to the folder of its layer.
   */
  remove(at: string, over: string, top: string): Promise<ChangeOutcome>;
  /**
   * The time of the file system, in ms since 1970; 0 if it cannot be read. A file server has a clock of its own, and a file
   * system can round times down.
   */
  now(): Promise<number>;
}

/** The reason why a path cannot be written (a segment is a symbolic link or not a folder), or null. */
async function pathFault(folder: string, at: string): Promise<string | null> {
  let reached = folder;
  for (const segment of relative(folder, dirname(at)).split(sep)) {
    reached = join(reached, segment);
    const found = await lstatOrNull(reached);
    if (found === null) return null;
    const shown = relative(folder, reached).split(sep).join('/');
    if (found.isSymbolicLink()) return `${shown} is a symbolic link, which is not followed`;
    if (!found.isDirectory()) return `${shown} is not a folder here`;
  }
  return null;
}

/** Turns an error of the file system into a reason for a person. */
async function withReason<Result>(act: () => Promise<Result>): Promise<Result | { why: string }> {
  try {
    return await act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    if (code === 'EXDEV')
      return {
        why: `its folder and ${STATE_FOLDER} are on different file systems: keep the whole folder on one`,
      };
    return { why: `it cannot be written here (${code})` };
  }
}

/** Gives a file a second name. Returns false if the name is in use. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (!NO_LINKS.has(code)) throw error;
    if ((await lstatOrNull(to)) !== null) return false;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  return true;
}

/**
 * Writes a whole file under a temporary name.
 * @param mode null for the default
 */
async function writeTemporary(
  at: string,
  content: Buffer,
  modified: Date,
  mode: number | null,
): Promise<void> {
  const file = await open(at, 'wx');
  try {
    await file.writeFile(content);
    if (mode !== null) await file.chmod(mode);
    await file.utimes(modified, modified);
    // Without this, the renamed file could be empty after a power failure, and would then be sent as an edit.
    await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Opens a folder for changes to its files, and recreates the folder for temporary files.
 * @param folder must have its state folder
 * @throws CommandError if the state folder cannot be written to
 */
export async function openDisk(folder: string): Promise<Disk> {
  const aside = join(folder, STATE_FOLDER, 'incoming');
  try {
    // Temporary files of a run that was killed are of no use.
    await rm(aside, { recursive: true, force: true });
    await mkdir(aside, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(`${oneLine(aside)} cannot be recreated (${code})`);
  }

  const write = async (
    at: string,
    over: string | null,
    content: Buffer,
    time: Date,
  ): Promise<ChangeOutcome> => {
    const fault = await pathFault(folder, at);
    if (fault !== null) return { why: fault };
    const found = await lstatOrNull(at);
    if (found !== null && !found.isFile()) return { why: 'its path here is not a file' };
    if (!(await hasContent(at, over))) return 'changed';
    await mkdir(dirname(at), { recursive: true });
    const incoming = join(aside, randomUUID());
    try {
      const mode = over === null ? null : (await lstat(at)).mode & 0o777;
      await writeTemporary(incoming, content, time, mode);
      if (over === null) return (await linkNew(incoming, at)) ? 'done' : 'changed';
      // Checked again directly before the rename: only an edit between the two steps could be lost.
      if (!(await hasContent(at, over))) return 'changed';
      await rename(incoming, at);
      return 'done';
    } finally {
      await rm(incoming, { force: true });
    }
  };

  const saveCopy = async (at: string, second: string, over: string): Promise<ChangeOutcome> => {
    const fault = await pathFault(folder, at);
    if (fault !== null) return { why: fault };
    if (!(await hasContent(at, over))) return 'changed';
    const copy = join(aside, randomUUID());
    try {
      // A copy and not a hard link: with a link, an edit of one file would also change the other.
      await copyFile(at, copy, constants.COPYFILE_FICLONE);
      const { atime, mtime } = await lstat(at);
      await utimes(copy, atime, mtime);
      if (!(await hasContent(copy, over))) return 'changed';
      return (await linkNew(copy, second)) || (await hasContent(second, over)) ? 'done' : 'changed';
    } finally {
      await rm(copy, { force: true });
    }
  };

  const remove = async (at: string, over: string, top: string): Promise<ChangeOutcome> => {
    const fault = await pathFault(folder, at);
    if (fault !== null) return { why: fault };
    if (!(await hasContent(at, over))) return 'changed';
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

  const now = async (): Promise<number> => {
    const probe = join(aside, randomUUID());
    try {
      await writeFile(probe, '', { flag: 'wx' });
      return (await lstat(probe)).mtimeMs;
    } catch {
      return 0;
    } finally {
      await rm(probe, { force: true });
    }
  };

  return {
    now,
    write: (...given) => withReason(() => write(...given)),
    saveCopy: (...given) => withReason(() => saveCopy(...given)),
    remove: (...given) => withReason(() => remove(...given)),
  };
}
