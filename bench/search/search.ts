import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Database } from '../../db/driver/database.ts';
import { openEmbedded } from '../../db/driver/embedded.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl, prepareDatabase } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { retrievalFolder } from '../../test/support/retrieval-set.ts';
import { measureIngest } from '../ingest/throughput.ts';
import { type FilledTeam, fillTeam } from '../support/filled-teams.ts';
import { measureRecall } from './recall.ts';
import { describeDatabase, describeRoundTrip, describeRun, SearchReport } from './report.ts';
import { measureThroughput } from './throughput.ts';
import { measureTimes, reportCurve } from './times.ts';

const SIZES = [200, 1000, 1600, 8000, 30_000, 100_000];
const PARTS = ['times', 'recall', 'throughput', 'ingest', 'embedded'] as const;
type Part = (typeof PARTS)[number];

const HELP = `How fast search is and what its vector leg finds, by the size of a Team; how many searches and
ingested passages a second go through the API.

Usage: npm run bench:search -- [options]

  --sizes 200,1600   passages of the Teams; without it: ${SIZES.join(', ')}
  --parts times      which of ${PARTS.join(', ')}; without it: all
  --rounds 200       rounds of every case; without it: 200, of the largest Teams 100

MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server on which a database may be made for
the run; without it the embedded database alone is measured.`;

const ROUNDS = 200;
const ROUNDS_OF_LARGE = 100;
const LARGE = 100_000;
/** Rates are measured on Teams of these sizes, as far as there are such. */
const THROUGHPUT_SIZES = [1600, 8000, 30_000];
/** Chunks of the Team with which the embedded database is set beside PostgreSQL, and how often slower it may be. */
const EMBEDDED_SIZE = 10_000;
const EMBEDDED_OF_POSTGRES = 10;
const EMBEDDED_ROUNDS = 50;
const FILL_CONNECTIONS = 4;

interface Wanted {
  sizes: number[];
  parts: readonly Part[];
  rounds: number | null;
  folder: string;
}

/** What the command line asks for, or null for the help. */
function readCommandLine(): Wanted | null {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: SIZES.join(',') },
      parts: { type: 'string', default: PARTS.join(',') },
      rounds: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const parts = values.parts.split(',').map((name) => {
    const part = PARTS.find((known) => known === name);
    if (part === undefined) throw new Error(`${JSON.stringify(name)} is no part (see --help)`);
    return part;
  });
  const folder = retrievalFolder();
  if (folder === null) {
    throw new Error('MEMORY_TEST_XQUAD_R: expected the folder of the questions (see --help)');
  }
  const whole = (text: string) => {
    if (!/^[1-9]\d*$/.test(text)) throw new Error(`${JSON.stringify(text)} is no number (see --help)`);
    return Number(text);
  };
  const rounds = values.rounds === undefined ? null : whole(values.rounds);
  return { sizes: values.sizes.split(',').map(whole), parts, rounds, folder };
}

const logger = createLogger('fatal', 'bench');
const report = new SearchReport();

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** Fills Teams and leaves the tables as autovacuum does soon after. */
async function fillTeams(database: Database, sizes: readonly number[], folder: string, vacuum: Vacuum) {
  const teams: FilledTeam[] = [];
  for (const size of sizes) {
    const began = performance.now();
    teams.push(await fillTeam(database, size, folder));
    report.print(`${size} passages stored and counted in ${seconds(began)}`);
  }
  await vacuum();
  return teams;
}

type Vacuum = () => Promise<unknown>;

/** By a connection of its own: the service's own ends a statement that takes as long as this may. */
async function vacuumServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

async function measurePostgres(url: string, wanted: Wanted): Promise<number | null> {
  const { sizes, parts, folder } = wanted;
  const wide = openPostgres(url, logger, { max: FILL_CONNECTIONS });
  const database = openPostgres(url, logger, { max: 1 });
  try {
    await prepareDatabase(wide);
    report.print(await describeDatabase(wide));
    const teams = await fillTeams(wide, sizes, folder, () => vacuumServer(url));
    if (parts.includes('times')) {
      report.print(await describeRoundTrip(database));
      const curve: [number, number][] = [];
      for (const team of teams) {
        const rounds = wanted.rounds ?? (team.size >= LARGE ? ROUNDS_OF_LARGE : ROUNDS);
        curve.push([team.size, await measureTimes(database, team, rounds, report)]);
      }
      reportCurve(curve, report);
    }
    if (parts.includes('recall')) for (const team of teams) await measureRecall(database, team, report);
    if (parts.includes('throughput')) {
      const measured = teams.filter(({ size }) => THROUGHPUT_SIZES.includes(size));
      await measureThroughput(wide, url, measured.length > 0 ? measured : teams.slice(0, 1), report);
    }
    if (parts.includes('ingest')) await measureIngest(wide, url, folder, report);
    if (!parts.includes('embedded')) return null;
    report.print('');
    const [same] = await fillTeams(wide, [EMBEDDED_SIZE], folder, () => vacuumServer(url));
    return same === undefined
      ? null
      : await measureTimes(database, same, wanted.rounds ?? EMBEDDED_ROUNDS, report);
  } finally {
    await database.close();
    await wide.close();
  }
}

/** @param beside the p50 of PostgreSQL in ms, or null where it was not measured */
async function measureEmbedded(wanted: Wanted, beside: number | null): Promise<void> {
  const database = await openEmbedded({ dataDir: null });
  try {
    await prepareDatabase(database);
    report.print(`\n${await describeDatabase(database)}`);
    const vacuum = () => database.query('vacuum analyze');
    const [team] = await fillTeams(database, [EMBEDDED_SIZE], wanted.folder, vacuum);
    if (team === undefined) return;
    const p50 = await measureTimes(database, team, wanted.rounds ?? EMBEDDED_ROUNDS, report);
    if (beside === null) return;
    const held = report.hold('embedded of PostgreSQL', p50 / beside, EMBEDDED_OF_POSTGRES);
    report.print(`  hybrid, whole Team: ${(p50 / beside).toFixed(2)} x PostgreSQL (${held})`);
  } finally {
    await database.close();
  }
}

async function measure(wanted: Wanted): Promise<void> {
  report.print(await describeRun());
  let beside: number | null = null;
  if (databaseUrl === undefined) {
    report.print('MEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not measured');
  } else {
    const own = await createEmptyDatabase(databaseUrl);
    try {
      beside = await measurePostgres(own.url, wanted);
    } finally {
      await own.drop();
    }
  }
  if (wanted.parts.includes('embedded')) await measureEmbedded(wanted, beside);
  for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
  process.exitCode = report.faults.length > 0 ? 1 : 0;
}

try {
  const wanted = readCommandLine();
  if (wanted === null) process.stdout.write(`${HELP}\n`);
  else await measure(wanted);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
