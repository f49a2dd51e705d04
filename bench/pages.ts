import type { Browser, Page } from 'playwright-core';
import { openEmbedded } from '../db/driver/embedded.ts';
import { findings, LOOKS, openWithAxe } from '../test/browser/console/axe.ts';
import { openConsole, weigh } from '../test/browser/console/console-tab.ts';
import { buildTestApp, type SignedIn, type TestApp } from '../test/support/app.ts';
import { addCaptures } from '../test/support/captures.ts';
import { percentile } from '../test/support/generated-text.ts';
import { plantImports } from '../test/support/import-records.ts';
import { addMemories } from '../test/support/memories.ts';
import { launchBrowser } from '../test/support/needs/browser.ts';
import { prepareDatabase } from '../test/support/needs/database.ts';
import { addClient, addPerson } from '../test/support/team.ts';
import { file, workspaceOf } from '../test/support/workspace.ts';

/**
 * `npm run bench:pages`: what a first load of each page of the console weighs, how long it takes from the navigation to
 * the first row, and what axe finds, in a Team with 1,000 sources on the embedded database.
 */
const SOURCES = 1000;
const MEMORIES = 60;
const LOADS = 5;
const TARGET_MS = 1000;
const MAX_BYTES = 100_000;
const MAX_REQUESTS = 40;

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
    const stored = await company.ask.ingestSource({
      title: `Source ${n}`,
      text: paragraph(n),
      scope,
      tags: [WORDS[n % WORDS.length]],
    });
    if (stored.statusCode !== 201) throw new Error(stored.body);
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
  await company.ask.createToken({
    name: 'An agent',
    teamId: company.teamId,
    permissions: ['memory:read'],
  });
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

const embedded = await openEmbedded({ dataDir: null });
await prepareDatabase(embedded);
const service = await buildTestApp(embedded, undefined);
const company = await service.company();
console.log(`a Team with ${SOURCES} sources is made`);
await fill(service, company);
const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
const browser = await launchBrowser();
let isWithin = true;

console.log('page               bytes  requests  first row: median (all loads)          axe finds');
for (const [path, selector] of Object.entries(PAGES)) {
  const url = `${base}${path}`;
  const shown = (page: Page) => page.locator(selector).first().waitFor();
  const { token } = company;
  const { bytes, requests } = await weigh(browser, { url, token, shown });
  const times: number[] = [];
  for (let n = 0; n < LOADS; n += 1) times.push(await load(browser, url, token, selector));
  let found = 0;
  const page = await openWithAxe(browser, url, token);
  await shown(page);
  for (const look of LOOKS) found += (await findings(page, look)).length;
  await page.context().close();
  const median = percentile(times, 0.5);
  const all = times.map((ms) => ms.toFixed(0)).join(', ');
  console.log(
    `${path.padEnd(18)} ${String(bytes).padStart(6)} ${String(requests).padStart(8)}  ${median.toFixed(0).padStart(5)} ms (${all})`.padEnd(
      75,
    ),
    found,
  );
  if (median > TARGET_MS || bytes > MAX_BYTES || requests > MAX_REQUESTS || found > 0) isWithin = false;
}
await browser.close();
await service.close();
if (!isWithin) {
  console.error(
    `A page is above ${TARGET_MS} ms, ${MAX_BYTES} bytes or ${MAX_REQUESTS} requests, or axe found something`,
  );
  process.exitCode = 1;
}
