import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../db/driver/database.ts';

/** The CPU time of a process so far, with all its threads, in ms; null if it has ended. Needs Linux. */
export function cpuMs(pid: number): number | null {
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

/**
 * The processes of PostgreSQL that serve this database; of the embedded database this process, whose thread it is. The one
 * that answers this is among them.
 */
export async function backendsOf(database: Database): Promise<number[]> {
  if (database.backend === 'pglite') return [process.pid];
  const rows = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Keeps a process with all its threads on one core, with `taskset`. */
export function pinToCore(pid: number, core: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]);
}

/** Memory of a process by the kernel's count, in MiB: now, the part that is no file, and the most it ever had. Linux only. */
export function memoryOf(pid: number): { rss: number; anonymous: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { rss: of('VmRSS'), anonymous: of('RssAnon'), peak: of('VmHWM') };
}
