import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runModule } from './run-module.ts';

const LIFECYCLE = new URL('../../shared/lifecycle.ts', import.meta.url).href;

/** Runs a process that sends itself these signals, and stops as this expression says. */
function stopBy(stop: string, ...signals: readonly string[]) {
  return runModule(`
    import { setTimeout as sleep } from 'node:timers/promises';
    import { closeOnSignal } from ${JSON.stringify(LIFECYCLE)};
    closeOnSignal(${stop}, (error) => console.log(error.message));
    setInterval(() => {}, 1000);
    for (const signal of ${JSON.stringify(signals)}) {
      process.kill(process.pid, signal);
      await sleep(1100);
    }
  `);
}

describe('a process that is told to stop', () => {
  for (const [signal, close, status, printed] of [
    ['SIGTERM', 'Promise.resolve()', 0, ''],
    ['SIGINT', `Promise.reject(new Error('the database is gone'))`, 1, 'the database is gone\n'],
  ] as const) {
    test(`exits with code ${status} after ${signal} if ${status === 0 ? 'everything' : 'something'} could ${status === 0 ? '' : 'not '}be closed`, () => {
      const ended = stopBy(`{ close: () => ${close} }`, signal);
      assert.deepEqual([ended.status, ended.stdout], [status, printed]);
    });
  }

  const logged = (waitMs: number) => `{
    announce: () => console.log('told'),
    waitMs: ${waitMs},
    close: async () => console.log('closed'),
  }`;
  const [NEVER, SOON] = [600_000, 50];

  for (const [title, waitMs, ...signals] of [
    ['announces its end after SIGTERM, and closes after the wait', SOON, 'SIGTERM'],
    ['does not wait after SIGINT', NEVER, 'SIGINT'],
    ['waits no longer after a second SIGTERM', NEVER, 'SIGTERM', 'SIGTERM'],
  ] as const) {
    test(title, () => {
      const { status, stdout } = stopBy(logged(waitMs), ...signals);
      assert.deepEqual([status, stdout], [0, 'told\nclosed\n']);
    });
  }

  test('still waits if its first SIGTERM arrives twice', () => {
    const twice = stopBy(
      `{
        announce: () => {
          process.kill(process.pid, 'SIGTERM');
          setTimeout(() => process.exit(7), 300);
        },
        waitMs: ${NEVER},
        close: async () => undefined,
      }`,
      'SIGTERM',
    );
    assert.equal(twice.status, 7);
  });
});
