import { lockFolder } from '../../../db/startup/folder-lock.ts';

/** A process that locks the folder of its first argument, says so, and holds it; told to, it blocks its main thread. */
try {
  await lockFolder(process.argv[2] ?? '');
  process.on('disconnect', () => process.exit(0));
  process.on('message', () => {
    // Blocks this thread as a long computation would, once the word has gone out; not for ever, if the test dies.
    process.send?.('blocked', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000));
  });
  process.send?.('locked');
} catch (error) {
  process.send?.(error instanceof Error ? error.name : 'failed');
  process.disconnect();
}
