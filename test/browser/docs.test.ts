import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { fitsScreen, openPage } from '../support/pages.ts';
import { openBrowser } from './open-browser.ts';

const { app } = await openTestApp();
const { base, browser, skip } = await openBrowser({ app });

test('/docs and its assets have strict headers and set no cookie', async () => {
  const { body } = await app.inject('/docs');
  const assets = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
  assert.ok(assets.some((asset) => asset.endsWith('.js')));
  for (const path of ['/docs', '/docs/', '/docs/json', ...assets]) {
    const { statusCode, headers } = await app.inject(path);
    assert.equal(statusCode, 200, path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['set-cookie'], undefined, path);
    if (!/docs\/?$/.test(path)) continue;
    const policy = String(headers['content-security-policy']).split(/ *; */);
    for (const rule of [
      "script-src 'self'",
      "frame-ancestors 'none'",
      "object-src 'none'",
      "base-uri 'self'",
    ]) {
      assert.ok(policy.includes(rule), `${path}: ${rule}`);
    }
  }
});

describe('the documentation in a browser', { skip }, () => {
  test('it shows the routes, under our name, without errors or requests to other hosts', async () => {
    const { page, faults } = await openPage(browser, `${base}/docs`);
    await page.getByRole('heading', { name: 'Team memory' }).waitFor();
    assert.equal(await page.title(), 'Team memory · API');
    assert.equal(await page.locator('.topbar, img').count(), 0, 'no bar and no picture of Swagger UI');
    await page.getByText('All error codes').click();
    await page.getByRole('cell', { name: 'query_embedding_required' }).waitFor();
    assert.ok(await fitsScreen(page));
    const search = page.locator('.opblock', { hasText: '/v1/memory/search' });
    await search.locator('.opblock-summary-control').first().click();
    await search.getByText('"embeddingMode"').first().waitFor();
    assert.deepEqual(faults, []);
  });
});
