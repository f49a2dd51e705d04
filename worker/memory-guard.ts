import { parentPort, workerData } from 'node:worker_threads';

/*
 * Ends the process that runs the model if it exceeds its memory limit or its parent has ended. This is a thread,
 * because the main thread can be busy with a text. It sends a signal, because nothing else ends a busy process.
 */

const CHECK_INTERVAL_MS = 50;

const { maxRssBytes, parent } = workerData as { maxRssBytes: number; parent: number };

setInterval(() => {
  const orphaned = process.ppid !== parent;
  if (orphaned || process.memoryUsage.rss() > maxRssBytes) process.kill(process.pid, 'SIGKILL');
}, CHECK_INTERVAL_MS);
parentPort?.postMessage('watching');
