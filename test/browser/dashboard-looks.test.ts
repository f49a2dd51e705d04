import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Status } from '../../shared/schemas/status.ts';
import { openTestApp } from '../support/app.ts';
import { openDashboard } from '../support/dashboard.ts';
import { openBrowser } from './open-browser.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the charts of the dashboard', { skip }, () => {
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
    const { token } = await service.company();
    const { page } = await openDashboard(browser, base, token);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.route('**/v1/memory/status', async (route) => {
      const response = await route.fetch();
      const status = (await response.json()) as Status;
      const jobs = status.jobs.map((job) => ({
        ...job,
        history: job.queue === 'import.process' ? history : [],
      }));
      await route.fulfill({ response, json: { ...status, jobs } });
    });
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
  });
});
