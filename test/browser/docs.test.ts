import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { fitsScreen } from '../support/pages.ts';
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
  }
  for (const path of ['/docs', '/docs/']) {
    const { headers } = await app.inject(path);
    const policy = String(headers['content-security-policy'])
      .split(';')
      .map((rule) => rule.trim());
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
  test('the documentation shows the routes first, under our name, without errors or requests to other hosts', async () => {
    const page = await (await browser.newContext()).newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && origin !== base) faults.push(`asked ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    // Scripts for the page are strings, because this program has no DOM types.
    await page.addInitScript(`
      addEventListener('securitypolicyviolation', (event) =>
        console.error('violates ' + event.violatedDirective + ': ' + event.blockedURI))`);
    await page.goto(`${base}/docs`);
    await page.getByRole('heading', { name: 'Team memory' }).waitFor();
    assert.equal(await page.title(), 'Team memory · API');
    assert.equal(await page.locator('.topbar, img').count(), 0, 'no bar and no picture of Swagger UI');
    const route = page.locator('.opblock').first();
    const code = page.getByRole('cell', { name: 'query_embedding_required' });
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 900 },
    ]) {
      await page.setViewportSize(viewport);
      const box = await route.boundingBox();
      assert.ok(box !== null && box.y + box.height < viewport.height, 'the first screen has a route');
      assert.equal(await code.isVisible(), false);
      await page.getByText('All error codes').click();
      await code.waitFor();
      assert.ok(await fitsScreen(page), `${viewport.width} px`);
      await page.getByText('All error codes').click();
    }
    const search = page.locator('.opblock', { hasText: '/v1/memory/search' });
    await search.locator('.opblock-summary-control').first().click();
    await search.getByText('"embeddingMode"').first().waitFor();
    assert.ok((await page.locator('.opblock').count()) >= 10);
    assert.deepEqual(faults, []);
  });
});
