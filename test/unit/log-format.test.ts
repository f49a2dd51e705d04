import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { spawn, spawnSync } from '../support/needs/command.ts';
import { NO_TERMINAL } from '../support/terminal.ts';
import { LIMIT_MS, nodeArguments, runModule } from './run-module.ts';

const LOGGER = new URL('../../shared/logger.ts', import.meta.url).href;

const moduleWith = (statements: string) => `
  import { createLogger } from ${JSON.stringify(LOGGER)};
  ${statements}`;

const nodeWith = (statements: string) => nodeArguments(moduleWith(statements));

/** A process that logs, as its child does, which has the same standard output. */
const PARENT_AND_CHILD = `
  const { spawn } = await import('node:child_process');
  createLogger('info', 'api', 'auto').info({ port: 1 }, 'of the parent');
  const child = spawn(process.execPath, ${JSON.stringify(nodeWith(`createLogger('info', 'worker', 'auto').warn('of the child');`))},
    { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await new Promise((done) => child.once('exit', done));`;

/** What a process prints that runs these statements. */
function printed(statements: string, expected = 0): string {
  const { status, stdout, stderr } = runModule(moduleWith(statements));
  assert.equal(status, expected, stderr);
  return stdout;
}

/** What a process prints on a terminal. */
function onTerminal(statements: string, env: Record<string, string> = {}): string {
  const command = [process.execPath, ...nodeWith(statements)]
    .map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    .join(' ');
  const { PATH = '' } = process.env;
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    timeout: LIMIT_MS,
    env: { PATH, SHELL: '/bin/sh', TERM: 'xterm', ...env },
  });
  assert.equal(status, 0, stdout);
  return stdout.replaceAll('\r', '');
}

describe('the format of log lines', () => {
  test('is JSON if standard output is no terminal, for the processes that are started too', () => {
    const lines = printed(PARENT_AND_CHILD).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
      ['of the parent', 'of the child'],
    );
  });

  test('is for people, with colours, on a terminal, for the processes that are started too', {
    skip: NO_TERMINAL,
  }, () => {
    const shown = onTerminal(PARENT_AND_CHILD);
    assert.match(shown, /INFO.* \(api\): .*of the parent.* .*port=1[^]*WARN.* \(worker\): .*of the child/);
    assert.ok(shown.includes('\u001b[') && !shown.includes('{'));
  });

  test('has no colours on a terminal if NO_COLOR is set, and is JSON if json is set', {
    skip: NO_TERMINAL,
  }, () => {
    const statements = `
      createLogger('info', 'memory', 'auto').info('for people');
      createLogger('info', 'memory', 'json').info('for programs');`;
    const shown = onTerminal(statements, { NO_COLOR: '1' });
    assert.match(shown, /^\[[\d :-]{19}\] INFO: for people\n\{.*"msg":"for programs".*\}\n$/);
  });

  for (const format of ['json', 'text']) {
    test(`${format}: loses no line of a process that fails`, () => {
      const statements = `
        const logger = createLogger('info', 'memory', '${format}');
        for (let n = 0; n < 2000; n += 1) logger.info('a line ' + 'x'.repeat(100));
        logger.fatal({ err: new Error('the last') }, 'it failed');`;
      for (const [end, code] of [
        ['process.exit(3);', 3],
        [`throw new Error('uncaught');`, 1],
      ] as const) {
        const lines = printed(statements + end, code);
        assert.equal(lines.match(/a line/g)?.length, 2000);
        assert.match(lines, /it failed/);
        assert.match(lines, /the last[^]*\n$/);
      }
    });

    test(`${format}: does not end a process whose output nobody reads any longer`, async () => {
      const child = spawn(
        process.execPath,
        nodeWith(`
          const logger = createLogger('info', 'memory', '${format}');
          logger.info('first');
          await new Promise((done) => process.stdin.once('data', done));
          for (let n = 0; n < 100; n += 1) {
            logger.info('a line');
            await new Promise(setImmediate);
          }
          process.exit(5);`),
        { timeout: LIMIT_MS },
      );
      await once(child.stdout, 'data');
      child.stdout.destroy();
      await once(child.stdout, 'close');
      child.stdin.write('go on\n');
      assert.deepEqual(await once(child, 'exit'), [5, null]);
    });

    test(`${format}: hides credentials`, () => {
      const lines = printed(`
        const logger = createLogger('info', 'memory', '${format}');
        const names = ['token', 'password', 'newPassword', 'currentPassword', 'authorization', 'cookie'];
        const hidden = Object.fromEntries(names.map((name) => [name, 'SECRET']));
        const headers = { authorization: 'SECRET', cookie: 'SECRET', 'set-cookie': 'SECRET' };
        logger.info({ ...hidden, headers, request: { ...hidden, headers } }, 'a line');`);
      assert.equal(lines.match(/\[redacted\]/g)?.length, 18);
      assert.ok(!lines.includes('SECRET'));
    });
  }
});
