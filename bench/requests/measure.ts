import pg from 'pg';
import type { Statement } from '../../db/driver/database.ts';
import { openCountingProxy, throughProxy } from '../../test/support/counting-proxy.ts';
import type { SearchReport } from '../search/report.ts';
import {
  type Checkout,
  type Search,
  searchBody,
  sessionHeaders,
  type VectorForm,
  vectorFormOf,
} from '../support/checkout.ts';
import type { Child } from '../support/child.ts';
import { type KeptConnection, keepConnection, requestBytes } from '../support/connection.ts';
import { pinToCore, startCpuTimer } from '../support/cpu.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { median } from '../support/report.ts';

/** Different searches, each sent once in a round. */
const SEARCHES = 40;
/** Rounds that are not counted. In the first ones, Node still compiles the API: that doubles the CPU time of a search. */
const WARM_UP_ROUNDS = 3;
const FIRST_WARM_UP_ROUNDS = 30;
/** How many times its bare statement a search over HTTP can take, by the chunks of the Team. */
const MAX_OF_BARE = new Map([
  [600, 1.6],
  [9000, 1.3],
]);
/** What remains, at most, of the CPU time before. */
const MAX_CPU_OF_BEFORE = 0.7;

interface Filled {
  checkout: Checkout;
  teams: readonly FilledTeam[];
}

function drawSearches({ text, vectors }: FilledTeam): Search[] {
  return Array.from({ length: SEARCHES }, () => ({ query: text.question(), vector: vectors.vector() }));
}

/** How often a search waits for the database: counted by a proxy between the API and the database. */
export async function countRoundTrips(filled: readonly Filled[], report: SearchReport): Promise<void> {
  report.print('');
  for (const { checkout, teams } of filled) {
    const [team] = teams;
    if (team === undefined) continue;
    const proxy = await openCountingProxy(checkout.url);
    const api = await checkout.startApi(throughProxy(checkout.url, proxy));
    const connection = await keepConnection(api.url);
    try {
      const headers = await sessionHeaders(checkout, team);
      const form = await vectorFormOf(connection, api.url, headers);
      const counts: number[] = [];
      for (const search of drawSearches(team)) {
        const before = proxy.roundTrips;
        await connection.send(requestBytes(api.url, '/v1/memory/search', headers, searchBody(search, form)));
        counts.push(proxy.roundTrips - before);
      }
      // The median: the first request opens connections, and the queue polls.
      report.row(`round trips of a search, ${checkout.name}`, [String(median(counts))]);
    } finally {
      connection.close();
      await api.child.end();
      await proxy.close();
    }
  }
}

/** The times of one kind of search, in ms, and the CPU time of each of its rounds for one search. */
class Samples {
  readonly times: number[] = [];
  readonly clientCpu: number[] = [];
  readonly apiCpu: number[] = [];
  readonly databaseCpu: number[] = [];

  /** Of the service: without the client. */
  get cpu(): number {
    return median(this.apiCpu) + median(this.databaseCpu);
  }

  get cpuWithClient(): number {
    return this.cpu + median(this.clientCpu);
  }
}

/** A Team in a checkout, with what runs its searches. */
interface Runner {
  name: string;
  /** With vectors in the form that costs this checkout least, and with numbers. */
  http: Samples;
  numbers: Samples;
  bare: Samples;
  round(): Promise<void>;
  close(): Promise<void>;
}

async function openRunner(
  { checkout, team }: { checkout: Checkout; team: FilledTeam },
  api: { child: Child; url: URL },
  core: number,
): Promise<Runner> {
  const headers = await sessionHeaders(checkout, team);
  const searches = drawSearches(team);
  const requests = (form: VectorForm) =>
    searches.map((search) => requestBytes(api.url, '/v1/memory/search', headers, searchBody(search, form)));
  const statements: Statement[][] = [];
  for (const search of searches) statements.push(await checkout.statementsOf(team, search));
  const client = new pg.Client({ connectionString: checkout.url });
  await client.connect();
  const connection = await keepConnection(api.url);
  const backends = async () => {
    const rows = await checkout.database.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  };
  const measure = async (samples: Samples, run: (index: number) => Promise<void>) => {
    const pids = await backends();
    for (const pid of pids) pinToCore(pid, core);
    const apiCpu = startCpuTimer([api.child.pid]);
    const databaseCpu = startCpuTimer(pids);
    const clientCpu = startCpuTimer([process.pid]);
    for (let index = 0; index < SEARCHES; index += 1) {
      const began = performance.now();
      await run(index);
      samples.times.push(performance.now() - began);
    }
    samples.clientCpu.push(clientCpu() / SEARCHES);
    samples.apiCpu.push(apiCpu() / SEARCHES);
    samples.databaseCpu.push(databaseCpu() / SEARCHES);
  };
  const cheapest = requests(await vectorFormOf(connection, api.url, headers));
  const asNumbers = requests('numbers');
  const [http, numbers, bare] = [new Samples(), new Samples(), new Samples()];
  return {
    name: checkout.name,
    http,
    numbers,
    bare,
    round: async () => {
      await measure(http, (index) => sendTo(connection, cheapest[index]));
      await measure(bare, (index) => runBare(client, statements[index] ?? []));
      await measure(numbers, (index) => sendTo(connection, asNumbers[index]));
    },
    close: async () => {
      connection.close();
      await client.end();
    },
  };
}

