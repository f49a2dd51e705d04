import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '../../cli/client/run-command.ts';
import { stageCapture } from '../support/captures.ts';
import { type ChildProcess, spawn } from '../support/needs/command.ts';
import { openPlaces } from './between.ts';
import { assertRefused } from './cli.ts';
import { type CliOwner, openCli } from './cli-person.ts';
import { captureStates, editor, keptText, program } from './consolidation.ts';

const { base, owner } = await openCli();
const between = openPlaces();

const MAIN = join(import.meta.dirname, '..', '..', 'cli', 'main.ts');
const RELEASED = { staged: 1, claimed: 0, completed: 0 };
const RELEASE = '/v1/memory/consolidation/release';

/** Starts the command in a process group of its own, as a shell at a terminal does. */
function start({ person: { home } }: CliOwner, args: readonly string[], env = {}): ChildProcess {
  return spawn(process.execPath, [MAIN, 'consolidate', ...args], {
    cwd: home,
    env: { HOME: home, PATH: process.env['PATH'], ...env },
    detached: true,
  });
}

/** Waits until a program writes this on standard error. */
function written({ stderr }: ChildProcess, word: string): Promise<void> {
  let shown = '';
  return new Promise((resolve) => {
    stderr?.on('data', (part: Buffer) => {
      shown += part.toString();
      if (shown.includes(word)) resolve();
    });
  });
}

const closed = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));

/** Sends a signal to the whole group, as a terminal does. */
const signal = ({ pid }: ChildProcess, name: NodeJS.Signals) => process.kill(-Number(pid), name);

/** What a program does last: it says that it has started, and waits for a signal. */
const WAIT = `process.stderr.write('started'); await new Promise(() => setInterval(() => {}, 1000));`;

/** An Owner with a staged capture, and the command, whose program runs this body and then waits. */
async function started(
  body: string,
): Promise<{ cli: CliOwner; child: ChildProcess; ended: Promise<number | null> }> {
  const cli = await owner();
  await stageCapture(cli.company);
  const child = start(cli, ['--with', await program(cli.person, `${body}\n${WAIT}`)]);
  const ended = closed(child);
  await written(child, 'started');
  return { cli, child, ended };
}

describe('cli consolidate when a signal arrives', () => {
  const VALID = `const [{ id }] = JSON.parse(input.slice(input.indexOf('Captures:') + 9));
    process.on('SIGINT', () => {
      console.log(JSON.stringify([{ captureIds: [id], action: 'publish', title: 't', content: 'c' }]));
      process.exit(0);
    });`;

  test('releases the batch on Ctrl-C although the program then prints valid items', async () => {
    const { cli, child, ended } = await started(VALID);
    signal(child, 'SIGINT');
    assert.equal(await ended, 130);
    assert.deepEqual(await captureStates(cli.company), RELEASED);
  });

  test('kills a program that ignores Ctrl-C when it is pressed again', async () => {
    const body = `process.on('SIGINT', () => process.stderr.write('ignored'));`;
    const { cli, child, ended } = await started(body);
    const ignored = written(child, 'ignored');
    signal(child, 'SIGINT');
    await ignored;
    signal(child, 'SIGINT');
    assert.equal(await ended, 130);
    assert.deepEqual(await captureStates(cli.company), RELEASED);
  });

  for (const name of ['SIGTERM', 'SIGHUP'] as const) {
    test(`releases the batch on ${name}`, async () => {
      const { cli, child, ended } = await started('');
      process.kill(Number(child.pid), name);
      assert.equal(await ended, 130);
      assert.deepEqual(await captureStates(cli.company), RELEASED);
    });
  }

  test('releases the batch if Ctrl-C is pressed while it is claimed', async () => {
    const children: ChildProcess[] = [];
    const { url } = await between(base, ({ path }) => {
      if (path.endsWith('/claim')) for (const child of children) signal(child, 'SIGINT');
      return 'passes';
    });
    const cli = await owner(url);
    await stageCapture(cli.company);
    const command = await program(cli.person, `(await import('node:fs')).writeFileSync('ran', '');`);
    const child = start(cli, ['--with', command]);
    children.push(child);
    assert.equal(await closed(child), 130);
    assert.deepEqual(await captureStates(cli.company), RELEASED);
    await assert.rejects(access(join(cli.person.home, 'ran')));
  });
});

describe('cli consolidate in an editor', () => {
  test('leaves Ctrl-C to the editor', async () => {
    const cli = await owner();
    await stageCapture(cli.company);
    const env = await editor(
      cli.person,
      `process.on('SIGINT', () => {
        writeFileSync(path, text.replace('title: ', 'title: Checked'));
        process.exit(0);
      });
      ${WAIT}`,
    );
    const child = start(cli, [], env);
    const ended = closed(child);
    await written(child, 'started');
    signal(child, 'SIGINT');
    assert.equal(await ended, 0);
    assert.deepEqual(await captureStates(cli.company), { staged: 0, claimed: 0, completed: 1 });
  });

  test('keeps what was written, and releases the batch on SIGTERM', async () => {
    const cli = await owner();
    await stageCapture(cli.company);
    const env = await editor(cli.person, `writeFileSync(path, 'Half a sentence'); ${WAIT}`);
    // With exec, the editor replaces the shell that starts it, and receives what the client passes on.
    const child = start(cli, [], { EDITOR: `exec ${env.EDITOR}` });
    const ended = closed(child);
    let shown = '';
    child.stderr?.on('data', (part: Buffer) => {
      shown += part.toString();
    });
    await written(child, 'started');
    process.kill(Number(child.pid), 'SIGTERM');
    assert.equal(await ended, 130);
    assert.match(await keptText(shown), /^Half a sentence$/);
    assert.deepEqual(await captureStates(cli.company), RELEASED);
  });
});

describe('cli consolidate --with', () => {
  test('says until when the captures are claimed if they cannot be released', async () => {
    const { url } = await between(base, ({ path }) => (path === RELEASE ? 'is lost' : 'passes'));
    const cli = await owner(url);
    await stageCapture(cli.company);
    const ended = await cli.person.run(['consolidate', '--with', 'exit 4']);
    assertRefused(
      ended,
      /\(exit code 4\).*; the captures could not be released: they are claimed until 2\d{3}-/,
    );
  });

  // If only the shell were ended, the program would keep the output open for ten minutes.
  test('ends everything that the command has started when it takes too long', {
    timeout: 60_000,
  }, async () => {
    await assert.rejects(runCommand('sleep 600; true', '', 'the test', 100), /it took longer than 0\.1 s/);
  });
});
