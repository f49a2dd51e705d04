import { createHash, randomUUID } from 'node:crypto';
import { type BigIntStats, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
import { hostname } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { identifyProcess } from '../../shared/resources/process.ts';
import type { FileStamp } from '../import/records.ts';
import { oneLine } from '../terminal/columns.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type BaseFile, STATE_FOLDER } from './state.ts';

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

/**
 * If a file is changed twice within the time resolution of its file system and keeps its size, the second change
 * cannot be detected. The resolution of FAT is two seconds. Files that were changed less than this before a pass are read
 * again in the next pass.
 */
const TIME_RESOLUTION_MS = 2000;

/**
 * Returns the stamp that stands for a content that was read, or null if the file must be read again.
 * @param stamp of the file before it was read
 * @param bytes of the content
 * @param now the time of the file system when the pass began. The clock of a file server can differ from that of this
 *   computer
 */
export function stampOfContent(stamp: FileStamp, bytes: number, now: number): FileStamp | null {
  const isSettled = Math.max(stamp.modified, stamp.changed) < now - TIME_RESOLUTION_MS;
  return isSettled && stamp.bytes === bytes ? stamp : null;
}

/** Whether a file has the stamp that was stored with its content. */
export function hasStamp(base: BaseFile, { bytes, modified, changed, inode }: FileStamp): boolean {
  return (
    base.bytes === bytes && base.modified === modified && base.changed === changed && base.inode === inode
  );
}

/** The process that has locked a folder. */
interface Holder {
  host: string;
  pid: number;
  /** When the process started: the system reuses process ids. Null if the system does not provide it. */
  start: string | null;
  /** Distinguishes two holders whose other fields are equal. */
  id: string;
}

/** The boot id and the start time of a process (Linux only), or null. */
function startOf(pid: number): string | null {
  const identity = identifyProcess(pid);
  return identity && `${identity.boot} ${identity.start}`;
}

function readHolder(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** Whether a holder has certainly ended. For a process on another computer that shares the folder, this is unknown. */
function hasEnded({ host, pid, start }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error: the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = startOf(pid);
  return start !== null && now !== null && now !== start;
}

/** Removes the lock of a holder that has ended, unless another process has replaced that lock in the meantime. */
function removeLock(file: string, holder: Holder, mark: string): void {
  const moved = `${file}.${mark}`;
  try {
    renameSync(file, moved);
    if (readHolder(moved)?.id === holder.id) rmSync(moved, { force: true });
    else renameSync(moved, file);
  } catch {
    // The lock was removed or replaced by another process. Creating the new lock shows which.
  }
}

/**
 * Locks a folder for this process, until the lock is released or the process ends.
 * @returns releases the lock
 * @throws CommandError if another process has locked the folder
 */
export function lockForSync(folder: string): () => void {
  const file = join(folder, STATE_FOLDER, 'lock');
  const own: Holder = { host: hostname(), pid: process.pid, start: startOf(process.pid), id: randomUUID() };
  const holder = readHolder(file);
  if (holder !== null && hasEnded(holder)) removeLock(file, holder, own.id);
  try {
    writeFileSync(file, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new CommandError(`${oneLine(file)} cannot be written (${(error as NodeJS.ErrnoException).code})`);
    const who = holder === null ? '' : ` (process ${holder.pid} on ${oneLine(holder.host)})`;
    throw new CommandError(
      `another sync of this folder is running${who}; if no sync is running, remove ${oneLine(file)}`,
    );
  }
  const release = () => {
    process.off('exit', release);
    if (readHolder(file)?.id === own.id) rmSync(file, { force: true });
  };
  process.on('exit', release);
  return release;
}
