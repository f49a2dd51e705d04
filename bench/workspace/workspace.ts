import type { AddressInfo } from 'node:net';
import { availableParallelism, cpus } from 'node:os';
import type { Database } from '../../db/driver/database.ts';
import { openEmbedded } from '../../db/driver/embedded.ts';
import { openPostgres } from '../../db/driver/postgres.ts';
import { createLogger } from '../../shared/logger.ts';
import { buildTestApp } from '../../test/support/app.ts';
import { prepareDatabase } from '../../test/support/needs/database.ts';
import { createEmptyDatabase } from '../../test/support/needs/own-database.ts';
import { addClient } from '../../test/support/team.ts';
import { Report } from '../support/report.ts';
import { askingAt } from './asking.ts';
import { bareCopies } from './bare.ts';
import { measureTransfer } from './transfer.ts';
import { fillTree } from './tree.ts';
import { measureTrees, type Tree } from './tree-times.ts';

/**
 * `npm run bench:workspace`: how long pushes and pulls take beside a bare copy of the same bytes, and how manifests,
 * `since` and pushes grow with the tree. Over HTTP, on the embedded database and, where MEMORY_TEST_DATABASE_URL names a
 * server, in a database of its own on PostgreSQL. Times depend on the machine; the ratios, taken in the same run, hardly
 * do. Ends with exit code 1 when one is more than is allowed.
 */
const LARGE = 100_000;
const SMALL = 1000;
const MANY_CLIENTS = 200;
const ROUNDS = { pglite: 3, postgres: 9 };
const LOOPBACK = { host: '127.0.0.1', port: 0 };

const report = new Report();
const logger = createLogger('fatal', 'bench');

async function measure(database: Database, url: string | undefined): Promise<void> {
  await prepareDatabase(database);
  if (database.backend === 'postgres') {
    // Statistics are to be there when the bench says so: without them is how a tree stands after its first sync.
    for (const table of ['workspace_version', 'workspace_blob']) {
      await database.query(`alter table memory.${table} set (autovacuum_enabled = false)`);
    }
  }
  const service = await buildTestApp(database, url);
  const bare = bareCopies(database);
  await service.app.listen(LOOPBACK);
  await bare.listen(LOOPBACK);
  const [asking, askingBare] = [service.app, bare].map((app) =>
    askingAt((app.server.address() as AddressInfo).port),
  ) as [ReturnType<typeof askingAt>, ReturnType<typeof askingAt>];
  const rounds = ROUNDS[database.backend];
  report.print(
    `${database.backend}, ${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}, medians of ${rounds}`,
  );
  const { headers } = await service.company();
  await measureTransfer({ service: asking, headers, bare: askingBare, rounds }, report);

  const tree = async (files: number, clients = 1): Promise<Tree> => {
    const company = await service.company();
    const clientIds: string[] = [];
    for (let n = 0; n < clients; n += 1) clientIds.push(await addClient(service, company));
    if (files > 0) await fillTree(database, company, clientIds, files);
    return { headers: company.headers, files, layers: clients + 1 };
  };
  const trees = {
    service: asking,
    large: await tree(LARGE),
    divided: await tree(LARGE, MANY_CLIENTS),
    small: await tree(SMALL),
    empty: () => tree(0),
    rounds,
    holdTimes: database.backend === 'postgres',
  };
  report.print('\nwithout statistics');
  await measureTrees(trees, 'before', report);
  await database.query('vacuum analyze');
  report.print('\nwith statistics');
  await measureTrees(trees, 'after', report);
  report.print('');
  asking.close();
  askingBare.close();
  await bare.close();
  await service.close();
}

const server = process.env['MEMORY_TEST_DATABASE_URL'];
if (server === undefined || server === '') {
  process.stdout.write('MEMORY_TEST_DATABASE_URL is not set: PostgreSQL was not measured\n');
} else {
  const own = await createEmptyDatabase(server);
  try {
    await measure(openPostgres(own.url, logger), own.url);
  } finally {
    await own.drop();
  }
}
await measure(await openEmbedded({ dataDir: null }), undefined);

for (const fault of report.faults) process.stderr.write(`too much: ${fault}\n`);
process.exitCode = report.faults.length > 0 ? 1 : 0;
