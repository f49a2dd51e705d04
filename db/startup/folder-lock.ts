import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** How often the holder changes the lock file. */
const BEAT_MS = 1000;
/** How long an unchanged lock file must be watched before its holder counts as gone. */
const STALE_MS = 6000;

export interface FolderLock {
  /** Gives the folder back. Releasing twice is fine. */
  release(): Promise<void>;
}

/** The folder belongs to another living process. */
export class FolderLockedError extends Error {
  constructor(folder: string) {
    super(`${folder} is in use by another process: an embedded database serves one process only`);
    this.name = 'FolderLockedError';
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/**
 * Waits until the lock is free or shown to be abandoned. What counts is that the content changes while we
 * watch: a pid says nothing in containers, where every main process has pid 1, and two clocks may differ.
 * @returns whether there was a lock, now abandoned
 */
async function waitUntilFree(folder: string, file: string): Promise<boolean> {
  const first = read(file);
  if (first !== null && holderOf(first) === 'dead') return true;
  for (let waited = 0; first !== null && waited < STALE_MS; waited += BEAT_MS / 4) {
    await sleep(BEAT_MS / 4);
    const now = read(file);
    if (now === null) return false;
    if (now !== first) throw new FolderLockedError(folder);
  }
  // Suspended, it would go on where it was.
  if (first !== null && holderOf(first) === 'alive') throw new FolderLockedError(folder);
  return first !== null;
}

/**
 * Which process this pid is, where the system tells (Linux): a pid alone may be another's by now, in another
 * container or after a restart, but not with the same start, namespace and boot.
 */
function processMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which may hold anything: state, then 18 more, then the start.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${rest[18]}`;
  } catch {
    return null;
  }
}

/** What the system knows of the holder of a lock. Unknown: another container or boot, or a system without marks. */
function holderOf(content: string): 'alive' | 'dead' | 'unknown' {
  const [, pid, mark] = / pid (\d+) (.+)\n$/.exec(content) ?? [];
  const own = processMark(process.pid);
  const place = (of: string) => of.slice(0, of.lastIndexOf(' '));
  if (mark === undefined || own === null || place(mark) !== place(own)) return 'unknown';
  return processMark(Number(pid)) === mark ? 'alive' : 'dead';
}

/**
 * Locks a folder against every other process, by a file whose holder changes it each second. The beat runs in
 * a thread of its own: a beat that stalled with the main thread would let a second process in.
 * @throws FolderLockedError when another process holds it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, 'lock');
  const owner = randomUUID();
  const abandoned = await waitUntilFree(folder, file);
  const holder = `pid ${process.pid} ${processMark(process.pid) ?? ''}`;
  try {
    writeFileSync(file, `${owner} 0 ${holder}\n`, { flag: abandoned ? 'w' : 'wx' });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') throw new FolderLockedError(folder);
    throw error;
  }
  // Two that found the lock abandoned at once both wrote it: the last writer stays, the other sees it here.
  await sleep(BEAT_MS / 4);
  if (read(file)?.startsWith(owner) !== true) throw new FolderLockedError(folder);

  const beat = new Worker(new URL('./folder-lock-beat.ts', import.meta.url), {
    workerData: { file, owner, holder, everyMs: BEAT_MS },
    stdout: false,
  });
  beat.unref();
  // The thread ends only when the lock has become another's, or by a fault: to go on would be to risk the folder.
  let released = false;
  beat.on('error', () => {});
  beat.on('exit', () => {
    if (released) return;
    process.stderr.write(`${new FolderLockedError(folder).message}\n`);
    process.exit(1);
  });
  return {
    release: async () => {
      if (released) return;
      released = true;
      await beat.terminate();
      if (read(file)?.startsWith(owner) === true) rmSync(file, { force: true });
      rmSync(`${file}.${owner}`, { force: true });
    },
  };
}
