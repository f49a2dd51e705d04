import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { stageCapture } from '../../support/captures.ts';
import { questionBest } from '../../support/feedback.ts';
import { plantImports } from '../../support/import-records.ts';
import { makeInvitation } from '../../support/invites.ts';
import { addMemories } from '../../support/memories.ts';
import { fitsScreen, heading, title } from '../../support/pages.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, addTeam, archiveTeam } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';
import { button, press, serveConsole } from './console-tab.ts';

/** Without a place to break, right-to-left, with markup, and with a mark that reorders what follows. */
const NAMES = ['W'.repeat(300), 'فريق الدعم الفني', '<img src=x onerror=alert(1)>', '\u202Eevil'] as const;
const [LONG, RIGHT_TO_LEFT, MARKUP] = NAMES;
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
/** The limits are 100 kB and 40 requests: below them, there is room for what a page gets next. */
const [MAX_BYTES, MAX_REQUESTS] = [95_000, 38];

/** How a page is looked at: axe runs in some looks, and in all nothing extends beyond the screen. */
const LOOKS = [
  { width: 1280, colorScheme: 'light', forcedColors: 'none', axe: true },
  { width: 640, colorScheme: 'dark', forcedColors: 'none', axe: true },
  { width: 320, colorScheme: 'light', forcedColors: 'none', axe: false },
  { width: 320, colorScheme: 'dark', forcedColors: 'active', axe: false },
] as const;

const service = await openTestApp();
const { base, browser, skip, at, open } = await serveConsole(service);
const { database } = service;

const rename = (table: 'company' | 'account' | 'team' | 'client', id: string, name: string) =>
  database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);

/** A Company with some records in each list, and with the names wherever a name can be. */
async function filled() {
  const company = await service.company();
  await rename('company', company.companyId, RIGHT_TO_LEFT);
  await rename('account', company.ownerId, LONG);
  const clientId = await addClient(service, company);
  const scope = { clientId };
  for (const name of NAMES) {
    const titled = { title: name, tags: [name.slice(0, 50)], metadata: { [name.slice(0, 90)]: name } };
    await rename('client', await addClient(service, company), name);
    const person = await addPerson(service, company, { teamRole: 'member', companyRole: 'admin' });
    await rename('account', person.userId, name);
    await company.api.createInvite({ email: `${person.userId}@example.com`, role: 'member' });
    await plantImports(service, company, 1, { filename: `${name.slice(0, 290)}.txt` });
    await createAgent(service, company, company, { name });
    const uri = `https://example.com/${name}`;
    await addSource(company, { ...titled, text: `An okapi. ${name}`, externalId: name, uri, scope });
    for (const state of ['review', 'published'] as const)
      await addMemories(company, state, [{ ...titled, content: `A unicorn: ${name}` }]);
  }
  await makeInvitation(company);
  await addTeam(service, company);
  for (let n = 0; n < 12; n += 1)
    await addSource(company, { title: `Record ${n}`, text: `The okapi ${n}. `.repeat(20) });
  const paths = [LONG.slice(60), RIGHT_TO_LEFT, MARKUP.replaceAll(/[<>]/g, '&')];
  await company.api.pushFiles({ files: paths.map((name) => file(`team/${name}.md`, 'x')) });
  await questionBest(company, 'okapi', { note: MARKUP });
  // Last: making memories claims what is staged.
  for (const name of NAMES) await stageCapture(company, { sessionId: name, summary: name, scope });
  await rename('team', company.teamId, `${RIGHT_TO_LEFT} ${LONG.slice(0, 200)}`);
  return company;
}

/** Waits until the page shows its data. */
async function isShown(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  const content = page.locator('#content');
  await content.filter({ hasNotText: /Loading .* …/ }).waitFor();
}

/** A tab in which axe can run: the policy of the pages forbids its script. */
async function openWithAxe(url: string, token?: string): Promise<Page> {
  const page = await (await browser.newContext({ bypassCSP: true })).newPage();
  if (token !== undefined)
    await page.addInitScript(`sessionStorage.setItem('session-token', ${JSON.stringify(token)})`);
  await page.goto(url);
  return page;
}

