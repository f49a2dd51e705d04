import { setTimeout as sleep } from 'node:timers/promises';
import { execFileSync } from './needs/command.ts';

interface ProcessRow {
  pid: number;
  parent: number;
}

/** The running processes of this machine. Zombies, which have ended, are left out. */
function processes(): ProcessRow[] {
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

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
