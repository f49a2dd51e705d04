import pg from 'pg';
import { runBench, textsFolder } from './support/bench.ts';
import { type Checkout, withCheckouts } from './support/checkout.ts';
import { WITH_LIMITS } from './support/child.ts';
import { backendsOf, pinToCore, startCpuTimer } from './support/cpu.ts';
import { describeDatabase, withServerDatabase } from './support/databases.ts';
import type { FilledTeam } from './support/filled-teams.ts';
import { median, type Report } from './support/report.ts';
import { inTurns, timed } from './support/rounds.ts';
import { drawSearches, openSearcher, type Searcher, sessionHeaders } from './support/searches.ts';

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
  teams: FilledTeam[];
}

/** The driver of the service sends bytes of any kind, and `pg` those of a Buffer. */
const asBuffer = (value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;

/** One kind of search in one checkout. */
interface Case {
  checkout: Checkout;
  searcher: Searcher;
  run: (nth: number) => Promise<unknown>;
}

/** Over HTTP, with vectors in the form that costs the checkout least; bare; and over HTTP with vectors as numbers. */
async function casesOf(
  { checkout }: Filled,
  team: FilledTeam,
  searcher: Searcher,
  client: pg.Client,
): Promise<Case[]> {
  await client.connect();
  const searches = drawSearches(team, SEARCHES);
  const statements = await Promise.all(
    searches.map(({ query, vector }) => checkout.statementsOf(team, query, vector)),
  );
  const overHttp = (form: 'base64' | 'numbers') => {
    const requests = searches.map((search) => searcher.requestOf(search, form));
    return (nth: number) => searcher.send(requests[nth]!);
  };
  /** As one would write it by hand: each statement is sent when the one before is answered. */
  const runBare = async (nth: number) => {
    for (const { text, values = [] } of [{ text: 'begin' }, ...statements[nth]!, { text: 'commit' }])
      await client.query(text, values.map(asBuffer));
  };
  const runs = [overHttp(searcher.form), runBare, overHttp('numbers')];
  return runs.map((run) => ({ checkout, searcher, run }));
}

/** The times of a round, in ms, and its CPU time for one search. */
async function measureRound({ checkout, searcher, run }: Case, core: number) {
  const pids = await backendsOf(checkout.database);
  for (const pid of pids) pinToCore(pid, core);
  const timers = [[searcher.api.child.pid], pids, [process.pid]].map(startCpuTimer);
  const times: number[] = [];
  for (let nth = 0; nth < SEARCHES; nth += 1) times.push(await timed(() => run(nth)));
  const [api = 0, database = 0, client = 0] = timers.map((timer) => timer() / SEARCHES);
  return { times, api, database, client };
}

await runBench(
  {
    name: 'bench:requests',
    about:
      'What a search over HTTP costs, next to its bare statement: on one core, with the client and the database on the same core, rate limits on, and a session token.',
    options: {
      sizes: [[200, 600, 1600, 9000, 100_000], 'passages of the Teams'],
      rounds: [15, `rounds of ${SEARCHES} searches`],
      core: [0, 'the core to use'],
      before: ['', 'the folder of another checkout, which is measured in turns with this one'],
    },
    needs: ['texts', 'server', 'linux'],
  },
  async ({ sizes, rounds, core, before }, report) => {
    const measure = async (checkouts: readonly Checkout[]) => {
      const filled: Filled[] = checkouts.map((checkout) => ({ checkout, teams: [] }));
      report.print(await describeDatabase(checkouts[0]!.database));
      for (const { checkout, teams } of filled) {
        for (const size of sizes) teams.push(await checkout.fill(size));
        await checkout.maintain('vacuum analyze');
      }
      pinToCore(process.pid, core);
      report.print(`\none core, ${rounds} rounds of ${SEARCHES} searches; ms; ratios of HTTP and bare`);
      const heads = ['HTTP p50', 'as numbers', 'bare p50', 'ratio', 'API CPU', 'DB CPU', 'bare DB'];
      report.row('', [...heads, 'CPU ratio']);
      const apis = await Promise.all(checkouts.map((checkout) => checkout.startApi(WITH_LIMITS)));
      for (const { child } of apis) pinToCore(child.pid, core);
      for (const [index, size] of sizes.entries()) {
        const clients = checkouts.map(({ url }) => new pg.Client({ connectionString: url }));
        const cases: Case[] = [];
        for (const [place, one] of filled.entries()) {
          const team = one.teams[index]!;
          const headers = await sessionHeaders(one.checkout.database, team.company);
          cases.push(
            ...(await casesOf(one, team, await openSearcher(apis[place]!, headers), clients[place]!)),
          );
        }
        const warmUp = index === 0 ? FIRST_WARM_UP_ROUNDS : WARM_UP_ROUNDS;
        const measured = await inTurns(cases, { rounds, warmUp }, (one) => measureRound(one, core));
        printRows(
          size,
          checkouts.map(({ name }, place) => [name, measured.slice(3 * place, 3 * place + 3)]),
          report,
        );
        for (const client of clients) await client.end();
      }
      for (const { child } of apis) await child.end();
    };
    await withCheckouts(before, textsFolder(), (use) => withServerDatabase((url) => use({ url })), measure);
  },
);

type Samples = Awaited<ReturnType<typeof measureRound>>[];

function printRows(size: number, all: readonly [name: string, Samples[]][], report: Report): void {
  const p50 = (samples: Samples) => median(samples.flatMap(({ times }) => times));
  const cpu = (samples: Samples, ...of: ('api' | 'database' | 'client')[]) =>
    of.reduce((sum, part) => sum + median(samples.map((sample) => sample[part])), 0);
  const ofService = all.map(([name, samples]) => {
    const [http, bare, numbers] = samples as [Samples, Samples, Samples];
    const ratio = p50(http) / p50(bare);
    const most = name === 'now' ? MAX_OF_BARE.get(size) : null;
    const held = report.hold(`a search in ${size} passages, of its bare statement`, ratio, most);
    const cpus = [cpu(http, 'api'), cpu(http, 'database'), cpu(bare, 'database')];
    const shares = [http, bare].map((samples) => cpu(samples, 'api', 'database', 'client'));
    const figures = [p50(http), p50(numbers), p50(bare), ratio, ...cpus, shares[0]! / shares[1]!];
    report.row(`${size} passages, ${name}`, figures, held);
    return cpu(http, 'api', 'database');
  });
  const [before, now] = ofService;
  if (before === undefined || now === undefined) return;
  const held = report.hold(`CPU time in ${size} passages, of before`, now / before, MAX_CPU_OF_BEFORE);
  report.print(`  CPU of before: ${(now / before).toFixed(2)} (${held})`);
}
