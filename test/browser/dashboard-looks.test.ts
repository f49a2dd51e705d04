import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createLogger } from '../../shared/logger.ts';
import type { Status } from '../../shared/schemas/status.ts';
import type { SignedIn } from '../support/app.ts';
import { failRun, importFiles, openDashboard } from '../support/dashboard.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { setScene, setWorkers } from './dashboard-scene.ts';

const STATUS = '**/v1/memory/status';
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { app } = service;

describe('the charts of the dashboard', { skip: withoutBrowser }, () => {
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
});
