import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../support/app.ts';
import { openDashboard } from '../support/dashboard.ts';
import { openBrowser } from './open-browser.ts';

/** Every interval is a multiple of this step. */
const STEP_MS = 2000;
const STATUS = '**/v1/memory/status';
const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

/**
 * Records by the clock of the page when it requests the status. `settled` resolves when the page has processed the last
 * answer.
 */
const NOTE_LOOKS = `
  window.looks = [];
  window.settled = Promise.resolve();
  const ask = window.fetch;
  const turn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  window.fetch = (path, options) => {
    if (String(path).endsWith('/v1/memory/status')) looks.push(Date.now());
    const answer = ask(path, options);
    settled = answer.then((reply) => reply.clone().text()).catch(() => null).then(turn).then(turn);
    return answer;
  };`;

describe('the polling of the dashboard', { skip }, () => {
  /** The dashboard after its first poll, with a stopped clock. */
  async function atRest(): Promise<Page> {
    const { token } = await service.company();
    const { page } = await openDashboard(browser, base, token, { script: NOTE_LOOKS });
    await page.clock.install();
    await page.reload();
    await page.locator('#updated[datetime]').waitFor();
    await page.clock.pauseAt(Date.now() + 3_600_000);
    // The first interval ends within a step.
    await nextLooks(page, 2);
    return page;
  }

  const countLooks = (page: Page) => page.evaluate<number>('looks.length');

  /** Advances the clock to the next poll, waits for its answer, and returns the interval in milliseconds. */
  async function nextLook(page: Page): Promise<number> {
    await page.evaluate('settled');
    const before = await countLooks(page);
    for (let passed = 0; passed <= 60_000 && (await countLooks(page)) === before; passed += STEP_MS) {
      await page.clock.runFor(STEP_MS);
      await page.evaluate('settled');
    }
    await page.evaluate('settled');
    return page.evaluate<number>('looks.at(-1) - looks.at(-2)');
  }

  async function nextLooks(page: Page, count: number): Promise<number[]> {
    const pauses: number[] = [];
    for (let n = 0; n < count; n += 1) pauses.push(await nextLook(page));
    return pauses;
  }

  const setVisible = (page: Page, state: 'visible' | 'hidden') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
      document.dispatchEvent(new Event('visibilitychange'));`);

  test('the dashboard polls every two seconds, less often while hidden, and at once when visible', async () => {
    const page = await atRest();
    assert.deepEqual(await nextLooks(page, 2), [2000, 2000]);
    await setVisible(page, 'hidden');
    assert.deepEqual(await nextLooks(page, 3), [2000, 60_000, 60_000]);
    await page.clock.runFor(7000);
    const before = await countLooks(page);
    await setVisible(page, 'visible');
    assert.equal(await countLooks(page), before + 1);
    // In between, the page requests the session, as it does once a minute: never two requests within two seconds.
    assert.deepEqual(await nextLooks(page, 2), [4000, 2000]);
  });

  test('the dashboard polls less often without an answer and keeps the last figures in grey', async () => {
    const page = await atRest();
    const line = page.locator('#silence');
    const color = () =>
      page.evaluate<string>("getComputedStyle(document.getElementById('imports-queued')).color");
    const before = await color();
    await page.route(STATUS, (route) => route.abort());
    assert.deepEqual(await nextLooks(page, 7), [2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    assert.match(await line.innerText(), /^No answer since \d.*The page keeps trying/);
    // The time of the last figures, not of the last attempt, so that it is read out once.
    assert.equal(
      await line.locator('time').getAttribute('datetime'),
      await page.locator('#updated').getAttribute('datetime'),
    );
    assert.equal(await page.locator('#imports-queued').innerText(), '0');
    assert.notEqual(await color(), before);
    await page.unroute(STATUS);
    await page.route(STATUS, (route) => route.fulfill({ status: 503, json: { code: 'unavailable' } }));
    await nextLook(page);
    assert.match(await line.innerText(), /^No figures since .*: the service is busy/);
    await page.unroute(STATUS);
    assert.equal(await nextLook(page), 30_000);
    assert.equal(await line.textContent(), '');
    assert.equal(await color(), before);
    // In between, the page requests the session.
    assert.equal(await nextLook(page), 4000);
    assert.equal(await nextLook(page), 2000);
  });
});
