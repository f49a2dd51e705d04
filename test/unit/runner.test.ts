import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, matchesGlob, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { execFile } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';
import { batchesOf } from '../support/runner/batches.ts';
import { needsOf, usesDatabase } from '../support/runner/needs.ts';
import {
  allTestFiles,
  EMBEDDED_ONLY,
  LEFT_TO_REST,
  type Round,
  roundsOf,
  SAME_ON_BOTH,
  SLOW_ON_BOTH,
} from '../support/runner/tiers.ts';
import { nodesIn, parseModule } from '../support/syntax.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'team-memory-runner-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Writes a test file outside the suite. `SUPPORT` in it is replaced by the path of test/support. */
async function writeTestFile(name: string, text: string): Promise<string> {
  const file = join(folder, `${name}.test.ts`);
  const support = relative(folder, join(ROOT, 'test', 'support'));
  await writeFile(file, `import { test } from 'node:test';\n${text.replaceAll('SUPPORT', support)}\n`);
  return file;
}

/** Runs a command as someone does in a shell at the root of the repository, with an empty folder for temporary files. */
async function runShell(command: string) {
  const temporary = await mkdtemp(join(folder, 'temporary-'));
  const { NODE_TEST_CONTEXT: _ignored, ...env } = process.env;
  const options = { cwd: ROOT, env: { ...env, TMPDIR: temporary, NODE_COMPILE_CACHE: '' } };
  const ended = await promisify(execFile)('sh', ['-c', command], options).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string }) => ({ code: error.code, output: error.stdout }),
  );
  return { ...ended, temporary };
}

const npmTest = (...files: string[]) => runShell(`npm test -- ${files.join(' ')}`);

describe('the needs of a test file', () => {
  it('include what other modules of the tests import, except types', async () => {
    const needs = async (name: string, what: string) => [
      ...needsOf(await writeTestFile(name, `import ${what} from 'SUPPORT/app.ts';`)),
    ];
    assert.deepEqual(await needs('declared', '{ openTestApp }'), ['database']);
    assert.deepEqual(await needs('typed', 'type { TestApp }'), []);
  });

  it('must be declared to use a driver, a process or a browser', async () => {
    for (const name of [
      'pg',
      'SUPPORT/../../db/driver/embedded.ts',
      'node:child_process',
      'playwright-core',
    ]) {
      const file = await writeTestFile(`undeclared-${basename(name)}`, `await import('${name}');`);
      assert.throws(() => needsOf(file), /uses \S+ without declaring it: import test\/support\/needs\/\S+/);
    }
  });
});

/** The async suites of a test file, by their names. */
async function asyncSuites(file: string): Promise<string[]> {
  const { tree, text } = parseModule(await readFile(join(ROOT, file), 'utf8'));
  return [...nodesIn(tree)].flatMap((node) => {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return [];
    const isSuite = node.callee.name === 'describe';
    const isAsync = node.arguments.some((given) => 'async' in given && given.async === true);
    return isSuite && isAsync ? [`${file}: ${text.slice(node.start, node.start + 60)}`] : [];
  });
}

describe('the test files', () => {
  it('open nothing in a suite, because a pattern that leaves out its tests leaves out its hooks too', async () => {
    assert.deepEqual((await Promise.all(allTestFiles().map(asyncSuites))).flat(), []);
  });
});

describe('the test files that share a process', () => {
  const batches = batchesOf(allTestFiles(), 'embedded');

  it('are all test files, each once', () => {
    assert.deepEqual(batches.flat().sort(), allTestFiles());
  });

  it('do not start processes of the service', () => {
    const shared = batches.filter((batch) => batch.length > 1).flat();
    assert.deepEqual(
      shared.filter((file) => needsOf(file).has('process')),
      [],
    );
  });
});

describe('the tiers', () => {
  const files = allTestFiles();
  const filesOf = (rounds: readonly Round[]) => rounds.flatMap((round) => round.files).sort();
  const isSeparate = (file: string) => /^test\/(cluster|clients)\//.test(file);
  const isSlow = (file: string) => SLOW_ON_BOTH.some((glob) => matchesGlob(file, glob));

  it('run every test file on the embedded database in one tier', () => {
    const tiers = ['unit', 'api', 'db', 'programs', 'browser', 'faults', 'cluster', 'clients'] as const;
    const run = tiers.flatMap((tier) => roundsOf(tier, files));
    assert.deepEqual(filesOf(run.filter(({ database }) => database === 'embedded')), files);
  });

  it('run every test file except slow ones and separate tiers once on the embedded database in npm test and its rest', () => {
    const run = [...roundsOf('quick', files), ...roundsOf('rest', files)];
    const embedded = filesOf(run.filter(({ database }) => database === 'embedded'));
    assert.deepEqual(
      embedded,
      files.filter((file) => !isSlow(file) && !isSeparate(file)),
    );
    const postgres = filesOf(run.filter(({ database }) => database === 'postgres'));
    assert.deepEqual(postgres.filter(isSlow), files.filter(isSlow));
    assert.ok(postgres.length > 100);
    assert.ok(postgres.every((file) => usesDatabase(needsOf(file))));
  });

  it('run the slow ones on the embedded database too where there is no PostgreSQL', () => {
    const rounds = roundsOf('rest', files, false);
    assert.ok(rounds.every(({ database }) => database === 'embedded'));
    assert.deepEqual(filesOf(rounds).filter(isSlow), files.filter(isSlow));
  });

  it('name only patterns that a file matches', () => {
    const globs = [...SAME_ON_BOTH, ...EMBEDDED_ONLY, ...SLOW_ON_BOTH, ...LEFT_TO_REST];
    assert.deepEqual(
      globs.filter((glob) => !files.some((file) => matchesGlob(file, glob))),
      [],
    );
  });
});

