import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

/** How a page is looked at. */
export interface Look {
  width: number;
  colorScheme: 'light' | 'dark';
  forcedColors: 'none' | 'active';
}

/** The looks in which pages are checked. */
export const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light', forcedColors: 'none' },
  { width: 640, colorScheme: 'dark', forcedColors: 'none' },
  { width: 320, colorScheme: 'light', forcedColors: 'none' },
  { width: 320, colorScheme: 'dark', forcedColors: 'active' },
];

/** A tab in which axe can run: the policy of the pages forbids its script. A test of the policy needs another tab. */
export async function openWithAxe(browser: Browser, url: string, token?: string): Promise<Page> {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  if (token !== undefined) {
    await page.addInitScript(`sessionStorage.setItem('session-token', ${JSON.stringify(token)})`);
  }
  await page.goto(url);
  return page;
}

/**
 * What axe finds on the page in a look, as a line for each element; empty where all is well. Forced colours are the
 * user's own: their contrast is not the page's.
 */
export async function findings(page: Page, { width, colorScheme, forcedColors }: Look): Promise<string[]> {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme, forcedColors });
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate<
    string[]
  >(`axe.run({ rules: { 'color-contrast': { enabled: ${forcedColors === 'none'} } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}
