import { readFileSync, readlinkSync } from 'node:fs';

/** What distinguishes a process from all others that have or had its pid. */
export interface ProcessIdentity {
  /** Changes when the system restarts. */
  boot: string;
  /** The pid namespace. Containers count their processes separately: every main process of a container has pid 1. */
  namespace: string;
  /** When the process started, in clock ticks since the boot. */
  start: string;
}

/** Identifies a process of this pid namespace. Returns null if no such process is running, or not on Linux. */
export function identifyProcess(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses can contain anything. After it come the state, 18 more fields, and the start time.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const start = rest[18];
    // Z and X: the process has ended.
    if (state === 'Z' || state === 'X' || start === undefined) return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { boot, namespace: readlinkSync('/proc/self/ns/pid'), start };
  } catch {
    return null;
  }
}
