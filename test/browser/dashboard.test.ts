import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createLogger } from '../../shared/logger.ts';
import { importFiles, openDashboard, startOwnWorker } from '../support/dashboard.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { MISBEHAVE } from '../support/running-imports.ts';
import { press } from './console/console-tab.ts';
import { openBrowser } from './open-browser.ts';

// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { base, browser, skip } = await openBrowser(service);

/** Every interval is a multiple of this step. */
const STEP_MS = 2000;
const STATUS = '**/v1/memory/status';

/** Records by the clock of the page when it requests the status. `settled` resolves when the last answer is processed. */
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

describe('the dashboard', { skip }, () => {
  test('a failed import appears with its reason, can be retried and completes after a worker restart', async (t) => {
    const company = await service.company();
    // This worker never ends reading the text below; the next one does.
    const slow = await startOwnWorker(t, service, { importSeconds: 2 }, { reading: MISBEHAVE });
    const { page, faults } = await openDashboard(browser, base, company.token);
    const figure = (id: string, text: string) =>
      page.locator(`#${id}`).getByText(text, { exact: true }).waitFor();
    await figure('health-line', 'A worker is running.');
    await figure('failed-none', 'No import has failed.');
    await importFiles(company, [{ filename: 'minutes.txt', text: 'waiting' }]);
    const row = page.locator('#failed-rows tr', { hasText: 'minutes.txt' });
    await row.getByText('took longer than 2 seconds').waitFor();
    await figure('imports-failed', '1');
    await slow.stop();
    await figure('health-line', 'No worker is running: imports wait.');
    await press(page, 'Retry minutes.txt');
    await page.locator('#outcome', { hasText: 'minutes.txt is queued again.' }).waitFor();
    await figure('imports-queued', '1');
    await startOwnWorker(t, service);
    await figure('imports-completed', '1');
    await figure('imports-failed', '0');
    assert.deepEqual(faults, []);
  });

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

  /** Advances the clock to the next polls, waits for each answer, and returns the intervals in milliseconds. */
  async function nextLooks(page: Page, count: number): Promise<number[]> {
    const pauses: number[] = [];
    for (let n = 0; n < count; n += 1) {
      await page.evaluate('settled');
      const before = await countLooks(page);
      for (let passed = 0; passed <= 60_000 && (await countLooks(page)) === before; passed += STEP_MS) {
        await page.clock.runFor(STEP_MS);
        await page.evaluate('settled');
      }
      pauses.push(await page.evaluate<number>('looks.at(-1) - looks.at(-2)'));
    }
    return pauses;
  }

  test('it polls every two seconds, less often while hidden, and at once when visible', async () => {
    const page = await atRest();
    const setVisible = (state: 'visible' | 'hidden') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
        document.dispatchEvent(new Event('visibilitychange'));`);
    assert.deepEqual(await nextLooks(page, 2), [2000, 2000]);
    await setVisible('hidden');
    assert.deepEqual(await nextLooks(page, 3), [2000, 60_000, 60_000]);
    const before = await countLooks(page);
    await page.clock.runFor(7000);
    await setVisible('visible');
    assert.equal(await countLooks(page), before + 1);
  });

  test('it polls less often without an answer, says so, and keeps the last figures', async () => {
    const page = await atRest();
    await page.route(STATUS, (route) => route.abort());
    assert.deepEqual(await nextLooks(page, 6), [2000, 4000, 8000, 16_000, 30_000, 30_000]);
    assert.match(await page.locator('#silence').innerText(), /^No answer since \d.*The page keeps trying/);
    assert.equal(await page.locator('#imports-queued').innerText(), '0');
    await page.unroute(STATUS);
    assert.deepEqual(await nextLooks(page, 1), [30_000]);
    assert.equal(await page.locator('#silence').textContent(), '');
  });
});
