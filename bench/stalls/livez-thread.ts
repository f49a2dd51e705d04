import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * A thread that asks for /livez again and again, at a connection of its own. A message gets the longest wait since the
 * message before, in ms.
 */
const PAUSE_MS = 2;
const url = workerData as string;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let longest = 0;
let askedAt: number | null = null;

function ask(): Promise<void> {
  return new Promise((resolve) => {
    get(`${url}/livez`, { agent }, (response) => {
      response.resume().on('close', resolve);
    }).on('error', () => resolve());
  });
}

parentPort?.on('message', () => {
  // A wait that lasts is counted, too.
  const waited = askedAt === null ? 0 : performance.now() - askedAt;
  parentPort?.postMessage(Math.max(longest, waited));
  longest = 0;
});

while (true) {
  askedAt = performance.now();
  await ask();
  longest = Math.max(longest, performance.now() - askedAt);
  askedAt = null;
  await sleep(PAUSE_MS);
}