async function sendTo(connection: KeptConnection, request: Buffer | undefined): Promise<void> {
  if (request !== undefined) await connection.send(request);
}

/** As one would write it by hand: each statement is sent when the one before is answered. */
async function runBare(client: pg.Client, statements: readonly Statement[]): Promise<void> {
  await client.query('begin');
  for (const { text, values = [] } of statements) {
    await client.query(
      text,
      values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
      ),
    );
  }
  await client.query('commit');
}

/**
 * Measures searches over HTTP and their bare statements in turns, on one core: the client, which is this process, the
 * API, and the connections of the database.
 */
export async function measureRequests(
  filled: readonly Filled[],
  { rounds, core }: { rounds: number; core: number },
  report: SearchReport,
): Promise<void> {
  const sizes = filled[0]?.teams.length ?? 0;
  const apis = await Promise.all(filled.map(({ checkout }) => checkout.startApi()));
  for (const { child } of apis) pinToCore(child.pid, core);
  report.print('');
  report.print(
    `one core, ${rounds} rounds of ${SEARCHES} searches; ms; ratios of HTTP and bare, of times and of CPU`,
  );
  report.row('', [
    'HTTP p50',
    'as numbers',
    'bare p50',
    'ratio',
    'API CPU',
    'DB CPU',
    'bare DB',
    'CPU ratio',
  ]);
  try {
    for (let index = 0; index < sizes; index += 1) {
      const runners: Runner[] = [];
      try {
        for (const [place, { checkout, teams }] of filled.entries()) {
          const [team, api] = [teams[index], apis[place]];
          if (team !== undefined && api !== undefined) {
            runners.push(await openRunner({ checkout, team }, api, core));
          }
        }
        const warmUpRounds = index === 0 ? FIRST_WARM_UP_ROUNDS : WARM_UP_ROUNDS;
        for (let round = -warmUpRounds; round < rounds; round += 1) {
          if (round === 0) runners.forEach(forget);
          for (const runner of runners) await runner.round();
        }
        printRows(filled[0]?.teams[index]?.size ?? 0, runners, report);
      } finally {
        for (const runner of runners) await runner.close();
      }
    }
  } finally {
    for (const { child } of apis) await child.end();
  }
}

/** Forgets what was measured while caches were empty. */
function forget({ http, numbers, bare }: Runner): void {
  for (const { times, clientCpu, apiCpu, databaseCpu } of [http, numbers, bare]) {
    for (const list of [times, clientCpu, apiCpu, databaseCpu]) list.length = 0;
  }
}

function printRows(size: number, runners: readonly Runner[], report: SearchReport): void {
  for (const { name, http, numbers, bare } of runners) {
    const ratio = median(http.times) / median(bare.times);
    const isNow = name === 'now';
    const most = isNow ? MAX_OF_BARE.get(size) : undefined;
    const held =
      most === undefined
        ? ''
        : report.hold(`a search in ${size} passages, of its bare statement`, ratio, most);
    report.row(
      `${size} passages, ${name}`,
      [
        median(http.times),
        median(numbers.times),
        median(bare.times),
        ratio,
        median(http.apiCpu),
        median(http.databaseCpu),
        median(bare.databaseCpu),
        http.cpuWithClient / bare.cpuWithClient,
      ].map((value) => value.toFixed(2)),
      held,
    );
  }
  const [before, now] = runners;
  if (before === undefined || now === undefined) return;
  const share = now.http.cpu / before.http.cpu;
  const held = report.hold(`CPU time in ${size} passages, of before`, share, MAX_CPU_OF_BEFORE);
  report.print(`  CPU of before: ${share.toFixed(2)} (${held})`);
}
