import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Database, transaction, workerTransaction } from '../../db/driver/database.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { searchChunks } from '../../db/queries/search/search.ts';
import { uncountedTeams } from '../../db/queries/search/terms.ts';
import { openQueue } from '../../db/queue/queue.ts';
import { createLogger } from '../../shared/logger.ts';
import { QUEUE_NAMES, queueDefinition } from '../../shared/queues.ts';
import { queryTerms } from '../../shared/text/terms/terms.ts';
import { doJob } from '../../test/support/do-job.ts';
import { percentile, seededRandom } from '../../test/support/generated-text.ts';
import {
  databaseUrl,
  prepareDatabase,
  TEST_MODEL_NAME,
  type TestCompany,
} from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { retrievalFolder } from '../../test/support/retrieval-set.ts';
import { ownerScope } from '../../test/support/scopes.ts';
import { storeSource } from '../../test/support/sources.ts';
import { type NaturalText, openNaturalText } from '../support/natural-text.ts';
import { makeTeams, storePool } from './many-teams.ts';

const HELP = `What many Teams cost: disk, searches, ingest, and each job with a schedule.

Usage: npm run bench:teams -- [options]

  --teams 10000     how many Teams; without it: 10000
  --chunks 200      passages of each; without it: 200
  --searches 400    searches of random Teams, and of one Team; without it: 400

The Teams have no vectors, so searches are by words only. MEMORY_TEST_XQUAD_R names the folder of
the retrieval set, and MEMORY_TEST_DATABASE_URL a PostgreSQL server on which a database may be made
for the run.`;

/** Teams to which a tenth of their chunks is added for the second run of the jobs. */
const CHANGED_SHARE = 0.01;
const INGESTED_CHUNKS = 20;
const TABLES = ['chunk', 'chunk_keyword', 'keyword_slice', 'keyword_layer', 'keyword_team'];
const TICKS_PER_SECOND = 100;

/** The CPU time of this process and of the server's processes for its database, in ms, and the time of day. */
async function clocks(database: Database): Promise<{ cpu: number; wall: number }> {
  const backends = await database.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database()',
  );
  const own = process.cpuUsage();
  let cpu = (own.user + own.system) / 1000;
  for (const { pid } of backends) {
    // Not there if the server is on another machine, or the process has just ended.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    cpu += ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1000) / TICKS_PER_SECOND;
  }
  return { cpu, wall: performance.now() };
}

async function measured(database: Database, work: () => Promise<unknown>): Promise<string> {
  const before = await clocks(database);
  await work();
  const after = await clocks(database);
  return `${(after.wall - before.wall).toFixed(0)} ms, CPU ${(after.cpu - before.cpu).toFixed(0)} ms`;
}

function print(name: string, value: string): void {
  process.stdout.write(`${name.padEnd(44)} ${value}\n`);
}

async function printSizes(database: Database, teams: number, chunks: number): Promise<void> {
  const relations = await database.query<{ name: string; bytes: string }>(
    `select c.relname as name, (case c.relkind when 'r' then pg_table_size(c.oid) else pg_relation_size(c.oid) end)::text as bytes
       from pg_class c left join pg_index i on i.indexrelid = c.oid
      where coalesce(i.indrelid, c.oid) = any ($1::text[]::regclass[]) order by c.relname`,
    [TABLES.map((table) => `memory.${table}`)],
  );
  for (const { name, bytes } of relations) {
    print(
      name,
      `${(Number(bytes) / chunks).toFixed(0)} bytes a passage, ${(Number(bytes) / teams / 1000).toFixed(1)} kB a Team`,
    );
  }
}

