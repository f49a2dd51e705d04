import type { Database } from '../../db/driver/database.ts';
import { workerTransaction } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { uncountedTeams } from '../../db/queries/search/terms.ts';
import { openQueue } from '../../db/queue/queue.ts';
import { QUEUE_NAMES, queueDefinition } from '../../shared/queues.ts';
import { doJob } from '../../test/support/do-job.ts';
import { seededRandom } from '../../test/support/generated-text.ts';
import { prepareDatabase, type TestCompany } from '../../test/support/needs/database.ts';
import { ownerScope } from '../../test/support/scopes.ts';
import { storeSource } from '../../test/support/sources.ts';
import { runBench, textsFolder } from '../support/bench.ts';
import { backendsOf, startCpuTimer } from '../support/cpu.ts';
import { logger, maintain, withServerDatabase } from '../support/databases.ts';
import { type NaturalText, openNaturalText } from '../support/natural-text.ts';
import { type Report, spread } from '../support/report.ts';
import { timed } from '../support/rounds.ts';
import { prepareSearch } from '../support/searches.ts';
import { makeTeams, storePool } from './many-teams.ts';

/** Teams to which a tenth of their chunks is added for the second run of the jobs. */
const CHANGED_SHARE = 0.01;
const INGESTED_CHUNKS = 20;
const TABLES = ['chunk', 'chunk_keyword', 'keyword_slice', 'keyword_layer', 'keyword_team'];

/** Measures the CPU time of this process and of the database. */
const startTimer = async (database: Database) =>
  startCpuTimer([process.pid, ...(await backendsOf(database))]);

async function measured(
  report: Report,
  database: Database,
  name: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const cpu = await startTimer(database);
  report.row(name, [await timed(work), cpu()], '', 0);
}

async function printSizes(report: Report, database: Database, teams: number, chunks: number): Promise<void> {
  const relations = await database.query<{ name: string; bytes: string }>(
    `select c.relname as name, (case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end)::text as bytes
       from pg_class c left join pg_index i on i.indexrelid = c.oid
      where coalesce(i.indrelid, c.oid) = any ($1::text[]::regclass[]) order by c.relname`,
    [TABLES.map((table) => `memory.${table}`)],
  );
  report.row('', ['a passage', 'kB a Team'], 'bytes');
  for (const { name, bytes } of relations)
    report.row(name, [(Number(bytes) / chunks).toFixed(0), (Number(bytes) / teams / 1000).toFixed(1)]);
}

async function printSearches(
  report: Report,
  database: Database,
  name: string,
  teams: readonly TestCompany[],
  text: NaturalText,
): Promise<void> {
  const times: number[] = [];
  const cpu = await startTimer(database);
  for (const team of teams) {
    const asked = { query: text.question(), embedding: null };
    times.push(await timed(prepareSearch(database, ownerScope(team), asked)));
  }
  report.row(name, [...spread(times), cpu() / teams.length], 'p50, p95, CPU of one');
}

async function ingest(database: Database, teams: readonly TestCompany[], text: NaturalText): Promise<void> {
  for (const team of teams) {
    const chunks = Array.from({ length: INGESTED_CHUNKS }, () => ({ text: text.chunk() }));
    await storeSource(database, ownerScope(team), { layer: null, chunks });
  }
}

const count = async (database: Database, teams: readonly TestCompany[]) => {
  for (const { companyId, teamId, ownerId: userId } of teams) {
    await doJob(database, 'keywords.count', { companyId, teamId, userId });
  }
};

/** What the start of a worker asks for. */
async function pageUncounted(database: Database, team: TestCompany): Promise<void> {
  let after: string | null = null;
  do {
    const page: { last: string | null } = await workerTransaction(database, ownerScope(team), (tx) =>
      uncountedTeams(tx, after, 1000),
    );
    after = page.last;
  } while (after !== null);
}

await runBench(
  {
    name: 'bench:teams',
    about: `What many Teams cost: disk, searches, ingest, and each job with a schedule, in ms. The Teams have no vectors, so
searches are by words only.`,
    options: {
      teams: [10_000, 'how many Teams'],
      chunks: [200, 'passages of each'],
      searches: [400, 'searches of random Teams, and of one Team'],
    },
    needs: ['texts', 'server', 'linux'],
  },
  (given, report) =>
    withServerDatabase(async (url) => {
      const database = openPostgres(url, logger);
      report.width = 50;
      try {
        await prepareDatabase(database);
        // Makes the tables of the queue, which some jobs read.
        const queue = await openQueue({
          database,
          databaseUrl: url,
          supervise: false,
          logger,
          drainMs: 1000,
        });
        await queue.stop();
        const folder = textsFolder();
        const pool = await storePool(database, folder);
        const measure = (name: string, work: () => Promise<unknown>) =>
          measured(report, database, name, work);
        const measureJobs = async (when: string) => {
          for (const name of QUEUE_NAMES.filter((each) => queueDefinition(each).schedule !== undefined))
            await measure(`${name}, ${when}`, () => doJob(database, name, {}));
        };
        report.row('', ['ms', 'CPU ms']);
        let teams: TestCompany[] = [];
        const note = (made: number) => void (made % 1000 === 0 && process.stderr.write(`${made} Teams\n`));
        await measure(`${given.teams} Teams of ${given.chunks} passages, made in`, async () => {
          teams = await makeTeams(database, pool, given.teams, given.chunks, note);
        });
        await measure('the first count of all', () => count(database, teams));
        await maintain(url, 'vacuum analyze');
        await printSizes(report, database, given.teams, given.teams * given.chunks);

        const random = seededRandom(given.teams);
        const pick = () => teams[Math.floor(random() * teams.length)]!;
        const text = await openNaturalText(folder, 1);
        const first = teams[0]!;
        for (const [name, next] of [
          ['a search in random Teams', pick],
          ['a search in one Team', () => first],
        ] as const) {
          const asked = Array.from({ length: given.searches }, next);
          await printSearches(report, database, name, asked, text);
        }
        await measure('the check for uncounted Teams at a start', () => pageUncounted(database, first));
        await measure('keywords.count with nothing to do, 100 Teams', () =>
          count(database, teams.slice(0, 100)),
        );
        await measureJobs('idle');
        const changed = Array.from({ length: Math.ceil(teams.length * CHANGED_SHARE) }, pick);
        const ms = await timed(() => ingest(database, changed, text));
        const rate = (changed.length * INGESTED_CHUNKS * 1000) / ms;
        report.row('ingest in random Teams, one at a time', [rate], 'passages a second', 0);
        await ingest(database, changed, text);
        await measureJobs(`${changed.length} Teams changed`);
        await measure(`keywords.count of ${changed.length} changed Teams`, () => count(database, changed));
      } finally {
        await database.close();
      }
    }),
);
