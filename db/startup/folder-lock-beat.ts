import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** The heartbeat thread of `lockFolder`: changes the lock file at each beat. Ends if another process owns the file. */
const { file, owner, holder, everyMs } = workerData as {
  file: string;
  owner: string;
  holder: string;
  everyMs: number;
};
let count = 0;

const timer = setInterval(() => {
  try {
    if (!readFileSync(file, 'utf8').startsWith(owner)) {
      clearInterval(timer);
      return;
    }
  } catch {
    // The file was deleted by hand. The folder is still locked by this process, so the file is written again.
  }
  count += 1;
  try {
    // Written under another name and renamed, so that no reader sees a part of the file, even if this process ends.
    writeFileSync(`${file}.${owner}`, `${owner} ${count} ${holder}\n`);
    renameSync(`${file}.${owner}`, file);
  } catch {
    // A disk that is full for a moment costs a beat, but not the lock: other processes also check if the holder is
    // alive.
  }
}, everyMs);
