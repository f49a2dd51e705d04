import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { TestApp } from '../../support/app.ts';
import { openPage } from '../../support/pages.ts';
import { openBrowser } from '../open-browser.ts';

/** Opens the console in a tab in which someone is signed in already. Refused requests are kept in `refused`. */
export async function openConsole(browser: Browser, url: string, token: string) {
  const script = `if (sessionStorage.length === 0) sessionStorage.setItem('session-token', ${JSON.stringify(token)})`;
  const opened = await openPage(browser, url, { script });
  const refused: string[] = [];
  opened.page.on('response', (answer) => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
  });
  return { ...opened, refused };
}

/** The console on a port. A test whose tabs have had a fault fails. Call it at file level. */
export async function serveConsole(service: Pick<TestApp, 'app'>) {
  const { base, browser, skip } = await openBrowser(service);
  const tabs: string[][] = [];
  afterEach(() => assert.deepEqual(tabs.splice(0).flat(), []));
  /** The address of a page for a Team. */
  const at = (path: string, teamId: string) =>
    `${base}${path}${path.includes('?') ? '&' : '?'}team=${teamId}`;
  /** Opens a page as someone who is signed in, in their Team. */
  async function open({ token, teamId }: { token: string; teamId: string }, path: string) {
    const { faults, ...opened } = await openConsole(browser, at(path, teamId), token);
    tabs.push(faults);
    return opened;
  }
  return { base, browser, skip, at, open };
}

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
export const press = (page: Page, name: string | RegExp) => button(page, name).click();
export const dialog = (page: Page) => page.getByRole('dialog');
/** The button of the open dialog. */
export const confirm = (page: Page, name: string) => dialog(page).getByRole('button', { name }).click();
export const follow = (page: Page, name: string | RegExp) =>
  page.getByRole('link', { name, exact: true }).click();

/** A record in a list of the page. */
export const row = (page: Page, name: string) => page.locator('.records > li').filter({ hasText: name });

/** Waits until a status of the page contains this. */
export const said = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();

/** Waits until an alert of the page contains this. */
export const alarmed = (page: Page, text: string) =>
  page.getByRole('alert').filter({ hasText: text }).first().waitFor();

/** All that the document holds. */
export const contents = (page: Page) =>
  page.evaluate<string>('document.title + document.documentElement.outerHTML');

/** Has the page ask for news at once, as when the connection is back. */
export const poll = (page: Page) => page.evaluate(`dispatchEvent(new Event('online'))`);

/** Keeps POST requests of the page on their way until they are let go. `arrived` waits for the first of them. */
export async function hold(page: Page, path: string) {
  const gate = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() === 'POST') {
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
    asked.push(question.message());
    await (answer === 'leave' ? question.accept() : question.dismiss());
  });
  return asked;
}