async function printSearches(
  database: Database,
  name: string,
  teams: readonly TestCompany[],
  text: NaturalText,
): Promise<void> {
  const times: number[] = [];
  const before = await clocks(database);
  for (const team of teams) {
    const terms = queryTerms(team.teamId, text.question());
    const start = performance.now();
    await transaction(database, ownerScope(team), (tx) =>
      searchChunks(tx, { terms, embedding: null, model: TEST_MODEL_NAME, topK: 10 }),
    );
    times.push(performance.now() - start);
  }
  const cpu = ((await clocks(database)).cpu - before.cpu) / teams.length;
  print(
    name,
    `p50 ${percentile(times, 0.5).toFixed(1)}, p95 ${percentile(times, 0.95).toFixed(1)} ms, CPU ${cpu.toFixed(2)} ms`,
  );
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

async function printJobs(database: Database, when: string): Promise<void> {
  for (const name of QUEUE_NAMES) {
    if (queueDefinition(name).schedule === undefined) continue;
    print(`${name}, ${when}`, await measured(database, () => doJob(database, name, {})));
  }
}

/** As autovacuum leaves the tables. By a connection of its own, which has no time limit for a statement. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c statement_timeout=0' });
  await client.connect();
  try {
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

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

async function run(
  database: Database,
  url: string,
  folder: string,
  given: Record<'teams' | 'chunks' | 'searches', number>,
) {
  const pool = await storePool(database, folder);
  let teams: TestCompany[] = [];
  const note = (made: number) => void (made % 1000 === 0 && process.stderr.write(`${made} Teams\n`));
  print(
    `${given.teams} Teams of ${given.chunks} passages, made in`,
    await measured(database, async () => {
      teams = await makeTeams(database, pool, given.teams, given.chunks, note);
    }),
  );
  print('the first count of all', await measured(database, () => count(database, teams)));
  await vacuum(url);
  await printSizes(database, given.teams, given.teams * given.chunks);

  const random = seededRandom(given.teams);
  const pick = () => teams[Math.floor(random() * teams.length)] as TestCompany;
  const text = await openNaturalText(folder, 1);
  const [first] = teams as [TestCompany];
  await printSearches(
    database,
    'a search in random Teams',
    Array.from({ length: given.searches }, pick),
    text,
  );
  await printSearches(
    database,
    'a search in one Team',
    Array.from({ length: given.searches }, () => first),
    text,
  );

  const uncounted = () => measured(database, () => pageUncounted(database, first));
  print('the check for uncounted Teams at a start', await uncounted());
  print(
    'keywords.count with nothing to do, 100 Teams',
    await measured(database, () => count(database, teams.slice(0, 100))),
  );
  await printJobs(database, 'idle');
  const changed = Array.from({ length: Math.ceil(teams.length * CHANGED_SHARE) }, pick);
  const start = performance.now();
  await ingest(database, changed, text);
  const rate = (changed.length * INGESTED_CHUNKS * 1000) / (performance.now() - start);
  print('ingest in random Teams, one at a time', `${rate.toFixed(0)} passages a second`);
  await ingest(database, changed, text);
  await printJobs(database, `${changed.length} Teams changed`);
  print(
    `keywords.count of ${changed.length} changed Teams`,
    await measured(database, () => count(database, changed)),
  );
}

const { values } = parseArgs({
  options: {
    teams: { type: 'string', default: '10000' },
    chunks: { type: 'string', default: '200' },
    searches: { type: 'string', default: '400' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const folder = retrievalFolder();
if (values.help) process.stdout.write(`${HELP}\n`);
else if (folder === null || databaseUrl === undefined) {
  process.stderr.write(`${HELP}\n`);
  process.exitCode = 1;
} else {
  const own = await createEmptyDatabase(databaseUrl);
  const database = openPostgres(own.url, createLogger('fatal', 'bench'));
  try {
    await prepareDatabase(database);
    // Makes the tables of the queue, which some jobs read.
    const queue = await openQueue({
      database,
      databaseUrl: own.url,
      supervise: false,
      logger: createLogger('fatal', 'bench'),
      drainMs: 1000,
    });
    await queue.stop();
    const [teams, chunks, searches] = [Number(values.teams), Number(values.chunks), Number(values.searches)];
    await run(database, own.url, folder, { teams, chunks, searches });
  } finally {
    await database.close();
    await own.drop();
  }
}
