import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../../support/app.ts';
import { focused, heading, title } from '../../../support/pages.ts';
import { openBrowser } from '../../open-browser.ts';
import { openConsole } from '../console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('an address without a page, in a browser', { skip }, () => {
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
    }
  });
});
