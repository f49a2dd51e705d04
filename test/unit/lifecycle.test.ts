import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { spawnSync } from '../support/needs/command.ts';

const LIFECYCLE = new URL('../../shared/lifecycle.ts', import.meta.url).href;

/** Runs a process that sends itself this signal, and closes by the result of this expression. */
function closeBy(signal: string, closing: string) {
  const script = `
    import { closeOnSignal } from ${JSON.stringify(LIFECYCLE)};
    closeOnSignal(() => ${closing}, (error) => console.log(error.message));
    setInterval(() => {}, 1000);
    process.kill(process.pid, '${signal}');
  `;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
}

describe('a process that is told to stop', () => {
  for (const signal of ['SIGTERM', 'SIGINT']) {
    test(`exits with code 0 after ${signal} if everything was closed`, () => {
      const { status, stdout } = closeBy(signal, 'Promise.resolve()');
      assert.deepEqual([status, stdout], [0, '']);
    });

    test(`reports the error and exits with code 1 after ${signal} if something could not be closed`, () => {
      const { status, stdout } = closeBy(signal, `Promise.reject(new Error('the database is gone'))`);
      assert.deepEqual([status, stdout], [1, 'the database is gone\n']);
    });
  }
});
