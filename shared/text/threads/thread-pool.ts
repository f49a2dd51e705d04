import { availableParallelism } from 'node:os';
import type { Transferable } from 'node:worker_threads';
import { Piscina } from 'piscina';

let pool: Piscina | null = null;

/** The threads that work on long texts. They end when idle, and do not keep the process alive. */
function threads(): Piscina {
  const most = Math.max(1, availableParallelism() - 1);
  pool ??= new Piscina({
    minThreads: 0,
    maxThreads: most,
    // One thread runs many tasks, which share it in turns, so that a long task does not delay the others.
    concurrentTasksPerWorker: 10_000,
    loadBalancer: (_task, workers) => {
      const [least] = [...workers].sort((a, b) => a.currentUsage - b.currentUsage);
      // null starts another thread.
      return least === undefined || (least.currentUsage > 0 && workers.length < most) ? null : least;
    },
    // Short, because an idle thread keeps the texts that it cut until V8 collects them. It starts in about 30 ms.
    idleTimeout: 2000,
    // Chunks are passed on immediately, so most objects die young. By default V8 collects them only from 32 MiB on.
    resourceLimits: { maxYoungGenerationSizeMb: 12 },
  });
  return pool;
}

/**
 * Runs the default function of a module in a thread. A step of it that takes long delays the other tasks of the thread.
 * @param module the file of the module
 * @param transferred what is moved to the thread and not copied
 */
export function runInThread<T>(
  module: URL,
  task: unknown,
  transferred: readonly Transferable[] = [],
): Promise<T> {
  return threads().run(task, { filename: module.href, transferList: [...transferred] }) as Promise<T>;
}
