import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openTestApp } from '../../../support/app.ts';
import { launchBrowser, withoutBrowser } from '../../../support/needs/browser.ts';
import { focused, heading, title } from '../../../support/pages.ts';
import { openConsole } from '../console-tab.ts';

const service = await openTestApp();

describe('an address without a page, in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  test('shows the navigation to a person who is signed in, and leads home', async () => {
    const { token, teamId } = await service.company();
    for (const path of ['/somewhere', '/jobs/', '/sources/1/2/3']) {
      const { page, faults, refused } = await openConsole(browser, base + path, token);
      await page.setViewportSize({ width: 1280, height: 800 });
      await heading(page, 'Page not found');
      await page.getByText('There is no page at this address.').waitFor();
      await title(page, 'Page not found · Test Team');
      assert.equal(await focused(page), 'page-heading');
      const navigation = page.getByRole('navigation');
      assert.equal(await navigation.locator('[aria-current]').count(), 0);
      await navigation.getByRole('link', { name: 'Search' }).click();
      await heading(page, 'Search');
      await page.goBack();
      await page.getByRole('main').getByRole('link', { name: 'go to the home page' }).click();
      await heading(page, 'In a terminal');
      assert.equal(page.url(), `${base}/?team=${teamId}`);
      assert.deepEqual([faults, refused], [[], []]);
      await page.context().close();
    }
  });
});
