import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../../support/app.ts';
import { addMemories } from '../../../support/memories.ts';
import { heading, title } from '../../../support/pages.ts';
import { addClient } from '../../../support/team.ts';
import { openBrowser } from '../../open-browser.ts';
import { current, named, openReview, press, queue } from './review-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of memories in review', { skip }, () => {
  test('the filters and the item of a followed link are in the address', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    await queue(company, named(3));
    await addMemories(company, 'review', [{ title: 'Of the client' }], client);
    const { page } = await openReview(browser, base, company);
    await page.getByLabel('Client', { exact: true }).selectOption(client);
    await page.getByRole('button', { name: 'Filter' }).click();
    await title(page, '1 to review');
    await page.getByLabel('Client', { exact: true }).selectOption('');
    await page.getByLabel('Text contains').fill('nowhere');
    await page.keyboard.press('Enter');
    await heading(page, 'No item matches');
    await page.getByRole('link', { name: 'Show all items' }).click();
    await title(page, '4 to review');
    await page.goBack();
    await heading(page, 'No item matches');
    await page.goBack();
    await title(page, '1 to review');
    await page.goBack();
    await title(page, '4 to review');
    await press(page, 'jj');
    await page.getByRole('link', { name: 'Open the memory' }).click();
    await page.goBack();
    await page.locator('#item-heading').waitFor();
    assert.equal(await current(page), 'Item 02');
  });
});
