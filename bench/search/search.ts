import type { Database } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { databaseUrl, prepareDatabase } from '../../test/support/needs/database.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { describeDatabase, logger, vacuum, withDatabase, withServerDatabase } from '../support/databases.ts';
import { type FilledTeam, fillTeam } from '../support/filled-teams.ts';
import { measureRecall } from '../support/recall.ts';
import type { Report } from '../support/report.ts';
import { timed } from '../support/rounds.ts';
import { measureThroughput } from './throughput.ts';
import { measureTimes } from './times.ts';

/** Of the ten nearest by an exact scan, what the vector leg finds, at least. */
const LEAST_RECALL = 0.99;
/** Rates are measured on Teams of these sizes, as far as there are such. */
const THROUGHPUT_SIZES = [1600, 8000, 30_000];
/** How often slower than PostgreSQL the embedded database may be, in a Team of `--embedded` chunks. */
const EMBEDDED_OF_POSTGRES = 10;
const FILL_CONNECTIONS = 4;

/** Fills Teams and leaves the tables as autovacuum does soon after. */
async function fillTeams(
  own: { database: Database; url: string | undefined },
  sizes: readonly number[],
  folder: string,
  report: Report,
): Promise<FilledTeam[]> {
  const teams: FilledTeam[] = [];
  for (const size of sizes) {
    const ms = await timed(async () => teams.push(await fillTeam(own.database, size, folder)));
    report.print(`${size} passages stored and counted in ${(ms / 1000).toFixed(1)} s`);
  }
  await vacuum(own);
  return teams;
}

await runBench(
  {
    name: 'bench:search',
    about:
      'How fast search is and what its vector leg finds, by the size of a Team; how many searches a second go through the API.',
    options: {
      sizes: [[200, 1000, 1600, 8000, 30_000, 100_000], 'passages of the Teams'],
      rounds: [200, 'rounds of every case'],
      queries: [100, 'queries by which recall is measured'],
      embedded: [10_000, 'passages of the Team with which the embedded database is compared'],
      seconds: [2.5, 'of each of seven turns in which rates are measured'],
    },
    choices: ['times', 'recall', 'throughput', 'embedded'],
    needs: ['texts', 'both'],
  },
  async ({ sizes, rounds, queries, embedded, seconds }, report, parts) => {
    const folder = textsFolder();
    let beside: number | null = null;
    if (databaseUrl !== undefined) {
      await withServerDatabase(async (url) => {
        const wide = openPostgres(url, logger, { max: FILL_CONNECTIONS });
        const database = openPostgres(url, logger, { max: 1 });
        try {
          await prepareDatabase(wide);
          report.print(await describeDatabase(wide));
          const teams = await fillTeams({ database: wide, url }, sizes, folder, report);
          for (const team of parts.includes('times') ? teams : [])
            await measureTimes(database, team, rounds, report);
          for (const team of parts.includes('recall') ? teams : []) {
            const { whole, clients, teamAndClient } = team.scopes;
            const scopes = [
              ['whole Team', whole, LEAST_RECALL] as const,
              ['Team layer and client 1', teamAndClient, LEAST_RECALL] as const,
              ...clients.map((scope, n) => [`client ${n + 1} alone`, scope, LEAST_RECALL] as const),
            ];
            const vector = () => team.vectors.vector();
            await measureRecall(database, team, scopes, { queries, vector }, report);
          }
          if (parts.includes('throughput')) {
            const measured = teams.filter(({ size }) => THROUGHPUT_SIZES.includes(size));
            const some = measured.length > 0 ? measured : teams.slice(0, 1);
            await measureThroughput(wide, url, some, seconds * 1000, report);
          }
          if (parts.includes('embedded')) {
            const [same] = await fillTeams({ database: wide, url }, [embedded], folder, report);
            beside = await measureTimes(database, same!, rounds, report);
          }
        } finally {
          await database.close();
          await wide.close();
        }
      });
    }
    if (!parts.includes('embedded')) return;
    await withDatabase('embedded', async (own) => {
      report.print(`\n${await describeDatabase(own.database)}`);
      const [team] = await fillTeams(own, [embedded], folder, report);
      const p50 = await measureTimes(own.database, team!, rounds, report);
      if (beside === null) return;
      const held = report.hold('embedded of PostgreSQL', p50 / beside, EMBEDDED_OF_POSTGRES);
      report.print(`  hybrid, whole Team: ${(p50 / beside).toFixed(2)} x PostgreSQL (${held})`);
    });
  },
);
