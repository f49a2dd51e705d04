import { openCollector } from '../test/support/otlp.ts';
import { ROOT } from '../test/support/root.ts';
import { runBench, textsFolder } from './support/bench.ts';
import { openCheckout } from './support/checkout.ts';
import { WITH_LIMITS } from './support/child.ts';
import { backendsOf, startCpuTimer } from './support/cpu.ts';
import { describeDatabase, withServerDatabase } from './support/databases.ts';
import { median } from './support/report.ts';
import { inTurns } from './support/rounds.ts';
import { drawSearches, openSearcher, type Searcher, sessionHeaders } from './support/searches.ts';

/** Searches of one kind before those of the next, so that a change of the machine's speed affects all. */
const IN_TURN = 20;
/** What one search of twenty that is recorded may cost, of a search. */
const MAX_COST = 0.01;

const SAMPLED = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio' };
const KINDS: readonly [name: string, settings: Record<string, string>][] = [
  ['no traces', { OTEL_SDK_DISABLED: 'true' }],
  ['5 % recorded', { ...SAMPLED, OTEL_TRACES_SAMPLER_ARG: '0.05' }],
  ['all recorded', { ...SAMPLED, OTEL_TRACES_SAMPLER_ARG: '1' }],
];

await runBench(
  {
    name: 'bench:trace',
    about:
      'What do traces cost? Searches over HTTP, without traces, with one of twenty recorded, and with all, in turns: the CPU time of the API and of the database for one search.',
    options: {
      size: [1600, 'passages of the Team'],
      rounds: [5, 'the figures are medians of the rounds'],
      searches: [400, 'searches of each kind in a round'],
    },
    needs: ['texts', 'server', 'linux'],
  },
  ({ size, rounds, searches }, report) =>
    withServerDatabase(async (url) => {
      const checkout = await openCheckout('now', ROOT, { url }, textsFolder());
      const collector = await openCollector();
      const searchers: Searcher[] = [];
      report.print(await describeDatabase(checkout.database));
      const team = await checkout.fill(size);
      await checkout.maintain('analyze');
      const headers = await sessionHeaders(checkout.database, team.company);
      for (const [, settings] of KINDS) {
        const exported = { ...WITH_LIMITS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...settings };
        searchers.push(await openSearcher(await checkout.startApi(exported), headers));
      }
      const drawn = drawSearches(team, IN_TURN);
      const turns = Math.ceil(searches / IN_TURN);
      const measured = await inTurns(
        searchers,
        { rounds: rounds * turns, warmUp: turns },
        async ({ api, send, requestOf }) => {
          const requests = drawn.map((search) => requestOf(search));
          const timers = [[api.child.pid], await backendsOf(checkout.database)].map(startCpuTimer);
          for (const request of requests) await send(request);
          return timers.map((timer) => timer() / IN_TURN);
        },
      );
      /** The CPU time of one search in each round, in ms. */
      const byRound = (kind: number, part: number) =>
        Array.from({ length: rounds }, (_, round) => {
          const own = measured[kind]!.slice(round * turns, (round + 1) * turns);
          return own.reduce((sum, figures) => sum + figures[part]!, 0) / turns;
        });
      const [api, database] = [0, 1].map((part) => KINDS.map((_, kind) => byRound(kind, part))) as [
        number[][],
        number[][],
      ];
      const whole = median(api[0]!) + median(database[0]!);
      report.row('CPU of one search, ms', ['API', 'database', 'more', 'of a search']);
      for (const [kind, [name]] of KINDS.entries()) {
        // Compared round by round, because the machine's speed changes between rounds. The database does the same work.
        const more = median(api[kind]!.map((ms, round) => ms - api[0]![round]!));
        const share = more / whole;
        const held = report.hold(`${name}, of a search`, share, kind === 1 ? MAX_COST : null);
        const figures = [median(api[kind]!), median(database[kind]!), more, `${(share * 100).toFixed(2)} %`];
        report.row(name, figures, held, 3);
      }
      for (const searcher of searchers) await searcher.close();
      await collector.close();
      await checkout.close();
      const bytes = collector.bodies.reduce((sum, { length }) => sum + length, 0);
      report.print(`${collector.spans.length} spans, ${bytes} bytes`);
    }),
);
