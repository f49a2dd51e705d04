import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The CPU time of a process so far, with all its threads, in ms; null if it has ended. Needs Linux. */
function cpuMs(pid: number): number | null {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return null;
  let nanoseconds = 0;
  for (const task of readdirSync(tasks)) {
    const [running] = readFileSync(join(tasks, task, 'schedstat'), 'utf8').split(' ');
    nanoseconds += Number(running);
  }
  return nanoseconds / 1e6;
}

/**
 * Starts to measure processes together. The function that is returned tells how much CPU time they have used since, in
 * ms. An idle connection of the database can end in that time, and then counts as unused.
 */
export function startCpuTimer(pids: readonly number[]): () => number {
  const before = new Map(pids.map((pid) => [pid, cpuMs(pid)]));
  return () => {
    let used = 0;
    for (const [pid, since] of before) {
      const now = cpuMs(pid);
      if (now !== null && since !== null) used += now - since;
    }
    return used;
  };
}

/** Keeps a process with all its threads on one core, with `taskset`. */
export function pinToCore(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]);
}