/** Axe finds nothing on the page, and nothing extends beyond the screen. */
async function assertLooks(page: Page): Promise<void> {
  await page.evaluate(AXE);
  for (const { width, axe, ...media } of LOOKS) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia(media);
    assert.ok(await fitsScreen(page), `${page.url()} at ${width} px`);
    if (!axe) continue;
    const found = await page.evaluate<string[]>(
      `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
    );
    assert.deepEqual(found, [], `${page.url()} at ${width} px`);
  }
}

/** The texts of the page with one of the names that are outside of an element that isolates their direction. */
const notIsolated = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      const isNamed = ${JSON.stringify(NAMES)}.some((name) => data.includes(name));
      if (isNamed && parentElement.closest('bdi, option, [dir=auto]') === null) found.push(data);
    }
    return found;
  })()`);

describe('all pages of the console', { skip }, () => {
  let company: SignedIn;
  /** One address of each page. */
  const pages = (
    '/ /jobs /search?q=okapi /sources /review /memories /captures /imports ' +
    '/files /people /account /clients /tokens /audit /company?part=people'
  ).split(' ');

  before(async () => {
    company = await filled();
  });

  test('axe finds nothing, nothing extends beyond the screen, and names reorder no other words', async () => {
    const [source] = (await company.api.listSources({ q: LONG.slice(0, 50) })).items;
    const [memory] = (await company.api.listMemories({ state: 'published', limit: 1 })).items;
    const records = [
      `/sources/${source?.id}`,
      `/memories/${memory?.id}`,
      `/files?path=${encodeURIComponent(`team/${RIGHT_TO_LEFT}.md`)}`,
      '/people?view=access',
      '/company?part=grants',
    ];
    for (const path of [...pages, ...records]) {
      const page = await openWithAxe(at(path, company.teamId), company.token);
      await isShown(page);
      assert.deepEqual(await notIsolated(page), [], path);
      await assertLooks(page);
      await page.context().close();
    }
  });

  test('axe finds nothing on the sign-in, on a form, on a new secret and in the menu of a narrow screen', async () => {
    const signIn = await openWithAxe(base);
    await heading(signIn, 'Sign in');
    await assertLooks(signIn);
    const form = await openWithAxe(at('/company?part=people', company.teamId), company.token);
    await button(form, /^Change role/)
      .first()
      .click();
    await assertLooks(form);
    const secret = await openWithAxe(at('/tokens', company.teamId), company.token);
    await button(secret, /^Rotate/)
      .first()
      .click();
    await press(secret, 'Make a new secret');
    await heading(secret, 'Copy the token now');
    await assertLooks(secret);
    const menu = await openWithAxe(at('/', company.teamId), company.token);
    await menu.setViewportSize({ width: 320, height: 800 });
    await press(menu, 'Menu');
    assert.equal(await menu.getByRole('navigation').getByRole('link').count(), 14);
    await assertLooks(menu);
  });

  test('a first load is at most 100 kB over the wire and 40 requests', async () => {
    for (const path of pages) {
      const { page } = await open(company, '/livez');
      const network = await page.context().newCDPSession(page);
      await network.send('Network.enable');
      let [bytes, requests] = [0, 0];
      network.on('Network.requestWillBeSent', () => {
        requests += 1;
      });
      network.on('Network.loadingFinished', ({ encodedDataLength }) => {
        bytes += encodedDataLength;
      });
      await page.goto(at(path, company.teamId));
      await isShown(page);
      await page.context().close();
      assert.ok(bytes > 10_000 && bytes <= MAX_BYTES, `${path}: ${bytes} bytes`);
      assert.ok(requests > 10 && requests <= MAX_REQUESTS, `${path}: ${requests} requests`);
    }
  });

  test('in an archived Team no page sends a request that is refused', async () => {
    const archived = await service.company();
    await archiveTeam(service, archived.teamId);
    const { page, refused } = await open(archived, '/');
    for (const path of pages) {
      await page.goto(at(path, archived.teamId));
      await isShown(page);
      assert.deepEqual(refused, [], path);
    }
  });

  test('the page at / requests nothing after it has loaded', async () => {
    const { page } = await open(await service.company(), '/');
    await page.clock.install();
    await page.reload();
    await title(page, 'to do · Home · ');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(180_000);
    assert.deepEqual(asked, []);
  });
});
