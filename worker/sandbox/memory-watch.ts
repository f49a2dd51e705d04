import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/*
 * Ends a process that grows past its bound. From outside: the process may be busy with one file and has no threads,
 * and whatever takes it over could stop a guard within. Memory outside of the JavaScript heap counts as well.
 */

const LOOK_EVERY_MS = 50;
/** Where a look starts a process. */
const PS_EVERY_MS = 250;

const run = promisify(execFile);

/** What a process holds in memory, in bytes, or null if it is gone. Linux only. */
export function rssFromProc(pid: number): number | null {
  try {
    // Synchronous: the kernel answers from memory within microseconds, while a thread for it may be long in coming.
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}

/** What a process holds in memory, in bytes, or null if it is gone. */
export async function rssFromPs(pid: number): Promise<number | null> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() === '' ? null : Number(stdout) * 1024;
}

/** Looks at a process's memory until it ends, and kills it when it holds more than this. */
export function watchMemory(child: ChildProcess, maxRssBytes: number, platform = process.platform): void {
  const { pid } = child;
  if (pid === undefined) return;
  const judge = (rssBytes: number | null) => {
    if (rssBytes !== null && rssBytes > maxRssBytes) child.kill('SIGKILL');
  };
  let looking = false;
  const look = () => {
    if (platform === 'linux') {
      judge(rssFromProc(pid));
      return;
    }
    if (looking) return;
    looking = true;
    void rssFromPs(pid).then((rssBytes) => {
      looking = false;
      judge(rssBytes);
    });
  };
  const timer = setInterval(look, platform === 'linux' ? LOOK_EVERY_MS : PS_EVERY_MS);
  child.once('exit', () => clearInterval(timer));
}
