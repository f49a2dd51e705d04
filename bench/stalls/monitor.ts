import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { readSetting } from './monitored.ts';

/**
 * Loaded by `node --import` into a process of the service: measures the longest step of its event loop. A connection to
 * the port gets the figures since the connection before, and ends.
 */
export interface Steps {
  /** The longest time between two turns of the event loop, in ms. */
  longestMs: number;
  /** The longest processor time of the thread between two turns: what is left on a machine that others use, too. */
  longestCpuMs: number;
}

const RESOLUTION_MS = 1;

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const port = readSetting();
// Threads and child processes of the service load this file, too.
if (isMainThread && port !== null) {
  let steps: Steps = { longestMs: 0, longestCpuMs: 0 };
  let [at, cpu] = [performance.now(), cpuMs()];
  const step = () => {
    const [nextAt, nextCpu] = [performance.now(), cpuMs()];
    steps.longestMs = Math.max(steps.longestMs, nextAt - at - RESOLUTION_MS);
    steps.longestCpuMs = Math.max(steps.longestCpuMs, nextCpu - cpu);
    [at, cpu] = [nextAt, nextCpu];
  };
  setInterval(step, RESOLUTION_MS).unref();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(JSON.stringify(steps));
    steps = { longestMs: 0, longestCpuMs: 0 };
  });
  server.listen(port, '127.0.0.1').unref();
}
