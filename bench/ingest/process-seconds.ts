import { readFileSync } from 'node:fs';

/** Clock ticks of a second in /proc, on every Linux that Node runs on. */
const TICKS = 100;

/** The CPU seconds that a process of this machine has used, in its own code and in the kernel. Linux only. */
export function processSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, can contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
