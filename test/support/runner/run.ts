import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { NOTE } from '../needs/evidence.ts';
import { batchesOf } from './batches.ts';
import { describeFailure } from './failures.ts';
import { needsOf, runsClient, usesDatabase } from './needs.ts';
import { runRound } from './round.ts';
import type { SetUp } from './set-up.ts';
import { allTestFiles, type Round, roundsOf, TIERS, type Tier, tierOf } from './tiers.ts';

/*
 * `npm test` and `npm run test:…`: runs the test files of a tier (see tiers.ts), or the files that are named.
 *
 *   node test/support/runner/run.ts TIER [FILE...] [--test-name-pattern=REGEXP]
 *
 * Named files and tests run on the embedded database, with `npm run test:pg` on PostgreSQL. `npm test` without a name checks
 * the code first, and `npm run test:rest` sets up what is missing. Where MEMORY_TEST_COVERAGE names a folder, the lines that
 * run are counted there: see coverage.ts.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'test-name-pattern': { type: 'string', multiple: true, default: [] } },
});
const [tier, ...chosen] = positionals as [Tier, ...string[]];
if (!TIERS.includes(tier)) throw new Error(`expected a tier: ${TIERS.join(', ')}`);
const namePatterns = values['test-name-pattern'];
const isWhole = chosen.length === 0 && namePatterns.length === 0;

/** What is run. Files and tests that are named run on one database. */
function chosenRounds(hasServer: boolean): Round[] {
  const database = tier === 'postgres' ? 'postgres' : 'embedded';
  if (chosen.length > 0) return [{ database, files: chosen, isCounted: false }];
  if (tier !== 'quick' || isWhole) return roundsOf(tier, allTestFiles(), hasServer);
  const named = allTestFiles().filter((file) => !['cluster', 'clients'].includes(tierOf(file) ?? ''));
  return [{ database, files: named, isCounted: false }];
}

for (const file of chosen) {
  if (file.endsWith('.test.ts') && existsSync(file)) continue;
  process.stderr.write(`${file} is not a test file (….test.ts) that exists\n`);
  process.exit(1);
}

const {
  MEMORY_TEST_DATABASE_URL: given,
  MEMORY_TEST_TEMPLATE: _,
  MEMORY_TEST_COVERAGE,
  ...rest
} = process.env;
const coverage = MEMORY_TEST_COVERAGE || null;

/** Checks the code, or sets up what is missing. Null: what it has printed must be mended first. */
async function prepare(): Promise<Pick<SetUp, 'server' | 'skipped'> | null> {
  const nothing = { server: null, skipped: [] };
  // Loaded only when it is needed: a test of pure code waits for no driver.
  if (!isWhole || (tier !== 'quick' && tier !== 'rest')) return nothing;
  const { checks, setUpRest } = await import('./prepare.ts');
  if (tier === 'rest') return setUpRest(given || undefined);
  return (await checks()) ? nothing : null;
}

const ready = await prepare();
if (ready === null) process.exit(1);
const rounds = chosenRounds(ready.server !== null).filter(({ files }) => files.length > 0);

/** What the files of a round run on. */
function titleOf({ database, files }: Round): string {
  if (!files.some((file) => usesDatabase(needsOf(file)))) return 'without a database';
  return database === 'postgres' ? 'on PostgreSQL' : 'on the embedded database';
}

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

// First of all: without a server, a run on both databases would fail only after minutes.
if (
  rounds.some(
    ({ database, files }) => database === 'postgres' && files.some((file) => usesDatabase(needsOf(file))),
  )
) {
  await (await import('./postgres.ts')).startServer(given || undefined);
}

const folder = await mkdtemp(join(tmpdir(), 'team-memory-test-'));
/** What tests leave here is evidence of a failure: those that pass remove what they made. */
const evidence = join(folder, 'evidence');
await mkdir(evidence);
const kept: string[] = [];
const failed: string[] = [];
let snapshot: Record<string, string> | null = null;
let client: Record<string, string> | null = null;
let passed = true;

/** A database on PostgreSQL. Loaded only when it is needed, too. */
const openServer = async () => (await import('./postgres.ts')).openRunDatabase(given || undefined);

/**
 * Writes the terminal client as the one file that its package has, from which it starts in a fifth of the time.
 * @returns the environment that tells the tests where it is
 */
async function writeClient(): Promise<Record<string, string>> {
  const { bundleClient } = await import('../../../cli/packaging/bundle-client.ts');
  const path = join(folder, 'memory.cjs');
  await writeFile(path, (await bundleClient()).code);
  return { MEMORY_TEST_CLIENT: path };
}

/** In the order of their names, or in one that MEMORY_TEST_ORDER gives: with another text, other files share a process. */
function inOrder(files: readonly string[]): readonly string[] {
  const seed = process.env['MEMORY_TEST_ORDER'];
  if (seed === undefined) return files;
  const keyOf = (file: string) => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  return files.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

async function runOn({ database, files, isCounted }: Round): Promise<void> {
  // A pattern would leave out the tests that tell whether the files of a batch can be loaded.
  const batches = namePatterns.length > 0 ? files.map((file) => [file]) : batchesOf(inOrder(files), database);
  const starting = batches.filter((batch) => batch.some((file) => usesDatabase(needsOf(file))));
  if (database === 'embedded' && starting.length > 0) {
    snapshot ??= await (await import('./snapshot.ts')).keptSnapshot();
  }
  if (files.some(runsClient)) client ??= await writeClient();
  const own = database === 'postgres' && starting.length > 0 ? await openServer() : null;
  const result = await runRound({
    batches,
    folder: await mkdtemp(join(folder, 'batches-')),
    namePatterns,
    env: {
      ...rest,
      MEMORY_LOG_LEVEL: 'fatal',
      MEMORY_TEST_EVIDENCE: evidence,
      ...snapshot,
      ...client,
      ...own?.env,
      // V8 does not count code that was compiled before.
      ...(isCounted && coverage !== null
        ? { NODE_V8_COVERAGE: coverage }
        : { NODE_COMPILE_CACHE: join(folder, 'compiled') }),
    },
  });
  await own?.close({ keep: !result.passed });
  if (own !== null && !result.passed) kept.push(own.place);
  failed.push(...result.failures.map((failure) => describeFailure(failure, database)));
  passed = passed && result.passed;
}

for (const round of rounds) {
  const began = performance.now();
  const title = `${titleOf(round)}: ${round.files.length} test files`;
  process.stdout.write(`\n== ${title}\n`);
  try {
    await runOn(round);
  } catch (error) {
    // What the other rounds found is still printed.
    passed = false;
    failed.push(`✖ the run ${title}\n${inspect(error)}\n`);
  }
  process.stdout.write(`== ${title}, ${seconds(began)}\n`);
}
for (const name of await readdir(evidence)) {
  const isNote = name.startsWith(NOTE);
  kept.push(isNote ? `${name}, on the same server` : join(evidence, name));
  if (isNote) await rm(join(evidence, name));
}
if (ready.skipped.length > 0) process.stdout.write(`\n== skipped\n${ready.skipped.join('\n')}\n`);
if (failed.length > 0) process.stdout.write(`\n== failed\n${failed.join('\n')}`);
if (kept.length > 0) process.stdout.write(`\n== kept\n${kept.join('\n')}\n`);
const isEmpty = (await readdir(evidence)).length === 0;
for (const path of isEmpty ? [folder] : (await readdir(folder)).map((name) => join(folder, name))) {
  if (path !== evidence) await rm(path, { recursive: true, force: true });
}
process.exit(passed ? 0 : 1);
