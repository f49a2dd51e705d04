import { parseArgs } from 'node:util';
import { databaseUrl } from '../test/support/needs/database.ts';
import { createEmptyDatabase } from '../test/support/needs/own-database.ts';
import { openCollector } from '../test/support/otlp.ts';
import { retrievalFolder } from '../test/support/retrieval-set.ts';
import { ROOT } from '../test/support/root.ts';
import { describeDatabase, describeRun, SearchReport } from './search/report.ts';
import { openCheckout, searchBody, sessionHeaders } from './support/checkout.ts';
import type { Child } from './support/child.ts';
import { keepConnection, requestBytes } from './support/connection.ts';
import { startCpuTimer } from './support/cpu.ts';
import { median } from './support/report.ts';

const HELP = `npm run bench:trace -- [options]

What do traces cost? Searches over HTTP, without traces, with one of twenty recorded, and with all, in turns: the CPU
time of the API and of the database for one search. Linux only. It exits with code 1 if one of twenty costs 1 % or more.

  --size N        passages of the Team, 1600
  --rounds N      5; the figures are medians of the rounds
  --searches N    searches of each kind in a round, 400

MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server of this machine on which databases can be made.`;

/** Searches of one kind before those of the next, so that a change of the machine's speed affects all. */
const IN_TURN = 20;
const MAX_COST = 0.01;

const SAMPLED = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' };
const KINDS: readonly [name: string, settings: Record<string, string>][] = [
  ['no traces', { OTEL_SDK_DISABLED: 'true' }],
  ['5 % recorded', { ...SAMPLED, OTEL_TRACES_SAMPLER_ARG: '0.05' }],
  ['all recorded', { ...SAMPLED, OTEL_TRACES_SAMPLER_ARG: '1' }],
];

interface Kind {
  name: string;
  child: Child;
  /** Sends the next search. */
  search: () => Promise<void>;
  /** The CPU time of one search in each round, in ms. */
  api: number[];
  database: number[];
  close: () => Promise<void>;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '1600' },
      rounds: { type: 'string', default: '5' },
      searches: { type: 'string', default: '400' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return;
  }
  const texts = retrievalFolder();
  if (texts === null)
    throw new Error('MEMORY_TEST_XQUAD_R: expected the folder of the questions (see --help)');
  if (databaseUrl === undefined) throw new Error('MEMORY_TEST_DATABASE_URL: expected a server (see --help)');
  const [size, rounds, searches] = [values.size, values.rounds, values.searches].map(Number) as [
    number,
    number,
    number,
  ];
  if (![size, rounds, searches].every(Number.isInteger)) throw new Error('expected numbers (see --help)');

  const report = new SearchReport();
  report.print(await describeRun());
  const own = await createEmptyDatabase(databaseUrl);
  const checkout = await openCheckout('now', ROOT, own.url, texts);
  const collector = await openCollector();
  const kinds: Kind[] = [];
  try {
    report.print(await describeDatabase(checkout.database));
    const team = await checkout.fill(size);
    await checkout.database.query('analyze');
    const headers = await sessionHeaders(checkout, team);
    const bodies = Array.from({ length: IN_TURN }, () =>
      searchBody({ query: team.text.question(), vector: team.vectors.vector() }, 'base64'),
    );
    for (const [name, settings] of KINDS) {
      const { child, url } = await checkout.startApi(own.url, {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        ...settings,
      });
      const connection = await keepConnection(url);
      const requests = bodies.map((body) => requestBytes(url, '/v1/memory/search', headers, body));
      let next = 0;
      kinds.push({
        name,
        child,
        search: async () => {
          await connection.send(requests[next++ % requests.length]!);
        },
        api: [],
        database: [],
        close: async () => {
          connection.close();
          await child.end();
        },
      });
    }
    const backends = async () =>
      checkout.database.query<{ pid: number }>(
        `select pid from pg_stat_activity
          where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const [api, database] = [kinds.map(() => 0), kinds.map(() => 0)];
      const pids = (await backends()).map(({ pid }) => pid);
      for (let done = 0; done < searches; done += IN_TURN) {
        for (let turn = 0; turn < kinds.length; turn += 1) {
          const index = (turn + done / IN_TURN) % kinds.length;
          const kind = kinds[index]!;
          const [apiCpu, databaseCpu] = [startCpuTimer([kind.child.pid]), startCpuTimer(pids)];
          for (let n = 0; n < IN_TURN; n += 1) await kind.search();
          api[index]! += apiCpu();
          database[index]! += databaseCpu();
        }
      }
      if (round === 0) continue;
      for (const [index, kind] of kinds.entries()) {
        kind.api.push(api[index]! / searches);
        kind.database.push(database[index]! / searches);
      }
    }
    reportKinds(kinds, report);
  } finally {
    for (const kind of kinds) await kind.close();
    await collector.close();
    await checkout.close();
    await own.drop();
  }
  report.print(
    `${collector.spans.length} spans, ${collector.bodies.reduce((n, { length }) => n + length, 0)} bytes`,
  );
  for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
  process.exitCode = report.faults.length > 0 ? 1 : 0;
}

function reportKinds(kinds: readonly Kind[], report: SearchReport): void {
  const [without] = kinds;
  const whole = (kind: Kind) => median(kind.api) + median(kind.database);
  report.row('CPU of one search, ms', ['API', 'database', 'more', 'of a search']);
  for (const kind of kinds) {
    // Compared round by round, because the machine's speed changes between rounds. The database does the same work.
    const more = median(kind.api.map((ms, round) => ms - without!.api[round]!));
    const share = more / whole(without!);
    report.row(kind.name, [
      median(kind.api).toFixed(3),
      median(kind.database).toFixed(3),
      more.toFixed(3),
      `${(share * 100).toFixed(2)} %`,
    ]);
    if (kind === kinds[1] && share >= MAX_COST) {
      report.faults.push(
        `${kind.name}: ${(share * 100).toFixed(2)} % of a search, where it must be below 1 %`,
      );
    }
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
