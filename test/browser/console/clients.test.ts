import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of clients', { skip }, () => {
  const open = (token: string, query = '') => openConsole(browser, `${base}/clients${query}`, token);
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const client = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
  async function create(page: Page, name: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Create').click();
    await page.getByText(`${name} was created.`).waitFor();
  }

  test('an Owner creates, renames, archives and restores clients', async () => {
    const company = await service.company();
    const { page, faults, refused } = await open(company.token);
    await page.getByText('The Team has no clients yet.').waitFor();
    await button(page, 'Create').click();
    await page.getByText('Enter a name for the client.').waitFor();
    await create(page, 'Acme');
    assert.equal(await focused(page), 'client-name');
    await create(page, 'Globex');
    await title(page, '2 clients · Clients');
    for (const [link, filter] of [
      ['Sources of Acme', '#filter-client'],
      ['Search in Acme', '#search-in'],
    ] as const) {
      await page.getByRole('link', { name: link }).click();
      await page
        .locator(`${filter} option:checked`)
        .filter({ hasText: 'Acme' })
        .waitFor({ state: 'attached' });
      await page.goBack();
    }
    assert.deepEqual(refused, []);

    await button(page, 'Rename Globex').click();
    await page.getByRole('dialog').getByLabel('Name').fill('acme');
    await button(page, 'Rename').click();
    await page.getByText('Another active client of the Team has this name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('Initech');
    await button(page, 'Rename').click();
    await page.getByText('Globex is now called Initech.').waitFor();

    await button(page, 'Archive Acme').click();
    await page.getByText('Nothing is deleted').waitFor();
    await button(page, 'Archive').click();
    await page.getByText('Acme is archived.').waitFor();
    assert.equal(await client(page, 'Acme').count(), 0);
    assert.match(await focused(page), /^client-/);
    await create(page, 'Acme');

    await page.getByRole('link', { name: 'Archived' }).click();
    await page.waitForURL(/state=archived/);
    await button(page, 'Restore Acme').click();
    await button(page, 'Restore').click();
    await page.getByText('Another active client of the Team has this name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme of old');
    await button(page, 'Restore').click();
    await page.getByText('Acme of old is active again').waitFor();
    await page.getByText('No client is archived.').waitFor();
    assert.equal(await focused(page), 'clients-heading');
    await page.goBack();
    await client(page, 'Acme of old').waitFor();
    await page.getByLabel('Find by name').fill('old');
    await page.waitForURL(/q=old/);
    assert.equal(await client(page, 'Initech').count(), 0);
    await page.reload();
    await page.getByText('1 client', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Find by name').inputValue(), 'old');
    assert.deepEqual(faults, []);
  });
});
