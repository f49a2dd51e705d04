import { parseArgs } from 'node:util';
import { endServers } from '../test/cluster/servers/debian.ts';
import { type PostgresServer, startPostgres } from '../test/cluster/servers/postgres.ts';
import { startReplica } from '../test/cluster/servers/replica.ts';
import { retrievalFolder } from '../test/support/retrieval-set.ts';
import { ROOT } from '../test/support/root.ts';
import { describeRun, SearchReport } from './search/report.ts';
import { openCheckout, searchBody, sessionHeaders } from './support/checkout.ts';
import { keepConnection, requestBytes } from './support/connection.ts';
import { startCpuTimer } from './support/cpu.ts';
import { median } from './support/report.ts';

const HELP = `What a search over HTTP costs the primary, and what a replica, with and without reads from a replica: rate
limits on, and a session token. The two APIs answer the same searches in turns. CPU time of all processes of a
server, in ms for one search: the median of the rounds.

Usage: npm run bench:replica -- [options]

  --chunks 22000       passages of the Team; without it: 22000
  --rounds 15          rounds of 40 searches; without it: 15

MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json). Needs root, as npm run test:cluster.`;

const SEARCHES = 40;
const WARM_UP_ROUNDS = 3;

/** The processes of a server: those that serve connections, and those that write its log and its files. */
async function processesOf(server: PostgresServer): Promise<number[]> {
  const rows = await server.query('select pid from pg_stat_activity where pid <> pg_backend_pid()');
  return rows.map(({ pid }) => Number(pid));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      chunks: { type: 'string', default: '22000' },
      rounds: { type: 'string', default: '15' },
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
  const report = new SearchReport();
  report.print(await describeRun());
  const primary = await startPostgres({ shared_buffers: '512MB' });
  await primary.createDatabase('bench');
  const replica = await startReplica(primary);
  const checkout = await openCheckout('now', ROOT, primary.url('bench'), texts);
  const team = await checkout.fill(Number(values.chunks));
  await primary.query('vacuum analyze', 'bench');
  const headers = await sessionHeaders(checkout, team);

  const apis = await Promise.all(
    [{}, { MEMORY_DATABASE_REPLICA_URL: replica.url('bench') }].map(async (settings) => {
      const { child, url } = await checkout.startApi(undefined, settings);
      return {
        child,
        url,
        connection: await keepConnection(url),
        primary: [] as number[],
        replica: [] as number[],
      };
    }),
  );
  for (let round = -WARM_UP_ROUNDS; round < Number(values.rounds); round += 1) {
    const searches = Array.from({ length: SEARCHES }, () => ({
      query: team.text.question(),
      vector: team.vectors.vector(),
    }));
    for (const api of apis) {
      const onPrimary = startCpuTimer(await processesOf(primary));
      const onReplica = startCpuTimer(await processesOf(replica));
      for (const search of searches) {
        await api.connection.send(
          requestBytes(api.url, '/v1/memory/search', headers, searchBody(search, 'base64')),
        );
      }
      if (round < 0) continue;
      api.primary.push(onPrimary() / SEARCHES);
      api.replica.push(onReplica() / SEARCHES);
    }
  }
  const row = (name: string, api: (typeof apis)[number] | undefined) =>
    report.row(name, [median(api?.primary ?? []).toFixed(2), median(api?.replica ?? []).toFixed(2)]);
  report.row('CPU of a search, ms', ['primary', 'replica']);
  row('without a replica', apis[0]);
  row('with reads from a replica', apis[1]);
  for (const { child, connection } of apis) {
    connection.close();
    await child.end();
  }
  await checkout.close();
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await endServers();
}
