import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { spawnSync } from '../support/needs/command.ts';

const LIFECYCLE = new URL('../../shared/lifecycle.ts', import.meta.url).href;

/** Runs a process that sends itself these signals, and stops as this expression says. */
function stopBy(stop: string, ...signals: readonly string[]) {
  const script = `
    import { setTimeout as sleep } from 'node:timers/promises';
    import { closeOnSignal } from ${JSON.stringify(LIFECYCLE)};
    closeOnSignal(${stop}, (error) => console.log(error.message));
    setInterval(() => {}, 1000);
    for (const signal of ${JSON.stringify(signals)}) {
      process.kill(process.pid, signal);
      await sleep(1100);
    }
  `;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
    timeout: 10_000,
  });
}

describe('a process that is told to stop', () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    test(`exits with code 0 after ${signal} if everything was closed`, () => {
      const { status, stdout } = stopBy('{ close: () => Promise.resolve() }', signal);
      assert.deepEqual([status, stdout], [0, '']);
    });

    test(`reports the error and exits with code 1 after ${signal} if something could not be closed`, () => {
      const close = `() => Promise.reject(new Error('the database is gone'))`;
      const { status, stdout } = stopBy(`{ close: ${close} }`, signal);
      assert.deepEqual([status, stdout], [1, 'the database is gone\n']);
    });
  }

  const logged = (waitMs: number) => `{
    announce: () => console.log('told'),
    waitMs: ${waitMs},
    close: async () => console.log('closed'),
  }`;
  const [NEVER, SOON] = [600_000, 50];

  test('announces its end after SIGTERM, and closes after the wait', () => {
    const { status, stdout } = stopBy(logged(SOON), 'SIGTERM');
    assert.deepEqual([status, stdout], [0, 'told\nclosed\n']);
  });

  test('does not wait after SIGINT', () => {
    const { status, stdout } = stopBy(logged(NEVER), 'SIGINT');
    assert.deepEqual([status, stdout], [0, 'told\nclosed\n']);
  });

  test('waits no longer after a second SIGTERM, unless it is the first one that arrived twice', () => {
    const { status, stdout } = stopBy(logged(NEVER), 'SIGTERM', 'SIGTERM');
    assert.deepEqual([status, stdout], [0, 'told\nclosed\n']);
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
    assert.equal(twice.status, 7, 'still waits');
  });
});
