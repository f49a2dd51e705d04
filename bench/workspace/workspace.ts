import { buildTestApp } from '../../test/support/app.ts';
import { addClient } from '../../test/support/team.ts';
import { askingAt } from '../support/asking.ts';
import { runBench } from '../support/bench.ts';
import { places, vacuum, withDatabase } from '../support/databases.ts';
import { bareCopies } from './bare.ts';
import { measureTransfer } from './transfer.ts';
import { fillTree } from './tree.ts';
import { measureTrees, type Tree } from './tree-times.ts';

const SMALL = 1000;
const MANY_CLIENTS = 200;
const LOOPBACK = { host: '127.0.0.1', port: 0 };

await runBench(
  {
    name: 'bench:workspace',
    about: `How long pushes and pulls take beside a bare copy of the same bytes, and how manifests, since and pushes grow with the
tree. Over HTTP. Times depend on the machine; the ratios, taken in the same run, hardly do.`,
    options: {
      rounds: [9, 'on PostgreSQL; a third of them on the embedded database'],
      files: [100_000, 'of the large trees'],
    },
    needs: ['both'],
  },
  async ({ rounds: most, files: large }, report) => {
    for (const place of places()) {
      await withDatabase(place, async ({ database, url }) => {
        const isServer = url !== undefined;
        for (const table of isServer ? ['workspace_version', 'workspace_blob'] : []) {
          // Statistics are to be there when the bench says so: without them is how a tree stands after its first sync.
          await database.query(`alter table memory.${table} set (autovacuum_enabled = false)`);
        }
        const service = await buildTestApp(database, url);
        const bare = bareCopies(database);
        const [company, rounds] = [await service.company(), isServer ? most : Math.ceil(most / 3)];
        report.print(`\n${database.backend}, medians of ${rounds}`);
        const base = await service.app.listen(LOOPBACK);
        const askingService = askingAt(base);
        const own = askingAt(base, { headers: company.headers });
        const askingBare = askingAt(await bare.listen(LOOPBACK));
        await measureTransfer({ service: own, bare: askingBare, rounds }, report);

        const tree = async (files: number, clients = 1): Promise<Tree> => {
          const made = await service.company();
          const clientIds: string[] = [];
          for (let n = 0; n < clients; n += 1) clientIds.push(await addClient(service, made));
          if (files > 0) await fillTree(database, made, clientIds, files);
          return { headers: made.headers, files, layers: clients + 1 };
        };
        const trees = {
          service: askingService,
          large: await tree(large),
          divided: await tree(large, MANY_CLIENTS),
          small: await tree(SMALL),
          empty: () => tree(0),
          rounds,
          holdTimes: isServer,
        };
        report.print('\nwithout statistics');
        await measureTrees(trees, 'before', report);
        await vacuum({ database, url });
        report.print('\nwith statistics');
        await measureTrees(trees, 'after', report);
        for (const asking of [askingService, own, askingBare]) asking.close();
        await bare.close();
        await service.app.close();
        await service.queue.stop();
      });
    }
  },
);
