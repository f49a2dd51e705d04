import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../../db/embedded.ts';
import { prepareDatabase } from './database.ts';

/**
 * `npm test`: the whole suite on the embedded database and, where MEMORY_TEST_DATABASE_URL names one, again on a
 * real PostgreSQL, with the coverage of both together. Arguments choose files: `npm test -- test/api/*.test.ts`.
 */
const LINES_HELD = '95';

/** Files at once. Node leaves one core free, which on two cores is half of them: tests that wait would wait alone. */
const FILES_AT_ONCE = Math.max(2, availableParallelism());

async function writeSnapshot(folder: string): Promise<string> {
  const database = await openEmbedded({ dataDir: null });
  await prepareDatabase(database);
  const snapshot = join(folder, 'snapshot.tar');
  const dump = await database.engine.dumpDataDir('none');
  await writeFile(snapshot, new Uint8Array(await dump.arrayBuffer()));
  await database.close();
  return snapshot;
}

/** A database of this run's own on the server of `url`: migrations under work change, and a rerun starts clean. */
async function withFreshDatabase(url: string, use: (url: string) => Promise<void>): Promise<void> {
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  const name = `memory_test_${process.pid}_${Date.now()}`;
  await server.query(`create database ${name}`);
  try {
    const own = new URL(url);
    own.pathname = `/${name}`;
    await use(own.href);
  } finally {
    await server.query(`drop database ${name} with (force)`);
    await server.end();
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn(process.execPath, args, { stdio: 'inherit', env });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

const folder = await mkdtemp(join(tmpdir(), 'team-memory-test-'));
let failed = false;
try {
  const chosen = process.argv.slice(2);
  const files = chosen.length > 0 ? chosen : globSync('test/**/*.test.ts').sort();
  const coverage = join(folder, 'coverage');
  const { MEMORY_TEST_DATABASE_URL: url, ...rest } = process.env;
  const common = { ...rest, NODE_V8_COVERAGE: coverage, MEMORY_LOG_LEVEL: 'fatal' };
  const suite = [
    '--test',
    `--test-concurrency=${FILES_AT_ONCE}`,
    '--test-reporter=spec',
    '--test-timeout=300000',
    ...files,
  ];

  process.stdout.write('\n== the embedded database\n');
  const snapshot = await writeSnapshot(folder);
  failed = (await run(suite, { ...common, MEMORY_TEST_SNAPSHOT: snapshot })) !== 0;
  if (url === undefined || url === '') {
    process.stdout.write('\nMEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not tested\n');
  } else {
    process.stdout.write('\n== PostgreSQL\n');
    await withFreshDatabase(url, async (own) => {
      failed = (await run(suite, { ...common, MEMORY_TEST_DATABASE_URL: own })) !== 0 || failed;
    });
  }
  const report = [join('node_modules', 'c8', 'bin', 'c8.js'), 'report', '--temp-directory', coverage];
  const held = chosen.length > 0 ? [] : ['--check-coverage', '--lines', LINES_HELD];
  failed = (await run([...report, ...held], { ...rest })) !== 0 || failed;
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
