import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, matchesGlob, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { execFile } from '../support/needs/command.ts';
import { ROOT } from '../support/root.ts';
import { batchesOf } from '../support/runner/batches.ts';
import { needsOf, usesDatabase } from '../support/runner/needs.ts';
import {
  allTestFiles,
  EMBEDDED_ONLY,
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
  await writeFile(file, text.replaceAll('SUPPORT', relative(folder, join(ROOT, 'test', 'support'))));
  return file;
}

interface Ended {
  code: number;
  output: string;
}

/** Runs a command as someone does in a shell at the root of the repository, with an empty folder for temporary files. */
async function runShell(command: string): Promise<Ended & { temporary: string }> {
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
  it('include what other modules of the tests import', async () => {
    const file = await writeTestFile('declared', "import { openTestApp } from 'SUPPORT/app.ts';\n");
    assert.deepEqual([...needsOf(file)], ['database']);
  });

  it('do not include what is imported only as a type', async () => {
    const file = await writeTestFile('typed', "import type { TestApp } from 'SUPPORT/app.ts';\n");
    assert.equal(needsOf(file).size, 0);
  });

  for (const module of [
    'pg',
    'SUPPORT/../../db/driver/embedded.ts',
    'node:child_process',
    'playwright-core',
  ]) {
    const name = module.replace('SUPPORT/../../', '');
    it(`must be declared to use ${name}`, async () => {
      const file = await writeTestFile(
        `undeclared-${name.replaceAll('/', '-')}`,
        `await import('${module}');\n`,
      );
      assert.throws(() => needsOf(file), /uses \S+ without declaring it: import test\/support\/needs\/\S+/);
    });
  }
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
  const batches = batchesOf(allTestFiles());

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

  it('cannot change the environment', async () => {
    const changing = await writeTestFile('changing', "process.env['MEMORY_API_TOKEN'] = 'x';\n");
    const other = await writeTestFile(
      'other',
      "import { test } from 'node:test';\ntest('the other', () => {});\n",
    );
    const { code, output } = await npmTest(changing, other);
    assert.equal(code, 1);
    assert.match(output, /MEMORY_API_TOKEN cannot be set in a process that test files share/);
    assert.match(output, /✔ the other/);
  });
});

describe('the tiers', () => {
  it('run every test file on the embedded database in one tier', () => {
    const files = allTestFiles();
    const run = (['main', 'parts', 'browser', 'faults', 'cluster', 'clients'] as const).flatMap((tier) =>
      roundsOf(tier, files),
    );
    const embedded = run.filter(({ database }) => database === 'embedded').flatMap((round) => round.files);
    assert.deepEqual(embedded.sort(), files);
  });

  it('run every test file, except those of test/cluster, test/clients and slow ones, once on the embedded database in npm test', () => {
    const separate = ['test/cluster/**', 'test/clients/**'];
    const files = allTestFiles().filter((file) => !separate.some((glob) => matchesGlob(file, glob)));
    const embedded = roundsOf('all', files).filter(({ database }) => database === 'embedded');
    const isSlow = (file: string) => SLOW_ON_BOTH.some((glob) => matchesGlob(file, glob));
    assert.deepEqual(
      embedded.flatMap((round) => round.files).sort(),
      files.filter((file) => !isSlow(file)),
    );
    const [postgres] = roundsOf('all', files.filter(isSlow)).slice(-1);
    assert.deepEqual(postgres?.files, files.filter(isSlow));
  });

  it('run the slow ones on the embedded database too where there is no PostgreSQL', () => {
    const rounds = roundsOf('all', allTestFiles(), false);
    assert.ok(rounds.every(({ database }) => database === 'embedded'));
    const run = rounds.flatMap(({ files }) => files);
    for (const glob of SLOW_ON_BOTH)
      assert.ok(
        run.some((file) => matchesGlob(file, glob)),
        glob,
      );
  });

  it('run on PostgreSQL only what uses a database', () => {
    const postgres = roundsOf('all', allTestFiles()).at(-1);
    assert.ok(postgres !== undefined && postgres.files.length > 100);
    assert.ok(postgres.files.every((file) => usesDatabase(needsOf(file))));
  });

  for (const glob of [...SAME_ON_BOTH, ...EMBEDDED_ONLY, ...SLOW_ON_BOTH]) {
    it(`know a file that matches ${glob}`, () => {
      assert.ok(allTestFiles().some((file) => matchesGlob(file, glob) && usesDatabase(needsOf(file))));
    });
  }
});

