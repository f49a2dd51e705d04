import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { oneLine } from '../../terminal/columns.ts';
import { CommandError } from '../../terminal/command-error.ts';
import { STATE_FOLDER } from './state.ts';

/** Who holds a folder. */
interface Holder {
  host: string;
  pid: number;
  /** When the process began, as the system tells it: a pid alone may be another's by now. Null where it does not. */
  start: string | null;
  /** Tells two holders apart that are alike in all else. */
  id: string;
}

/** The boot and the start of a process (Linux), or null. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold anything: state, then 18 more, then the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${fields[19]}`;
  } catch {
    return null;
  }
}

function readHolder(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

/** Whether a holder has ended for certain. One on another computer, which shares the folder, cannot be seen. */
function hasEnded({ host, pid, start }: Holder): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Else it is someone else's, and lives.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = startOf(pid);
  return start !== null && now !== null && now !== start;
}

/** Removes the lock of a holder who has ended, and not that of one who did the same a moment before. */
function removeLock(file: string, holder: Holder, mark: string): void {
  const moved = `${file}.${mark}`;
  try {
    renameSync(file, moved);
    if (readHolder(moved)?.id === holder.id) rmSync(moved, { force: true });
    else renameSync(moved, file);
  } catch {
    // Gone already; or what stands there now is told as what it is.
  }
}

/**
 * Takes a folder for this process alone, until it ends or gives it back.
 * @returns gives it back
 * @throws CommandError where another process has it
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
      `another sync of this folder is under way${who}; if no sync is running, remove ${oneLine(file)}`,
    );
  }
  const release = () => {
    process.off('exit', release);
    if (readHolder(file)?.id === own.id) rmSync(file, { force: true });
  };
  process.on('exit', release);
  return release;
}
