import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { BUILD_TIMEOUTS } from '../../db/driver/postgres-pool.ts';
import { prepareDatabase } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { countTermsNow } from '../../test/support/term-counts.ts';
import { changeGraphs, GRAPH_SIZES } from '../../worker/jobs/embeddings.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { describeDatabase, logger, serverUrl } from '../support/databases.ts';
import { measureRecall } from '../support/recall.ts';
import type { Report } from '../support/report.ts';
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
import { measureInserts, measureTimes } from './measure.ts';

const LEAST_RECALL = { whole: 0.98, client: 0.99 };

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(0)} s`;

async function fill(
  url: string,
  folder: string,
  sizes: readonly number[],
  report: Report,
): Promise<LargeTeam[]> {
  const database = openPostgres(url, logger, { max: 2 });
  try {
    await prepareDatabase(database);
    const vectors = openClusteredVectors(LAYERS);
    await withClient(url, (client) => fillPools(client, vectors));
    const teams: LargeTeam[] = [];
    const began = performance.now();
    await withoutIndexes(url, async () => {
      for (const size of sizes) {
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
  report: Report,
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

async function reuse(url: string, folder: string): Promise<LargeTeam[]> {
  const database = openPostgres(url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
  // The functions of this version.
  await prepareDatabase(database);
  await database.close();
  return findLargeTeams(url, folder);
}

await runBench(
  {
    name: 'bench:million',
    about: 'How search does in a Team of a million passages, beside one of 100,000.',
    options: {
      rows: [1_000_000, 'passages of the large Team, a multiple of 500'],
      small: [100_000, 'passages of the small Team'],
      rounds: [100, 'rounds of every case'],
      queries: [100, 'queries by which recall is measured'],
      keep: [false, 'leaves the database, and prints its address for --reuse'],
      reuse: ['', 'the address of a database with the Teams that an earlier run has left'],
    },
    choices: ['graph', 'times', 'recall', 'inserts'],
    needs: ['texts', 'server', 'linux'],
  },
  async ({ rows, small, rounds, queries, keep, reuse: left }, report, parts) => {
    const folder = textsFolder();
    report.print(`Vectors: ${GENERATOR}.`);
    const own = left === '' ? await createEmptyDatabase(serverUrl()) : null;
    const url = own?.url ?? left;
    const teams = own === null ? await reuse(url, folder) : await fill(url, folder, [small, rows], report);
    const database = openPostgres(url, logger, { max: 1, timeouts: BUILD_TIMEOUTS });
    const vectors = openClusteredVectors(LAYERS);
    try {
      report.print(await describeDatabase(database));
      if (parts.includes('graph')) await buildGraphs(database, url, teams, report);
      if (parts.includes('times')) await measureTimes(database, teams, vectors, rounds, report);
      for (const team of parts.includes('recall') ? teams : []) {
        const scopes = [
          ['whole Team', team.whole, LEAST_RECALL.whole] as const,
          ...team.ofClients.map((scope, n) => [`client ${n + 1}`, scope, LEAST_RECALL.client] as const),
        ];
        const vector = (nth: number) => vectors.query(nth % LAYERS);
        await measureRecall(database, team, scopes, { queries, vector }, report);
      }
      if (parts.includes('inserts')) await measureInserts(database, teams, report);
    } finally {
      await database.close();
      if (keep) report.print(`--reuse ${url}`);
      else await own?.drop();
    }
  },
);
