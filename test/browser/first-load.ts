import type { Browser } from 'playwright-core';
import type { SignedIn, TestApp } from '../support/app.ts';
import { addCaptures } from '../support/captures.ts';
import { plantImports } from '../support/import-records.ts';
import { addMemories } from '../support/memories.ts';
import { addClient, addPerson } from '../support/team.ts';
import { file } from '../support/workspace.ts';
import { profileOf } from './pages/support.ts';

const RECORDS = 60;

const FIRST_ROW = 'main [aria-rowindex="2"]';
/** What is there when a page shows its data. */
export const PAGES: Readonly<Record<string, string>> = {
  '/': 'main dd svg',
  '/search?q=harbour': 'main ol h2',
  '/sources': FIRST_ROW,
  '/sources/{id}': 'main div[dir="auto"]',
  '/memories': FIRST_ROW,
  '/files': FIRST_ROW,
  '/imports': FIRST_ROW,
  '/review': 'main h2',
  '/captures': FIRST_ROW,
  '/people': FIRST_ROW,
  '/clients': FIRST_ROW,
  '/tokens': FIRST_ROW,
  '/activity': 'main svg[role="img"]',
  '/audit': FIRST_ROW,
  '/settings': 'main input',
  '/company': FIRST_ROW,
  '/jobs': 'main tbody tr',
  '/account': FIRST_ROW,
};

const WORDS = 'harbour crane walrus lighthouse tide anchor ferry signal rope keel mast gull'.split(' ');
/** What renders Markdown is a part of what the pages of texts load. */
const paragraph = (n: number) =>
  `**Notes** ${Array.from(
    { length: 80 },
    (_, at) => `${WORDS[(n * 7 + at * (1 + (n % 5))) % WORDS.length]}${at % 9 === 0 ? n : ''}`,
  ).join(' ')}`;

/**
 * Fills a Team with more of everything than a page shows at first.
 * @returns the id of a source
 */
export async function fill(service: TestApp, company: SignedIn, sources = RECORDS): Promise<string> {
  const client = await addClient(service, company);
  let last = '';
  for (let n = 0; n < sources; n += 1) {
    const scope = n % 3 === 0 ? { clientId: client } : {};
    const tags = [WORDS[n % WORDS.length]!];
    last = (await company.api.ingestSource({ title: `Source ${n}`, text: paragraph(n), scope, tags })).source
      .id;
  }
  for (const state of ['review', 'published'] as const) {
    // A batch has at most 40 items.
    for (let from = 0; from < RECORDS; from += 20) {
      const items = Array.from({ length: 20 }, (_, n) => ({
        title: `Memory ${from + n} ${state}`,
        content: paragraph(from + n + (state === 'review' ? 2000 : 3000)),
      }));
      await addMemories(company, state, items);
    }
  }
  await addCaptures(service, company, RECORDS);
  await plantImports(service, company, RECORDS);
  const files = Array.from({ length: 90 }, (_, n) => file(`team/folder ${n % 9}/file ${n}.md`, paragraph(n)));
  await company.api.pushFiles({ files });
  for (let n = 0; n < RECORDS; n += 1) await addPerson(service, company, { teamRole: 'member' });
  await company.api.createToken({ name: 'An agent', teamId: company.teamId, permissions: ['memory:read'] });
  return last;
}

/** Runs in the page, whose types this program does not know. */
const isThere = (selector: string) =>
  (
    globalThis as unknown as { document: { querySelector(selector: string): unknown } }
  ).document.querySelector(selector) !== null;

export interface Load {
  /** From the navigation until the data is shown. */
  ms: number;
  /** Over the wire, when nothing is loading any more. */
  kB: number;
  requests: number;
}

/**
 * Loads one of the pages in a new profile. It is looked at before each frame: a locator waits up to half a second between
 * two looks.
 * @param source the one that the page of a source shows
 */
export async function load(
  browser: Browser,
  base: string,
  name: string,
  { token, source }: { token: string; source: string },
): Promise<Load> {
  const context = await profileOf(browser, base, token);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  let [bytes, requests] = [0, 0];
  network.on('Network.requestWillBeSent', ({ request: { url } }) => {
    // On a slow machine a page still loads when it asks for the service's health for the first time.
    if (!url.startsWith('data:') && !url.endsWith('/v1/health')) requests += 1;
  });
  network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  const began = performance.now();
  await page.goto(base + name.replace('{id}', source), { waitUntil: 'commit' });
  await page.waitForFunction(isThere, PAGES[name]!, { polling: 'raf' });
  const ms = performance.now() - began;
  await page.waitForLoadState('networkidle');
  await context.close();
  return { ms, kB: bytes / 1000, requests };
}
