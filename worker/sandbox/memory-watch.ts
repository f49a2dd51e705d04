import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/*
 * Ends a process that exceeds its memory limit. The check runs in the parent, because the process can be busy with a
 * file and has no threads, and because code that takes over the process could stop a check inside it. Memory outside
 * the JavaScript heap counts as well.
 */

const WATCH_INTERVAL_MS = 50;
/** The interval on systems where each check starts a process (`ps`). */
const PS_INTERVAL_MS = 250;

const run = promisify(execFile);

/** The memory of a process, in bytes, or null if it has ended. Linux only. */
export function rssFromProc(pid: number): number | null {
  try {
    // Synchronous: the kernel answers within microseconds, but a thread of the pool can be busy for a long time.
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kibibytes === undefined ? null : Number(kibibytes) * 1024;
  } catch {
    return null;
  }
}

/** The memory of a process, in bytes, or null if it has ended. */
export async function rssFromPs(pid: number): Promise<number | null> {
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim() === '' ? null : Number(stdout) * 1024;
}

/** Checks the memory of a process until it ends, and kills it if it uses more than this. */
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
  const timer = setInterval(look, platform === 'linux' ? WATCH_INTERVAL_MS : PS_INTERVAL_MS);
  child.once('exit', () => clearInterval(timer));
}
