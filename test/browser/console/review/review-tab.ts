import type { Browser, Page } from 'playwright-core';
import type { SignedIn } from '../../../support/app.ts';
import type { GivenItem } from '../../../support/consolidation.ts';
import { addMemories, listMemories } from '../../../support/memories.ts';
import type { Caller } from '../../../support/team.ts';
import { openConsole } from '../console-tab.ts';

/** A text that others are compared with. */
export const GATEWAY =
  'The VPN gateway is vpn1.example.com on port 443. Carl renews its certificate each spring.';

/** Puts items with these titles into review. The first one is the newest, so that it is first on the page. */
export async function queue(caller: Caller, titles: readonly string[], given: GivenItem = {}) {
  const items = titles.map((title) => ({ title, content: `A fact of ${title}.`, ...given }));
  return (await addMemories(caller, 'review', items.toReversed())).toReversed();
}

/** Titles of items: the first one is `Item 01`. */
export const named = (n: number) =>
  Array.from({ length: n }, (_, index) => `Item ${String(index + 1).padStart(2, '0')}`);

/** The state of each memory that waits for review or is published, by its title. */
export async function statesOf(caller: Caller): Promise<Record<string, string>> {
  const memories = await listMemories(caller);
  return Object.fromEntries(memories.map(({ title, state }) => [title, state]));
}

/** Opens the page on a wide screen, and waits until it shows an item or the empty queue. */
export async function openReview(browser: Browser, base: string, { teamId, token }: SignedIn) {
  const opened = await openConsole(browser, `${base}/review?team=${teamId}`, token);
  await opened.page.setViewportSize({ width: 1280, height: 900 });
  await opened.page.locator('#item-heading, #nothing-heading').waitFor();
  return opened;
}

/** Presses one key for each character. */
export async function press(page: Page, keys: string): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The title of the current item. */
export const current = (page: Page) => page.locator('#item-heading').innerText();

/** The titles in the queue. */
export const listed = (page: Page) => page.locator('.review-entry .review-title').allInnerTexts();

/** Waits until a status contains this. */
export const status = (page: Page, text: string) =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();

/** Waits until an alert contains this. */
export const alert = (page: Page, text: string) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor();

/** The field of the text in the form. */
export const textField = (page: Page) => page.getByLabel('Text', { exact: true });

/** Waits until this many decisions are answered. */
export function answers(page: Page, n: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    page.on('response', (answer) => {
      if (answer.request().method() === 'POST' && answer.url().endsWith('/memories')) seen += 1;
      if (seen === n) resolve();
    });
  });
}
