import type { Browser, Page } from 'playwright-core';

// Scripts for a page are texts: this program's own types know no document.

/**
 * A page in a profile of its own, the size of a phone. What goes wrong in it is kept in `faults`: errors, breaches
 * of its policy, and any word to another address than that of its own service.
 */
export async function openPage(
  browser: Browser,
  url: string,
  { colorScheme = 'light', script = '' }: { colorScheme?: 'light' | 'dark'; script?: string } = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 640 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource')) {
      faults.push(message.text());
    }
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== 'data:' && asked.origin !== new URL(url).origin) faults.push(request.url());
  });
  await page.addInitScript(`
    addEventListener('securitypolicyviolation', (event) =>
      console.error('violates ' + event.violatedDirective + ': ' + event.blockedURI));
    ${script}`);
  await page.goto(url);
  return { page, faults };
}

/** Waits until the title of the tab contains this. A locator by text does not see the title. */
export function title(page: Page, part: string): Promise<void> {
  return page.locator(`xpath=//title[contains(., ${JSON.stringify(part)})]`).waitFor({ state: 'attached' });
}

/** Whether the page is no wider than the screen. */
export function fitsScreen(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
}
