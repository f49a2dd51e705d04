import { parentPort, workerData } from 'node:worker_threads';

/*
 * Ends the process that runs the model where it grows past its bound, or where its parent is gone. A thread, because
 * the process itself may be busy with one text; a signal, because nothing less ends it then.
 */

const LOOK_EVERY_MS = 50;

const { maxRssBytes, parent } = workerData as { maxRssBytes: number; parent: number };

setInterval(() => {
  const orphaned = process.ppid !== parent;
  if (orphaned || process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, 'SIGKILL');
}, LOOK_EVERY_MS);
parentPort?.postMessage('watching');
