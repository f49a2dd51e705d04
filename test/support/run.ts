import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { openEmbedded } from '../../db/driver/embedded.ts';
import { openQueue } from '../../db/queue/queue.ts';
import { createLogger } from '../../shared/logger.ts';
import { inBatches } from './batches.ts';
import { prepareDatabase } from './database.ts';
import { createEmptyDatabase } from './own-database.ts';

/**
 * `npm test`: the whole suite on the embedded database or, where MEMORY_TEST_DATABASE_URL names one, on both that and
 * a real PostgreSQL. Arguments choose files: `npm test -- test/api/*.test.ts`.
 *
 * Coverage is counted on the embedded database alone: to count takes a fifth of the time, and two rounds have none to
 * spare. They go faster with compiled code kept, which V8 cannot count exactly.
 */
const LINES_HELD = '95';

/** Files at once: one more than cores, because most tests wait for something now and then. */
const FILES_AT_ONCE = Math.max(2, availableParallelism() + 1);

/** What no database has a part in: of two rounds the last is enough. */
const ANY_DATABASE = [
  'test/unit/**',
  'test/worker/extract/**',
  'test/worker/model*.test.ts',
  'test/worker/fetch-*.test.ts',
  'test/worker/{large-model,pace,text-lanes}.test.ts',
  'test/worker/reading-*.test.ts',
  'test/cli/**',
  // That both rank alike has a test of its own.
  'test/api/retrieval.test.ts',
  'test/db/retrieval-fusion.test.ts',
  // Both walls have tests of their own on either; of the statements that these go through there is one text.
  'test/api/access-matrix.test.ts',
  'test/api/late-*.test.ts',
  // Headers, addresses and the document: what is asked of a database on the way has tests of its own on either.
  'test/api/{conventions,cross-origin,openapi,trusted-proxies,untrusted-proxy}.test.ts',
  'test/api/{body-budget,field-errors,hostile-bodies}.test.ts',
];
/**
 * What the embedded database alone has a part in, and the browser, whose pages ask nothing of a database: there no
 * worker of another file takes the jobs that a page is to show.
 */
const EMBEDDED_ALONE = [
  'test/browser/**',
  'test/documents/**',
  'test/db/{folder-lock,full-log}.test.ts',
  'test/api/full-disk.test.ts',
  'test/faults/demo.test.ts',
];

/**
 * A migrated database with its queues, which every test file starts from: making one takes seconds. As a file for
 * databases in memory, and as a folder for processes of the service.
 */
async function writeSnapshot(folder: string): Promise<{ snapshot: string; dataDir: string }> {
  const dataDir = join(folder, 'data');
  const database = await openEmbedded({ dataDir });
  await prepareDatabase(database);
  const logger = createLogger('fatal', 'test');
  const queue = await openQueue({ database, databaseUrl: null, supervise: false, logger, drainMs: 1000 });
  await queue.stop();
  const snapshot = join(folder, 'snapshot.tar');
  const dump = await database.dump();
  await writeFile(snapshot, new Uint8Array(await dump.arrayBuffer()));
  await database.close();
  return { snapshot, dataDir };
}

const without = (files: readonly string[], globs: readonly string[]) =>
  files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)));

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/**
 * Runs these test files, and says whether one failed.
 * @param failures a file to which what failed is written as well
 */
async function round(files: readonly string[], env: NodeJS.ProcessEnv, failures?: string): Promise<boolean> {
  const options = [
    '--test',
    `--test-concurrency=${FILES_AT_ONCE}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-timeout=300000',
  ];
  if (failures !== undefined) {
    const reporter = join(import.meta.dirname, 'failed-tests.ts');
    options.push(`--test-reporter=${reporter}`, `--test-reporter-destination=${failures}`);
  }
  return (await run([...options, ...files], env)) !== 0;
}

const folder = await mkdtemp(join(tmpdir(), 'team-memory-test-'));
let failed = false;
try {
  const chosen = process.argv.slice(2);
  const files = chosen.length > 0 ? chosen : globSync('test/**/*.test.ts').sort();
  const coverage = join(folder, 'coverage');
  const { MEMORY_TEST_DATABASE_URL: url = '', ...rest } = process.env;
  const both = url !== '';
  const kept = both ? { NODE_COMPILE_CACHE: join(folder, 'compiled') } : { NODE_V8_COVERAGE: coverage };
  const common = { ...rest, ...kept, MEMORY_LOG_LEVEL: 'fatal' };
  const failures = join(folder, 'failures-embedded.txt');

  process.stdout.write('\n== the embedded database\n');
  const { snapshot, dataDir } = await writeSnapshot(folder);
  const first = await inBatches(both && chosen.length === 0 ? without(files, ANY_DATABASE) : files, folder);
  const embedded = { ...common, MEMORY_TEST_SNAPSHOT: snapshot, MEMORY_TEST_DATA_DIR: dataDir };
  failed = await round(first, embedded, failures);
  if (both) {
    process.stdout.write('\n== PostgreSQL\n');
    const second = await inBatches(chosen.length > 0 ? chosen : without(files, EMBEDDED_ALONE), folder);
    // A database of this run's own: migrations under work change, and a rerun starts clean.
    const own = await createEmptyDatabase(url);
    // What needs the embedded engine there, whatever the database, starts from the snapshot too.
    const env = { ...common, MEMORY_TEST_DATABASE_URL: own.url, MEMORY_TEST_SNAPSHOT: snapshot };
    const failedBefore = failed;
    failed = (await round(second, env)) || failed;
    await own.drop();
    // Far above by now, where it may not be kept.
    if (failedBefore)
      process.stdout.write(`\n== failed on the embedded database\n${await readFile(failures, 'utf8')}`);
  } else {
    process.stdout.write('\nMEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not tested\n');
    const report = [join('node_modules', 'c8', 'bin', 'c8.js'), 'report', '--temp-directory', coverage];
    const held = chosen.length > 0 ? [] : ['--check-coverage', '--lines', LINES_HELD];
    failed = (await run([...report, ...held], { ...rest })) !== 0 || failed;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
