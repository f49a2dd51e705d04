import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** The heartbeat of `lockFolder`: changes the lock file each beat, and ends when the file became another's. */
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
    // Someone removed the file by hand: the folder is still ours, so write it again.
  }
  count += 1;
  try {
    // Renamed, so that no reader, and no end of this process, meets half a file.
    writeFileSync(`${file}.${owner}`, `${owner} ${count} ${holder}\n`);
    renameSync(`${file}.${owner}`, file);
  } catch {
    // A full disk for a moment costs a beat, not the service. The folder stays ours where the holder is known.
  }
}, everyMs);
