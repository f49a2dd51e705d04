import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { fitsScreen, openPage } from '../../support/pages.ts';
import { findings, LOOKS, type Look, openWithAxe } from './axe.ts';

/** The limits are 100 kB and 40 requests: below them, there is room for what a page gets next. */
const MAX_BYTES = 95_000;
const MAX_REQUESTS = 38;

/** A page of the console, for someone who is signed in. */
export interface ConsolePage {
  /** Where it is, with the Team. */
  url: string;
  token: string;
  /** Waits until it shows its data. */
  shown: (page: Page) => Promise<unknown>;
}

/** Waits until the page shows its data. */
export async function isShown(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page
    .locator('#content')
    .filter({ hasNotText: /Loading .* …/ })
    .waitFor();
}

const signedIn = (token: string) =>
  `if (sessionStorage.length === 0) sessionStorage.setItem('session-token', ${JSON.stringify(token)})`;

/** Opens the console in a tab in which someone is signed in already. Refused requests are kept in `refused`. */
export async function openConsole(browser: Browser, url: string, token: string) {
  const opened = await openPage(browser, url, { script: signedIn(token) });
  const refused: string[] = [];
  opened.page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  return { ...opened, refused };
}

/**
 * Keeps requests of the page on their way until they are let go. `arrived` waits for the first of them; `methods` are
 * those that are kept.
 */
export async function hold(page: Page, path: string, methods: readonly string[]) {
  const gate = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (methods.includes(route.request().method())) {
      first.resolve();
      await gate.promise;
    }
    await route.continue();
  });
  return { arrived: first.promise, letGo: gate.resolve };
}

/** Answers each question of the page whether to leave it, and keeps them. */
export function answerQuestions(page: Page, answer: 'leave' | 'stay'): string[] {
  const asked: string[] = [];
  page.removeAllListeners('dialog');
  page.on('dialog', async (question) => {
    asked.push(question.type() === 'beforeunload' ? 'beforeunload' : question.message());
    await (answer === 'leave' ? question.accept() : question.dismiss());
  });
  return asked;
}

/** A dialog that sends stays open, whatever is done to close it. */
export async function assertStaysOpen(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Cancel' }).click({ force: true });
  for (let n = 0; n < 3; n += 1) await page.keyboard.press('Escape');
  await page.getByText('Wait for the answer: it is on its way.').waitFor();
  assert.ok(await page.evaluate(`document.querySelector('dialog:modal') !== null`));
}

/** The texts of the page with this name that are outside of an element that isolates their direction. */
function notIsolated(page: Page, name: string): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (data.includes(${JSON.stringify(name)}) && parentElement.closest('bdi, option, [dir=auto]') === null) found.push(data);
    }
    return found;
  })()`);
}

/** Axe finds nothing on the page in a look, and nothing extends beyond the screen. */
export async function assertLook(page: Page, look: Look): Promise<void> {
  assert.deepEqual(await findings(page, look), [], `${page.url()} ${JSON.stringify(look)}`);
  assert.ok(await fitsScreen(page), `${page.url()} at ${look.width} px`);
}

/**
 * Axe finds nothing on the page in any look, nothing extends beyond the screen, and no text of the page with one of these
 * names is outside of an element that isolates its direction.
 */
export async function assertLooks(
  browser: Browser,
  { url, token, shown }: ConsolePage,
  names: readonly string[] = [],
): Promise<void> {
  const page = await openWithAxe(browser, url, token);
  await shown(page);
  for (const name of names) assert.deepEqual(await notIsolated(page, name), [], url);
  for (const look of LOOKS) await assertLook(page, look);
  await page.context().close();
}

/** What a first load of the page needs. */
export async function weigh(browser: Browser, { url, token, shown }: ConsolePage) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(signedIn(token));
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  let [bytes, requests] = [0, 0];
  network.on('Network.requestWillBeSent', () => {
    requests += 1;
  });
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(url);
  await shown(page);
  await context.close();
  return { bytes, requests };
}

/** A first load of the page is within the limits on bytes over the wire and requests. */
export async function assertWeight(browser: Browser, page: ConsolePage): Promise<void> {
  const { bytes, requests } = await weigh(browser, page);
  assert.ok(bytes > 10_000 && bytes <= MAX_BYTES, `${page.url}: ${bytes} bytes`);
  assert.ok(requests > 10 && requests <= MAX_REQUESTS, `${page.url}: ${requests} requests`);
}
