import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { execFileSync } from './needs/command.ts';

interface ProcessRow {
  pid: number;
  parent: number;
  state: string;
}

/** The row of a process in /proc, or none if it has ended since the list was read. */
function rowOf(pid: string): ProcessRow[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the name of the program, in brackets. It can contain blanks and brackets.
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(pid), parent: Number(parent), state }];
  } catch {
    return [];
  }
}

/** Linux shows its processes in /proc, and a small Linux has no `ps`. */
const HAS_PROC = existsSync('/proc/self/stat');

function rows(): ProcessRow[] {
  if (HAS_PROC) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(rowOf);
  }
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, state = '']) => ({ pid: Number(pid), parent: Number(parent), state }));
}

/** The running processes of this machine. Zombies, which have ended, are left out. */
const processes = () => rows().filter(({ state }) => !state.startsWith('Z'));

/** The processes that a process started itself and that still run. */
export function childrenOf(parent: number): number[] {
  return processes()
    .filter((row) => row.parent === parent)
    .map(({ pid }) => pid);
}

/** Which of these processes still run. */
export function running(pids: readonly number[]): number[] {
  const all = new Set(processes().map(({ pid }) => pid));
  return pids.filter((pid) => all.has(pid));
}

/** The command line of a running process. */
export const commandOf = (pid: number): string =>
  HAS_PROC
    ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    : execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });

/** Sends a signal to processes. Those that have ended are left out. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended before.
    }
  }
}

/** Waits until a condition holds. */
export async function until(signal: AbortSignal, holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20, undefined, { signal });
}
