import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { STATE_FOLDER } from './folder/state.ts';

/** A look at both sides at least so often: of changes there nothing tells, and of those here not every file system. */
const LOOK_EVERY_MS = 15_000;
/** So long nothing must happen: a program that saves a file, or a person who copies many, takes a while. */
const QUIET_MS = 300;
/** A file that is written to without end must not keep the others waiting. */
const LONGEST_QUIET_MS = 5000;

/** Tells when it is time to look at a folder again. */
export interface Hints {
  /** Waits for a change here that has settled, or for the next regular look. */
  next(): Promise<void>;
  close(): void;
}

/** Watches a folder from now on. Where that is not possible, the regular looks do alone. */
export function watchFolder(folder: string): Hints {
  let hinted = false;
  let wake = () => {};
  const hint = (_event: string, name: string | Buffer | null) => {
    const first = String(name ?? '').split(/[/\\]/, 1)[0];
    if (first === STATE_FOLDER) return;
    hinted = true;
    wake();
  };
  let watcher: FSWatcher | null = null;
  try {
    watcher = watch(folder, { recursive: true }, hint);
    watcher.on('error', () => {});
  } catch {
    // Too many folders for the system to watch, say.
  }
  const nextHint = async () => {
    const looked = new AbortController();
    const hintOf = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const turn = pause(LOOK_EVERY_MS, undefined, { signal: looked.signal }).catch(() => {});
    await Promise.race([hintOf, turn]);
    looked.abort();
  };
  return {
    next: async () => {
      if (!hinted) await nextHint();
      const end = performance.now() + LONGEST_QUIET_MS;
      while (hinted && performance.now() < end) {
        hinted = false;
        await pause(QUIET_MS);
      }
      hinted = false;
    },
    close: () => watcher?.close(),
  };
}
