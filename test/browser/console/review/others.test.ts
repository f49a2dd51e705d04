import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../../support/app.ts';
import { decided } from '../../../support/memories.ts';
import { addPerson } from '../../../support/team.ts';
import { openBrowser } from '../../open-browser.ts';
import {
  alert,
  current,
  named,
  openReview,
  press,
  queue,
  statesOf,
  status,
  textField,
} from './review-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('a review with others beside it', { skip }, () => {
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
  });
});
