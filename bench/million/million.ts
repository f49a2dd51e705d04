import { parseArgs } from 'node:util';
import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { createLogger } from '../../shared/logger.ts';
import { databaseUrl, prepareDatabase } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { retrievalFolder } from '../../test/support/retrieval-set.ts';
import { countTermsNow } from '../../test/support/term-counts.ts';
import { changeGraphs, GRAPH_SIZES } from '../../worker/jobs/embeddings.ts';
import { describeDatabase, describeRun, SearchReport } from '../search/report.ts';
import { GENERATOR, openClusteredVectors } from './clustered-vectors.ts';
import {
  fillLargeTeam,
  fillPools,
  findLargeTeams,
  LAYERS,
  type LargeTeam,
  withClient,
  withoutIndexes,
} from './fill-team.ts';
import { measureInserts, measureRecall, measureStages, measureTimes } from './measure.ts';

const [SMALL, LARGE] = [100_000, 1_000_000];

const HELP = `How search does in a Team of a million passages, beside one of 100,000.

Usage: npm run bench:million -- [options]

  --rows 1000000      passages of the large Team, a multiple of 500; without it: ${LARGE}
  --small 100000      passages of the small Team
  --rounds 100        rounds of every case
  --queries 100       queries by which recall is measured
  --parts times,recall  which of graph, times, stages, recall, inserts; without it: all
  --keep              leaves the database, and prints its address for --reuse
  --reuse URL         measures the Teams that an earlier run has left

MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server on which a database can be made.`;

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: `${LARGE}` },
    small: { type: 'string', default: `${SMALL}` },
    rounds: { type: 'string', default: '100' },
    queries: { type: 'string', default: '100' },
    parts: { type: 'string', default: 'graph,times,stages,recall,inserts' },
    keep: { type: 'boolean', default: false },
    reuse: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const logger = createLogger('fatal', 'bench');
const report = new SearchReport();
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

async function fill(url: string, folder: string): Promise<LargeTeam[]> {
  const database = openPostgres(url, logger, { max: 2 });
  try {
    await prepareDatabase(database);
    const vectors = openClusteredVectors(LAYERS);
    await withClient(url, (client) => fillPools(client, vectors));
    const teams: LargeTeam[] = [];
    const began = performance.now();
    await withoutIndexes(url, async () => {
      for (const size of [Number(values.small), Number(values.rows)]) {
        const since = performance.now();
        teams.push(await fillLargeTeam(database, url, size, folder, vectors));
        report.print(`${size} passages stored in ${seconds(since)}`);
      }
    });
    for (const { company } of teams) await countTermsNow(database, company);
    report.print(`stored, indexed and counted in ${seconds(began)}`);
    return teams;
  } finally {
    await database.close();
  }
}

/** Builds the graphs as the job does, and prints how long it took and how large they are. */
async function buildGraphs(
  database: Database,
  url: string,
  [small, large]: readonly LargeTeam[],
): Promise<void> {
  const connection = openPostgres(url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
  const began = performance.now();
  // The large Team has a graph in a smaller run too.
  const build = Math.min(GRAPH_SIZES.build, ((small?.size ?? 0) + (large?.size ?? 0)) / 2);
  try {
    await changeGraphs(
      { database, connection, logger, stopping: new AbortController().signal },
      { build, keep: build },
    );
    report.print(`graphs of more than ${build} vectors: present after ${seconds(began)}`);
    const sizes = await connection.query<{ name: string; bytes: number }>(
      `select relname as name, pg_relation_size(oid) as bytes from pg_class
        where relnamespace = 'memory'::regnamespace and relname like 'chunk%' order by 2 desc`,
    );
    for (const { name, bytes } of sizes)
      report.row(name.slice(0, 29), [`${(bytes / 2 ** 20).toFixed(0)} MiB`]);
  } finally {
    await connection.close();
  }
}

async function measure(url: string, teams: readonly LargeTeam[]): Promise<void> {
  const database = openPostgres(url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
  const vectors = openClusteredVectors(LAYERS);
  const rounds = Number(values.rounds);
  try {
    report.print(await describeDatabase(database));
    const parts = values.parts.split(',');
    if (parts.includes('graph')) await buildGraphs(database, url, teams);
    if (parts.includes('times')) await measureTimes(database, teams, vectors, rounds, report);
    if (parts.includes('stages'))
      await measureStages(database, teams, vectors, Math.ceil(rounds / 4), report);
    if (parts.includes('recall')) {
      for (const team of teams) await measureRecall(database, team, vectors, Number(values.queries), report);
    }
    if (parts.includes('inserts')) await measureInserts(database, teams, report);
  } finally {
    await database.close();
  }
}

async function reuse(url: string, folder: string): Promise<LargeTeam[]> {
  const database = openPostgres(url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
  // The functions of this version.
  await prepareDatabase(database);
  await database.close();
  return findLargeTeams(url, folder);
}

async function main(): Promise<void> {
  if (values.help) return report.print(HELP);
  const folder = retrievalFolder();
  if (folder === null || databaseUrl === undefined) throw new Error(HELP);
  report.print(await describeRun());
  report.print(`Vectors: ${GENERATOR}.`);
  const own = values.reuse === undefined ? await createEmptyDatabase(databaseUrl) : null;
  const url = own?.url ?? values.reuse ?? '';
  try {
    await measure(url, own === null ? await reuse(url, folder) : await fill(url, folder));
  } finally {
    if (values.keep) report.print(`--reuse ${url}`);
    else await own?.drop();
  }
  for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
  process.exitCode = report.faults.length > 0 ? 1 : 0;
}

await main();
