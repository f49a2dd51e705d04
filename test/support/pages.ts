import assert from 'node:assert/strict';
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

/** What is typed into the form of a link. */
interface Typed {
  /** Left out where the page asks for none. */
  name?: string | undefined;
  password: string;
  /** Like the password, where it is left out. */
  repeated?: string | undefined;
}

/** Fills in the form of a link as a person who reads its labels, and sends it. */
export async function sendForm(page: Page, { name, password, repeated = password }: Typed): Promise<void> {
  if (name !== undefined) await page.getByLabel('Your name').fill(name);
  await page.getByLabel(/^(New p|P)assword$/).fill(password);
  await page.getByLabel('The same password again').fill(repeated);
  await page.getByRole('button').click();
}

/** Waits until the page is about this. */
export function heading(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { name, exact: true }).waitFor();
}

/** Waits until the title of the tab contains this. A locator by text does not see the title. */
export function title(page: Page, part: string): Promise<void> {
  return page.locator(`xpath=//title[contains(., ${JSON.stringify(part)})]`).waitFor({ state: 'attached' });
}

/** The id of the element with the focus, or its text if it has no id. */
export function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.id || document.activeElement.textContent');
}

/** All that the browser keeps for the page: of this tab, and of all tabs. */
export async function storage(page: Page): Promise<{ tab: Record<string, string>; all: object }> {
  const all = await page.evaluate<object>('({ ...localStorage })');
  assert.deepEqual(await page.context().cookies(), []);
  return { tab: await page.evaluate<Record<string, string>>('({ ...sessionStorage })'), all };
}

/** The token of the session in this tab; fails where anything else is kept, or in another place. */
export async function keptSession(page: Page): Promise<string> {
  const { tab, all } = await storage(page);
  assert.deepEqual([Object.keys(tab), all], [['session-token'], {}]);
  return tab['session-token'] ?? '';
}

/** What the field is told to be wrong; null where it is not marked as wrong. */
export async function problemAt(page: Page, field: string): Promise<string | null> {
  const input = page.locator(`#${field}`);
  if ((await input.getAttribute('aria-invalid')) !== 'true') return null;
  const described = String(await input.getAttribute('aria-describedby')).split(' ');
  assert.ok(described.includes(`${field}-problem`));
  return page.locator(`#${field}-problem`).innerText();
}

/** Whether the page is no wider than the screen. */
export function fitsScreen(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');
}
