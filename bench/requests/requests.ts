import { parseArgs } from 'node:util';
import pg from 'pg';
import { databaseUrl } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { retrievalFolder } from '../../test/support/retrieval-set.ts';
import { ROOT } from '../../test/support/root.ts';
import { describeDatabase, describeRun, SearchReport } from '../search/report.ts';
import { type Checkout, openCheckout } from '../support/checkout.ts';
import { pinToCore } from '../support/cpu.ts';
import type { FilledTeam } from '../support/filled-teams.ts';
import { countRoundTrips, measureRequests } from './measure.ts';

const SIZES = [200, 600, 1600, 9000, 100_000];
const HELP = `What a search over HTTP costs, next to its bare statement: on one core, with the client and the
database on the same core, rate limits on, and a session token.

Usage: npm run bench:requests -- [options]

  --sizes 200,600      passages of the Teams; without it: ${SIZES.join(', ')}
  --rounds 15          rounds of 40 searches; without it: 15
  --core 0             the core to use; without it: 0
  --before FOLDER      another checkout, which is measured in turns with this one

MEMORY_TEST_XQUAD_R names the folder of the retrieval set (XQuAD-R, <language>.json).
MEMORY_TEST_DATABASE_URL names a PostgreSQL server of this machine on which databases can be made.`;

/** By a connection of its own: the service's own ends a statement that takes as long as this can. */
async function vacuum(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum analyze');
  await client.end();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string', default: SIZES.join(',') },
      rounds: { type: 'string', default: '15' },
      core: { type: 'string', default: '0' },
      before: { type: 'string' },
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
  const [rounds, core] = [Number(values.rounds), Number(values.core)];
  const sizes = values.sizes.split(',').map(Number);
  if (![rounds, core, ...sizes].every(Number.isInteger)) throw new Error('expected numbers (see --help)');

  const report = new SearchReport();
  report.print(await describeRun());
  const folders = values.before === undefined ? [] : [['before', values.before] as const];
  const databases: { drop(): Promise<boolean> }[] = [];
  const filled: { checkout: Checkout; teams: FilledTeam[] }[] = [];
  try {
    for (const [name, folder] of [...folders, ['now', ROOT] as const]) {
      const own = await createEmptyDatabase(databaseUrl);
      databases.push(own);
      const checkout = await openCheckout(name, folder, own.url, texts);
      const teams: FilledTeam[] = [];
      filled.push({ checkout, teams });
      if (filled.length === 1) report.print(await describeDatabase(checkout.database));
      for (const size of sizes) teams.push(await checkout.fill(size));
      await vacuum(own.url);
    }
    await countRoundTrips(filled, report);
    pinToCore(process.pid, core);
    await measureRequests(filled, { rounds, core }, report);
  } finally {
    for (const { checkout } of filled) await checkout.close();
    for (const own of databases) await own.drop();
  }
  for (const fault of report.faults) process.stderr.write(`not held: ${fault}\n`);
  process.exitCode = report.faults.length > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
