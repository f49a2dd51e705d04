import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createLogger } from '../../shared/logger.ts';
import type { Status } from '../../shared/schemas/status.ts';
import type { SignedIn } from '../support/app.ts';
import { failRun, importFiles, openDashboard } from '../support/dashboard.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { fitsScreen, openPage } from '../support/pages.ts';
import { faintTexts } from './contrast.ts';
import { setScene, setWorkers } from './dashboard-scene.ts';

const STATUS = '**/v1/memory/status';
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { app } = service;

describe('the appearance and accessibility of the dashboard', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;
  let company: SignedIn;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
    company = await service.company();
    await setScene(service, company, 2000);
    const filename = `${'unbroken'.repeat(35)}.txt`;
    const [made] = await importFiles(company, [{ filename, text: '' }]);
    await failRun(service, company, made!.id, { code: 'no_text', message: 'word'.repeat(60) });
  });
  after(() => browser?.close());

  async function openFilled(options: Parameters<typeof openDashboard>[3] = {}) {
    await setWorkers(service);
    const filled = await openDashboard(browser, base, company.token, options);
    await filled.page.locator('#failed-rows tr').nth(4).waitFor();
    return filled;
  }

  /** Changes the status that the page receives. */
  async function tell(page: Page, change: (status: Status) => object): Promise<void> {
    await page.unroute(STATUS);
    await page.route(STATUS, async (route) => {
      const response = await route.fetch();
      const status = (await response.json()) as Status;
      await route.fulfill({ response, json: { ...status, ...change(status) } });
    });
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`every text has enough contrast in ${colorScheme} mode in every state of the service`, async () => {
      const { page: signIn } = await openPage(browser, `${base}/dashboard`, { colorScheme });
      await signIn.getByRole('button', { name: 'Sign in' }).click();
      assert.deepEqual(await faintTexts(signIn), []);
      await signIn.context().close();

      const { page } = await openFilled({ colorScheme });
      await page.getByText('2 workers are running.').waitFor();
      assert.deepEqual(await faintTexts(page), []);
      await tell(page, ({ health }) => ({ health: { ...health, worker: false }, workers: [] }));
      await page.getByText('No worker is running: imports wait.').waitFor();
      assert.deepEqual(await faintTexts(page), []);
      await page.unroute(STATUS);
      await page.route(STATUS, (route) => route.abort());
      await page.getByText('No answer since').waitFor();
      assert.deepEqual(await faintTexts(page), []);
      await page.getByRole('button', { name: /^Forget customer-list/ }).click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await faintTexts(page), []);
      await page.context().close();
    });
  }

  test('the page fits a narrow phone and a wide screen, whatever the file names', async () => {
    const { page, faults } = await openFilled();
    for (const width of [320, 360, 700, 1000, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      assert.ok(await fitsScreen(page), `${width} px`);
      // Nothing extends beyond its card either, where it would be cut off or cover something.
      const out = `[...document.querySelectorAll('.card :is(button, bdi, code, td > *, dd, progress)')]
        .filter((node) => node.checkVisibility() && !node.closest('.unseen'))
        .filter((node) => node.getBoundingClientRect().right > node.closest('.card').getBoundingClientRect().right)
        .map((node) => node.outerHTML)`;
      assert.deepEqual(await page.evaluate(out), [], `${width} px`);
    }
    await page.setViewportSize({ width: 360, height: 700 });
    await page.getByRole('button', { name: /^Forget unbroken/ }).click();
    await page.getByRole('dialog').waitFor();
    assert.ok(await fitsScreen(page));
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('the name and the reason of a failed import use the full width of a phone', async () => {
    const { page } = await openFilled();
    for (const width of [320, 390, 640]) {
      await page.setViewportSize({ width, height: 700 });
      const narrow = `[...document.querySelectorAll('#failed-rows :is(th, td)')]
        .filter((cell) => cell.checkVisibility() && cell.textContent.trim() !== '')
        .map((cell) => [cell, cell.getBoundingClientRect().width])
        .filter(([cell, wide]) => wide < (cell.matches('th, .reason')
          ? cell.parentElement.getBoundingClientRect().width - 1 : innerWidth / 4))
        .map(([cell, wide]) => wide + ' ' + cell.textContent.slice(0, 40))`;
      assert.deepEqual(await page.evaluate(narrow), [], `${width} px`);
    }
    await page.context().close();
  });

  test('a screen reader finds landmarks, headings and tables with headers, also on a phone', async () => {
    const { page } = await openFilled();
    for (const landmark of ['banner', 'main'] as const) {
      assert.equal(await page.getByRole(landmark).count(), 1, landmark);
    }
    const headings = await page.getByRole('heading').allInnerTexts();
    assert.deepEqual(headings, [
      'Jobs',
      'Imports',
      'Running now',
      'Files waiting to be read',
      'Files read a minute',
      'Embeddings',
      'Captures and memories',
      'Failed imports',
      'Jobs',
      'Workers',
    ]);
    for (const [name, columns] of [
      ['Failed imports', 6],
      ['Jobs', 9],
      ['Workers', 5],
    ] as const) {
      const table = page.getByRole('table', { name });
      assert.equal(await table.getByRole('columnheader').count(), columns, name);
      assert.equal(
        // On a phone the charts of idle queues are left out.
        await table.locator('tbody').getByRole('cell', { includeHidden: true }).count(),
        (columns - 1) * (await table.locator('tbody').getByRole('row').count()),
      );
      assert.ok((await table.getByRole('rowheader').count()) > 0, name);
    }
    assert.equal(await page.getByRole('progressbar', { name: 'Passages with an embedding' }).count(), 1);
    // Figures that change with every poll are not in a live region: only important changes are read out.
    const live = await page.locator('[role="status"], [role="alert"], [aria-live]').allTextContents();
    assert.deepEqual(live.filter(Boolean), ['2 workers are running.']);
    await page.context().close();
  });

  test('the charts show the last hour with gaps for missing data and describe it in words', async () => {
    const minute = (ago: number) => new Date(Math.floor(Date.now() / 60_000 - ago) * 60_000).toISOString();
    const sample = (ago: number, ready: number, completed: number) => ({
      at: minute(ago),
      ready,
      active: 1,
      completed,
      failed: 0,
    });
    const history = [
      ...[50, 49, 48].map((ago) => sample(ago, 1234, 7)),
      ...[20, 19, 18, 17].map((ago) => sample(ago, 5, 9)),
      sample(2, 8, 4),
      sample(0, 3, 0),
    ];
    const { page } = await openFilled();
    await page.setViewportSize({ width: 1280, height: 800 });
    await tell(page, ({ jobs }) => ({
      jobs: jobs.map((job) => ({ ...job, history: job.queue === 'import.process' ? history : [] })),
    }));
    const depth = page.getByRole('img', { name: 'Files waiting to be read' });
    await depth
      .locator('desc', { hasText: /^Waiting: 3 last, at most 1,234 at .*\. Being read: 1 last/ })
      .waitFor({
        state: 'attached',
      });
    const trace = (await depth.locator('.line-0').getAttribute('d')) ?? '';
    assert.deepEqual(
      trace
        .split('M')
        .slice(1)
        .map((run) => run.split('L').length),
      [3, 4, 2],
    );
    const heights = trace.match(/[\d.]+(?=L|M|h|$)/g)?.map(Number) ?? [];
    assert.equal(heights[0], Math.min(...heights), 'the most is at the top');
    const read = page.getByRole('img', { name: 'Files read a minute' });
    // The current minute is not complete: its figures would look like a drop.
    assert.match((await read.locator('desc').textContent()) ?? '', /^Done: 4 last, at most 9 at/);
    const idle = page.getByRole('img', { name: 'Ready in audit.seal, last hour' });
    assert.equal(await idle.locator('desc').textContent(), 'No figures of the last hour yet.');
    await page.context().close();
  });

  test('nothing is animated when the user prefers reduced motion', async () => {
    const { page } = await openFilled();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const moving = `[...document.querySelectorAll('*')].filter((node) =>
      ['', '::before', '::-webkit-progress-value'].some((part) => {
        const { transitionDuration, animationName } = getComputedStyle(node, part || null);
        return animationName !== 'none' || transitionDuration !== '0s';
      })).length`;
    assert.equal(await page.evaluate(moving), 0);
    await page.context().close();
  });
});