describe('npm test', () => {
  it('prints for a failed test the command that runs only this test, also if a helper defines it', async () => {
    const helper =
      "import { test } from 'node:test';\nexport const define: typeof test = (...of) => test(...of);\n";
    await writeFile(join(folder, 'helper.ts'), helper);
    const file = await writeTestFile(
      'failing',
      `import { describe } from 'node:test';
import { define } from './helper.ts';
const fail = (text) => () => { throw new Error(text); };
describe('a (suite) of $HOME', () => {
  test("fails: it's 1 + 1 = [3]?", fail('as it must'));
  define('fails too', fail('in the helper'));
  test('passes', () => {});
});`,
    );
    const { output } = await npmTest(file);
    const commands = output.split('\n').flatMap((line) => line.split('Run it alone: ')[1] ?? []);
    assert.equal(commands.length, 2, output);
    for (const [index, error] of ['as it must', 'in the helper'].entries()) {
      const again = await runShell(commands[index] ?? '');
      assert.equal(again.code, 1);
      assert.match(again.output, /tests 1\n/);
      assert.ok(again.output.includes(`Error: ${error}`), again.output);
    }
  });

  it('fails for a name that no test has, and for a file that is no test file', async () => {
    const file = await writeTestFile('named', "test('a name', () => {});");
    const unknown = await npmTest(file, "--test-name-pattern='^another name$'");
    assert.equal(unknown.code, 1);
    assert.match(unknown.output, /no test has a name that matches/);
    assert.equal((await npmTest('test/support/app.ts')).code, 1);
  });

  it('names a file that cannot be loaded, also beside others, which cannot change the environment, and with a pattern', async () => {
    const broken = await writeTestFile('broken', "throw new Error('not loadable');");
    const changing = await writeTestFile('changing', "process.env['MEMORY_API_TOKEN'] = 'x';");
    const sound = await writeTestFile('sound', "test('sound', () => {});");
    for (const given of [
      [broken],
      [changing, sound, broken],
      [sound, broken, "--test-name-pattern='sound'"],
    ]) {
      const { code, output } = await npmTest(...given);
      assert.equal(code, 1);
      assert.match(output, /Run it alone: npm test -- \S+broken\.test\.ts\n/);
      assert.equal(/✔ sound/.test(output), given.includes(sound));
      const refused = /MEMORY_API_TOKEN cannot be set in a process that test files share/;
      assert.equal(refused.test(output), given.includes(changing));
    }
  });

  it('keeps the folders and logs of processes if a test fails, and removes them if it passes', async () => {
    const fileThat = (outcome: string) =>
      writeTestFile(
        `process-that-${outcome}`,
        `import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after } from 'node:test';
import { endProcesses, startCommand, temporaryFolder } from 'SUPPORT/needs/process.ts';
after(endProcesses);
test('a process', async () => {
  await writeFile((await temporaryFolder()) + '/data', 'the data');
  await startCommand(process.execPath, ['-e', 'console.log("the log")']).exited;
  assert.equal('${outcome}', 'passes');
});`,
      );
    const { output, temporary } = await npmTest(await fileThat('passes'), await fileThat('fails'));
    // npm leaves a cache of its own there.
    const left = (await readdir(temporary, { recursive: true })).filter((path) =>
      path.startsWith('team-memory-'),
    );
    assert.ok(!left.some((path) => path.includes('process-that-passes')), left.join('\n'));
    const read = (name: string) =>
      readFile(join(temporary, left.find((path) => path.endsWith(`/${name}`)) ?? name), 'utf8');
    assert.equal(await read('data'), 'the data');
    assert.match(await read('process-1.log'), /the log/);
    const [, printed = ''] = output.split('== kept\n');
    assert.equal(printed.trim().split('\n').length, 2, output);
  });
});
