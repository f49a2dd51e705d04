import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openTestApp } from '../../../support/app.ts';
import { decided } from '../../../support/memories.ts';
import { launchBrowser, withoutBrowser } from '../../../support/needs/browser.ts';
import { focused } from '../../../support/pages.ts';
import { addPerson } from '../../../support/team.ts';
import { answerQuestions } from '../console-tab.ts';
import {
  alert,
  current,
  listed,
  named,
  openReview,
  press,
  queue,
  showAgain,
  statesOf,
  status,
  textField,
} from './review-tab.ts';

const service = await openTestApp();

describe('a review with others beside it', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  test('a decision that someone else has made before is named, and the review goes on', async () => {
    const company = await service.company();
    const [first, second, third] = await queue(company, named(4));
    assert.ok(first && second && third);
    const { page, faults } = await openReview(browser, base, company);
    await decided(company, { action: 'discard', memoryId: first.id });
    await press(page, 'p');
    await alert(page, 'Not published: Item 01. You have already discarded it.');
    assert.equal(await current(page), 'Item 02');
    const other = await addPerson(service, company, { companyRole: 'owner', teamRole: 'owner' });
    await decided(other, { action: 'publish', memoryId: second.id });
    await press(page, 'e');
    await textField(page).fill('What I have typed.');
    await page.keyboard.press('Control+Enter');
    await alert(page, 'Not published: Item 02. Someone else has already published it.');
    assert.equal(
      await page.getByLabel('Your text for Item 02').inputValue(),
      'Item 02\n\nWhat I have typed.',
    );
    assert.equal(await current(page), 'Item 03');
    // It is in review again, as another version.
    const { version } = await decided(other, {
      action: 'publish',
      memoryId: third.id,
      content: 'New.',
    });
    await decided(other, { action: 'unpublish', memoryId: third.id, version });
    await press(page, 'd');
    await alert(page, 'Not discarded: Item 03. It was changed in the meantime. Read it again.');
    await page.getByRole('button', { name: 'Show it' }).click();
    assert.equal(await page.locator('.review-text').innerText(), 'New.');
    await press(page, 'd');
    await status(page, 'Discarded Item 03. 1 left.');
    await decided(other, { action: 'reopen', memoryId: third.id });
    await press(page, 'u');
    await alert(page, 'Not undone: Item 03');
    assert.deepEqual(await statesOf(company), {
      'Item 02': 'published',
      'Item 03': 'review',
      'Item 04': 'review',
    });
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('a refused publish keeps the edited text, and so does leaving the form', async () => {
    const company = await service.company();
    await queue(company, named(2));
    const { page } = await openReview(browser, base, company);
    const text = textField(page);
    await press(page, 'e');
    await text.fill(' ');
    await page.keyboard.press('Control+Enter');
    await alert(page, 'Write a text.');
    await text.fill('Edited');
    await page.getByLabel('Title', { exact: true }).fill('T'.repeat(301));
    await page.keyboard.press('Escape');
    assert.equal(await focused(page), 'item-heading');
    await press(page, 'jkd');
    await status(page, 'Discarded Item 01');
    await press(page, 'u');
    await status(page, 'Back in review: Item 01');
    await press(page, 'p');
    await alert(page, 'Not published: Item 01.');
    assert.equal(await current(page), 'Item 02');
    await press(page, 'ke');
    assert.equal(await text.inputValue(), 'Edited');
    const asked = answerQuestions(page, 'stay');
    await page.getByRole('link', { name: 'Memories', exact: true }).first().click();
    assert.deepEqual(asked, ['1 text that you have edited is not saved. Leave all the same?']);
    await page.getByLabel('Title', { exact: true }).fill('Short');
    // The answer is lost on its way: what the service has stored says that the decision was made.
    await page.route('**/v1/memory/memories', async (route) => {
      if (route.request().method() === 'POST') await route.fetch();
      await route.abort();
    });
    await page.keyboard.press('Control+Enter');
    await status(page, 'Published Short. 1 left.');
    await page.unroute('**/v1/memory/memories');
    await page.route('**/v1/memory/memories', (route) => route.abort());
    await press(page, 'd');
    await alert(page, 'Not discarded: Item 02. The service did not answer.');
    assert.equal(await current(page), 'Item 02');
    assert.deepEqual(await statesOf(company), { 'Item 02': 'review', Short: 'published' });
    await page.context().close();
  });

  test('what others decide and add shows without moving the current item', async () => {
    const company = await service.company();
    const [first, second] = await queue(company, named(3));
    assert.ok(first && second);
    const { page } = await openReview(browser, base, company);
    await press(page, 'j');
    await decided(company, { action: 'publish', memoryId: first.id });
    await queue(company, ['New']);
    await page.getByRole('button', { name: 'Item 01' }).focus();
    await showAgain(page);
    await page.getByRole('button', { name: 'New' }).waitFor();
    await page.getByText('2 of 3').waitFor();
    assert.deepEqual([await listed(page), await current(page)], [['New', 'Item 02', 'Item 03'], 'Item 02']);
    assert.match(await focused(page), /Item 02/);
    await decided(company, { action: 'publish', memoryId: second.id });
    await showAgain(page);
    await page.getByText('Someone else has decided on this item.').waitFor();
    await press(page, 'j');
    assert.deepEqual([await listed(page), await current(page)], [['New', 'Item 03'], 'Item 03']);
    await page.context().close();
  });
});
