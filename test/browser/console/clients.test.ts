import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { confirm, dialog, follow, press, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

describe('the page of clients', { skip }, () => {
  test('an Owner creates, renames, archives and restores clients', async () => {
    const company = await service.company();
    const { page, refused } = await open(company, '/clients');
    const tells = (text: string) => page.getByText(text).waitFor();
    for (const name of ['Acme', 'Globex']) {
      await page.getByLabel('Name', { exact: true }).fill(name);
      await press(page, 'Create');
      await tells(`${name} was created.`);
    }
    assert.equal(await focused(page), 'client-name');
    await title(page, '2 clients · Clients');
    assert.deepEqual(refused, []);
    await press(page, 'Rename Globex');
    await dialog(page).getByLabel('Name').fill('acme');
    await confirm(page, 'Rename');
    await tells('Another active client of the Team has this name.');
    await dialog(page).getByLabel('Name').fill('Initech');
    await confirm(page, 'Rename');
    await tells('Globex is now called Initech.');
    await press(page, 'Archive Acme');
    await tells('Nothing is deleted');
    await confirm(page, 'Archive');
    await tells('Acme is archived.');
    await follow(page, 'Archived');
    await page.waitForURL(/state=archived/);
    await press(page, 'Restore Acme');
    await confirm(page, 'Restore');
    await tells('Acme is active again');
    await page.goBack();
    await page.getByLabel('Find by name').fill('acm');
    await page.waitForURL(/q=acm/);
    await page.reload();
    await page.getByText('1 client', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Acme', exact: true }).waitFor();
    assert.equal(await page.getByLabel('Find by name').inputValue(), 'acm');
  });
});
