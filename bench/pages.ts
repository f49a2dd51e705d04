import type { Browser } from 'playwright-core';
import { openConsole } from '../test/browser/console/console-tab.ts';
import { buildTestApp, type SignedIn, type TestApp } from '../test/support/app.ts';
import { addCaptures } from '../test/support/captures.ts';
import { plantImports } from '../test/support/import-records.ts';
import { addMemories } from '../test/support/memories.ts';
import { launchBrowser } from '../test/support/needs/browser.ts';
import { addClient, addPerson } from '../test/support/team.ts';
import { file, workspaceOf } from '../test/support/workspace.ts';
import { runBench } from './support/bench.ts';
import { withDatabase } from './support/databases.ts';
import { median } from './support/report.ts';

const SOURCES = 1000;
const MEMORIES = 60;
const TARGET_MS = 1000;

/** What is visible when a page shows its data. */
const PAGES: Readonly<Record<string, string>> = {
  '/': '.steps li:nth-child(2)[data-done]',
  '/search?q=harbour': '#content .records li',
  '/sources': '#content .records li',
  '/review': '#content .review-entry',
  '/memories': '#content .records li',
  '/captures': '#content .records li',
  '/imports': '#content .records li',
  '/files': '#content summary, #content li',
  '/people': '#content tbody tr, #content .records li',
  '/clients': '#content .records li',
  '/tokens': '#content .records li',
  '/audit': '#content tbody tr, #content .records li',
  '/company': '#content tbody tr, #content .records li',
  '/jobs': '#updated[datetime]',
};

const WORDS = 'harbour crane walrus lighthouse tide anchor ferry signal rope keel mast gull'.split(' ');
const paragraph = (n: number) =>
  Array.from(
    { length: 80 },
    (_, at) => `${WORDS[(n * 7 + at * (1 + (n % 5))) % WORDS.length]}${at % 9 === 0 ? n : ''}`,
  ).join(' ');

/** Fills a Team with what the pages show. */
async function fill(service: TestApp, company: SignedIn): Promise<void> {
  const client = await addClient(service, company);
  for (let n = 0; n < SOURCES; n += 1) {
    const scope = n % 3 === 0 ? { clientId: client } : {};
    const tags = [WORDS[n % WORDS.length]!];
    await company.api.ingestSource({ title: `Source ${n}`, text: paragraph(n), scope, tags });
  }
  for (const state of ['review', 'published'] as const) {
    // A batch has at most 40 items.
    for (let from = 0; from < MEMORIES; from += 20) {
      const items = Array.from({ length: 20 }, (_, n) => ({
        title: `Memory ${from + n} ${state}`,
        content: paragraph(from + n + (state === 'review' ? 2000 : 3000)),
      }));
      await addMemories(company, state, items);
    }
  }
  await addCaptures(service, company, MEMORIES);
  await plantImports(service, company, MEMORIES);
  const workspace = workspaceOf(service.app, company.headers);
  await workspace.push(
    Array.from({ length: 90 }, (_, n) => file(`team/folder ${n % 9}/file ${n}.md`, paragraph(n))),
  );
  for (let n = 0; n < MEMORIES; n += 1) await addPerson(service, company, { teamRole: 'member' });
  await company.api.createToken({ name: 'An agent', teamId: company.teamId, permissions: ['memory:read'] });
}

/** Runs in the page, whose types this program does not know. */
const isThere = (selector: string) =>
  (
    globalThis as unknown as { document: { querySelector(selector: string): unknown } }
  ).document.querySelector(selector) !== null;

/**
 * How long a page takes from the navigation until it shows its data, in ms. It is looked at before each frame: a locator
 * waits up to half a second between two looks.
 */
async function load(browser: Browser, url: string, token: string, selector: string): Promise<number> {
  const { page } = await openConsole(browser, 'about:blank', token);
  const began = performance.now();
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForFunction(isThere, selector, { polling: 'raf' });
  const ms = performance.now() - began;
  await page.context().close();
  return ms;
}

await runBench(
  {
    name: 'bench:pages',
    about: `How long each page of the console takes from the navigation to the first row, in a Team with ${SOURCES} sources on the
embedded database.`,
    options: { loads: [5, 'of each page'] },
  },
  ({ loads }, report) =>
    withDatabase('embedded', async ({ database, url }) => {
      const service = await buildTestApp(database, url);
      const company = await service.company();
      await fill(service, company);
      const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
      const browser = await launchBrowser();
      report.row('', ['p50 ms', 'longest ms']);
      for (const [path, selector] of Object.entries(PAGES)) {
        const times: number[] = [];
        for (let n = 0; n < loads; n += 1)
          times.push(await load(browser, `${base}${path}`, company.token, selector));
        const held = report.hold(path, median(times), TARGET_MS);
        report.row(path, [median(times), Math.max(...times)], held, 0);
      }
      await browser.close();
      await service.app.close();
      await service.queue.stop();
    }),
);
