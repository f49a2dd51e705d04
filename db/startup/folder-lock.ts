import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { identifyProcess } from '../../shared/resources/process.ts';

/** How often the process with the lock changes the lock file. */
const BEAT_MS = 1000;
/** How long a lock file must stay unchanged before its process counts as ended. */
const STALE_MS = 6000;

export interface FolderLock {
  /** Releases the lock. A second call has no effect. */
  release(): Promise<void>;
}

/** Another running process has locked the folder. */
export class FolderLockedError extends Error {
  constructor(folder: string) {
    super(
      `${folder} is in use by another process: an embedded database serves one process only. Stop the other one, or set MEMORY_DATA_DIR to another folder`,
    );
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
 * Waits until the lock is free or is known to be abandoned. A lock is in use if the content of its file changes while
 * this process watches it. A pid alone is no proof, because every main process of a container has pid 1. A time in the
 * file is no proof either, because two clocks can differ.
 * @returns whether there is a lock file that was abandoned
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
  // The process exists but does not change the file, for example because it is suspended. It would continue later.
  if (first !== null && holderOf(first) === 'alive') throw new FolderLockedError(folder);
  return first !== null;
}

/** The identity of the process of a pid in the form of the lock file, or null if it is not known. */
function processMark(pid: number): string | null {
  const identity = identifyProcess(pid);
  return identity && `${identity.boot} ${identity.namespace} ${identity.start}`;
}

/**
 * Whether the process that wrote a lock file is running. `unknown` if it was in another container or before a restart
 * of the system, or if the system is not Linux.
 */
function holderOf(content: string): 'alive' | 'dead' | 'unknown' {
  const [, pid, mark] = / pid (\d+) (.+)\n$/.exec(content) ?? [];
  const own = processMark(process.pid);
  const systemOf = (of: string) => of.slice(0, of.lastIndexOf(' '));
  if (mark === undefined || own === null || systemOf(mark) !== systemOf(own)) return 'unknown';
  return processMark(Number(pid)) === mark ? 'alive' : 'dead';
}

/** Whether a process that runs on this machine has locked the folder. */
export function isInUse(folder: string): boolean {
  const content = read(join(folder, 'lock'));
  return content !== null && holderOf(content) === 'alive';
}

/**
 * Locks a folder against every other process, with a file that this process changes each second. The heartbeat runs in
 * its own thread: if it stopped while the main thread is blocked, a second process could lock the folder.
 * @throws FolderLockedError if another process has locked the folder
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
  // If two processes find an abandoned lock at the same time, both write the file. The last writer has the lock, and
  // the other one fails here.
  await sleep(BEAT_MS / 4);
  if (read(file)?.startsWith(owner) !== true) throw new FolderLockedError(folder);

  const beat = new Worker(new URL('./folder-lock-beat.ts', import.meta.url), {
    workerData: { file, owner, holder, everyMs: BEAT_MS },
    stdout: false,
  });
  beat.unref();
  // The thread ends by itself only if another process owns the lock, or by a fault. Then this process must end: two
  // processes would damage the database.
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
