import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { TestApp } from '../../support/app.ts';
import { openBrowser } from '../open-browser.ts';

/** The name of the cookie of the console of a service at an address with http. */
const cookieName = (base: string) => {
  const digest = createHash('sha256').update(new URL(base).host).digest().subarray(0, 8);
  return `memory-${Array.from(digest, (byte) => String.fromCharCode(97 + (byte % 26))).join('')}`;
};

/** A tab of the console; what goes wrong in it is kept in `faults`, and requests that were refused in `refused`. */
export interface Tab {
  page: Page;
  faults: string[];
  refused: string[];
}

/** Opens a tab of a browser profile, at an address of the console. */
export async function openTab(context: BrowserContext, url: string): Promise<Tab> {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const [faults, refused]: [string[], string[]] = [[], []];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${new URL(answer.url()).pathname}`);
  });
  await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    console.error('violates ' + event.violatedDirective + ': ' + event.blockedURI));`);
  await page.goto(url);
  return { page, faults, refused };
}

/** A profile of a browser in which someone is signed in, or nobody. */
export async function profileOf(
  browser: Browser,
  base: string,
  token: string | null,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  if (token !== null)
    await context.addCookies([
      { name: cookieName(base), value: token, url: base, httpOnly: true, sameSite: 'Strict' },
    ]);
  return context;
}

/** The console on a port. A test in whose tabs something goes wrong fails. Call it at file level. */
export async function openPages(service: Pick<TestApp, 'app'>) {
  const tabs: Tab[] = [];
  // Registered before the one that closes the tabs: what a test answers in place of the service may still be on its way.
  afterEach(async () => {
    const ended = tabs.splice(0);
    for (const { page } of ended) {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    }
    assert.deepEqual(
      ended.flatMap(({ faults }) => faults),
      [],
    );
  });
  const { base, browser, skip } = await openBrowser(service);
  /** Opens a page in a profile of its own, as someone in their Team. */
  async function open({ token, teamId }: { token: string; teamId: string }, path: string): Promise<Tab> {
    const query = `${path.includes('?') ? '&' : '?'}team=${teamId}`;
    return openIn(await profileOf(browser, base, token), `${path}${query}`);
  }
  /** Opens a page in a profile. */
  async function openIn(context: BrowserContext, path: string): Promise<Tab> {
    const tab = await openTab(context, `${base}${path}`);
    tabs.push(tab);
    return tab;
  }
  return { base, browser, skip, open, openIn };
}
