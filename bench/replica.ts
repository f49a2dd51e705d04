import { endServers } from '../test/cluster/servers/debian.ts';
import { type PostgresServer, startPostgres } from '../test/cluster/servers/postgres.ts';
import { startReplica } from '../test/cluster/servers/replica.ts';
import { ROOT } from '../test/support/root.ts';
import { runBench, textsFolder } from './support/bench.ts';
import { openCheckout } from './support/checkout.ts';
import { WITH_LIMITS } from './support/child.ts';
import { startCpuTimer } from './support/cpu.ts';
import { median } from './support/report.ts';
import { inTurns } from './support/rounds.ts';
import { drawSearches, openSearcher, type Searcher, sessionHeaders } from './support/searches.ts';

const SEARCHES = 40;

/** Measures all processes of a server: those that serve connections, and those that write its log and its files. */
async function startTimer(server: PostgresServer): Promise<() => number> {
  const rows = await server.query('select pid from pg_stat_activity where pid <> pg_backend_pid()');
  return startCpuTimer(rows.map(({ pid }) => Number(pid)));
}

await runBench(
  {
    name: 'bench:replica',
    about: `What a search over HTTP costs the primary, and what a replica, with and without reads from a replica: rate limits
on, and a session token. The two APIs answer the same searches in turns. CPU time of all processes of a server, in ms for one
search: the median of the rounds.`,
    options: {
      chunks: [22_000, 'passages of the Team'],
      rounds: [15, `rounds of ${SEARCHES} searches`],
    },
    needs: ['texts', 'root'],
  },
  async ({ chunks, rounds }, report) => {
    const texts = textsFolder();
    try {
      const primary = await startPostgres({ shared_buffers: '512MB' });
      await primary.createDatabase('bench');
      const replica = await startReplica(primary);
      const checkout = await openCheckout('now', ROOT, { url: primary.url('bench') }, texts);
      const team = await checkout.fill(chunks);
      await primary.query('vacuum analyze', 'bench');
      const headers = await sessionHeaders(checkout.database, team.company);
      const searchers: Searcher[] = [];
      for (const settings of [{}, { MEMORY_DATABASE_REPLICA_URL: replica.url('bench') }]) {
        const api = await checkout.startApi({ ...WITH_LIMITS, ...settings });
        searchers.push(await openSearcher(api, headers));
      }
      const measured = await inTurns(searchers, { rounds, warmUp: 3 }, async ({ send, requestOf }) => {
        const requests = drawSearches(team, SEARCHES).map((search) => requestOf(search));
        const timers = [await startTimer(primary), await startTimer(replica)];
        for (const request of requests) await send(request);
        return timers.map((timer) => timer() / SEARCHES);
      });
      report.row('CPU of a search, ms', ['primary', 'replica']);
      for (const [index, name] of ['without a replica', 'with reads from a replica'].entries())
        report.row(
          name,
          [0, 1].map((server) => median(measured[index]!.map((figures) => figures[server]!))),
        );
      for (const searcher of searchers) await searcher.close();
      await checkout.close();
    } finally {
      await endServers();
    }
  },
);