describe('npm test', () => {
  it('prints for a failed test the command that runs only this test', async () => {
    const file = await writeTestFile(
      'failing',
      `import { describe, test } from 'node:test';
describe('a (suite) of $HOME', () => {
  test("fails: it's 1 + 1 = [3]?", () => { throw new Error('as it must'); });
  test('fails too', () => { throw new Error('as well'); });
  test('passes', () => {});
});
`,
    );
    const { output } = await npmTest(file);
    const commands = output.split('\n').flatMap((line) => line.split('Run it alone: ')[1] ?? []);
    assert.equal(commands.length, 2, output);
    const again = await runShell(commands[0] ?? '');
    assert.equal(again.code, 1);
    assert.match(again.output, /Error: as it must/);
    assert.match(again.output, /tests 1\n/);
  });

  it('prints a command that finds a test whose helper defines it', async () => {
    const helper = join(folder, 'helper.ts');
    await writeFile(
      helper,
      "import { test } from 'node:test';\nexport const define = (name: string) => test(name, () => { throw new Error('in the helper'); });\n",
    );
    const file = await writeTestFile('defined', "import { define } from './helper.ts';\ndefine('one');\n");
    const { output } = await npmTest(file);
    const [, command = ''] = /Run it alone: (.+)/.exec(output) ?? [];
    const again = await runShell(command);
    assert.equal(again.code, 1, command);
    assert.match(again.output, /Error: in the helper/);
  });

  it('fails for a name that no test has, and for a file that is no test file', async () => {
    const file = await writeTestFile(
      'named',
      "import { test } from 'node:test';\ntest('a name', () => {});\n",
    );
    const unknown = await npmTest(file, "--test-name-pattern='^another name$'");
    assert.equal(unknown.code, 1);
    assert.match(unknown.output, /no test has a name that matches/);
    assert.equal((await npmTest('test/support/app.ts')).code, 1);
  });

  it('names a file that cannot be loaded, also beside another one and with a name pattern', async () => {
    const file = await writeTestFile('broken', "throw new Error('not loadable');\n");
    const { output } = await npmTest(file);
    assert.match(output, /Run it alone: npm test -- \S+broken\.test\.ts\n/);
    const other = await writeTestFile(
      'sound',
      "import { test } from 'node:test';\ntest('sound', () => {});\n",
    );
    for (const pattern of [[], ["--test-name-pattern='sound'"]]) {
      const both = await npmTest(other, file, ...pattern);
      assert.equal(both.code, 1);
      assert.match(both.output, /Run it alone: npm test -- \S+broken\.test\.ts\n/);
    }
  });

  for (const [outcome, isKept] of [
    ['fails', true],
    ['passes', false],
  ] as const) {
    it(`${isKept ? 'keeps' : 'removes'} the folders and logs of processes if a test ${outcome}`, async () => {
      const file = await writeTestFile(
        `process-that-${outcome}`,
        `import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { endProcesses, startCommand, temporaryFolder } from 'SUPPORT/needs/process.ts';
after(endProcesses);
test('a process', async () => {
  await writeFile((await temporaryFolder()) + '/data', 'the data');
  await startCommand(process.execPath, ['-e', 'console.log("the log")']).exited;
  assert.equal('${outcome}', 'passes');
});
`,
      );
      const { output, temporary } = await npmTest(file);
      // npm leaves a cache of its own there.
      const all = await readdir(temporary, { recursive: true });
      const left = all.filter((path) => path.startsWith('team-memory-'));
      if (!isKept) {
        assert.deepEqual(left, []);
        return;
      }
      const read = (name: string) =>
        readFile(join(temporary, left.find((path) => path.endsWith(`/${name}`)) ?? name), 'utf8');
      assert.equal(await read('data'), 'the data');
      assert.match(await read('process-1.log'), /the log/);
      const [, printed = ''] = output.split('== kept\n');
      assert.equal(printed.trim().split('\n').length, 2, output);
    });
  }
});
