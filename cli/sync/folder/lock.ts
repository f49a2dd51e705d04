import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '../../../shared/resources/process-identity.ts';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { STATE_FOLDER } from './state.ts';

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
