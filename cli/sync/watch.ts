import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { STATE_FOLDER } from './folder/state.ts';

/** The interval of passes without a hint: the service sends no notifications, and some file systems do not either. */
const PASS_INTERVAL_MS = 15_000;
/** How long the folder must be quiet before a pass: saving a file or copying many files takes some time. */
const QUIET_MS = 300;
/** The longest wait for quiet: a file that is written continuously must not delay the others. */
const MAX_QUIET_WAIT_MS = 5000;

/** Decides when the next pass starts. */
export interface Hints {
  /** Waits until a change in the folder is complete, or until the next regular pass. */
  next(): Promise<void>;
  close(): void;
}

/** Starts watching a folder. If that is not possible, only the regular passes find changes. */
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
    // For example: more folders than the system can watch.
  }
  const nextHint = async () => {
    const looked = new AbortController();
    const hintOf = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const turn = pause(PASS_INTERVAL_MS, undefined, { signal: looked.signal }).catch(() => {});
    await Promise.race([hintOf, turn]);
    looked.abort();
  };
  return {
    next: async () => {
      if (!hinted) await nextHint();
      const end = performance.now() + MAX_QUIET_WAIT_MS;
      while (hinted && performance.now() < end) {
        hinted = false;
        await pause(QUIET_MS);
      }
      hinted = false;
    },
    close: () => watcher?.close(),
  };
}
