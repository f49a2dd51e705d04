import { fill, type Load, load, PAGES } from '../test/browser/first-load.ts';
import { buildTestApp } from '../test/support/app.ts';
import { launchBrowser } from '../test/support/needs/browser.ts';
import { runBench } from './support/bench.ts';
import { withDatabase } from './support/databases.ts';
import { median } from './support/report.ts';

const SOURCES = 1000;
const [MAX_MS, MAX_KB, MAX_REQUESTS] = [1000, 250, 20];

await runBench(
  {
    name: 'bench:pages',
    about: `How long each page of the console takes from the navigation to its first row, and what a first load weighs, in a Team
with ${SOURCES} sources on the embedded database. It needs a built console (npm run build).`,
    options: { loads: [5, 'of each page'] },
  },
  ({ loads }, report) =>
    withDatabase('embedded', async ({ database, url }) => {
      const service = await buildTestApp(database, url);
      const company = await service.company();
      const source = await fill(service, company, SOURCES);
      const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
      const browser = await launchBrowser();
      report.row('', ['p50 ms', 'longest ms', 'kB', 'requests']);
      for (const name of Object.keys(PAGES)) {
        const all: Load[] = [];
        for (let n = 0; n < loads; n += 1) all.push(await load(browser, base, name, { ...company, source }));
        const [ms, kB, requests] = (['ms', 'kB', 'requests'] as const).map((figure) =>
          median(all.map((one) => one[figure])),
        ) as [number, number, number];
        report.hold(`${name}, ms`, ms, MAX_MS);
        report.hold(`${name}, kB`, kB, MAX_KB);
        report.hold(`${name}, requests`, requests, MAX_REQUESTS + 1);
        report.row(name, [ms, Math.max(...all.map((one) => one.ms)), kB, requests], '', 0);
      }
      report.print(`Held: ${MAX_MS} ms, ${MAX_KB} kB, ${MAX_REQUESTS} requests.`);
      await browser.close();
      await service.app.close();
      await service.queue.stop();
    }),
);
