import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runModule } from './run-module.ts';

const LOGGER = new URL('../../shared/logger.ts', import.meta.url).href;

/** Runs statements in a process with a logger of a level, and returns the messages that it logged. */
function logged(level: string, statements: string): string[] {
  const script = `
    import { createLogger, forwardLevelSwitch, switchLevelOnSignal } from ${JSON.stringify(LOGGER)};
    const logger = createLogger(${JSON.stringify(level)}, 'test');
    // A handler of signals does not keep a process alive.
    const alive = setInterval(() => {}, 1000);
    const signal = async () => {
      const received = new Promise((done) => process.once('SIGUSR2', done));
      process.kill(process.pid, 'SIGUSR2');
      await received;
    };
    ${statements}
    clearInterval(alive);
  `;
  const { status, stdout, stderr } = runModule(script);
  assert.equal(status, 0, stderr);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { msg, logLevel } = JSON.parse(line) as { msg: string; logLevel?: string };
      return logLevel === undefined ? msg : `${msg}: ${logLevel}`;
    });
}

for (const level of ['silent', 'warn', 'debug']) {
  test(`SIGUSR2 switches the log level between ${level} and debug, and each switch is logged`, () => {
    const lines = logged(
      level,
      `switchLevelOnSignal(logger);
       logger.debug('always');
       await signal();
       logger.debug('between');
       await signal();
       logger.debug('always');`,
    );
    assert.deepEqual(
      lines.filter((line) => level !== 'debug' || line !== 'always'),
      ['the log level was switched: debug', 'between', `the log level was switched: ${level}`],
    );
  });
}

test('a process that only starts others switches their levels, even before they are ready', () => {
  const child = `
    import { createLogger, switchLevelOnSignal } from ${JSON.stringify(LOGGER)};
    const logger = createLogger('warn', 'child');
    switchLevelOnSignal(logger);
    process.once('message', () => setImmediate(() => process.exit(0)));
  `;
  const lines = logged(
    'warn',
    `const { spawn } = await import('node:child_process');
     const child = spawn(process.execPath, ['--input-type=module', '--eval', ${JSON.stringify(child)}], {
       stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
     });
     forwardLevelSwitch([child]);
     await signal();
     await new Promise((done) => child.once('exit', done));`,
  );
  assert.deepEqual(lines, ['the log level was switched: debug']);
});
