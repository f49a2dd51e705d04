import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../../support/app.ts';
import { questionBest } from '../../../support/feedback.ts';
import { addMemories, decided, listMemories } from '../../../support/memories.ts';
import { focused, heading, title } from '../../../support/pages.ts';
import { type Caller } from '../../../support/team.ts';
import { openBrowser } from '../../open-browser.ts';
import {
  alert,
  answers,
  current,
  GATEWAY,
  listed,
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

describe('deciding on memories in review', { skip }, () => {
  const contentOf = async (caller: Caller, id: string) => (await caller.api.getMemory(id)).content;

  test('a reviewer decides on twenty items with keys only, and takes all of it back', async () => {
    const company = await service.company();
    await addMemories(company, 'published', [
      {
        title: 'How to reach the VPN',
        content: 'The VPN gateway is on port 443. Carl renews its certificate each spring.',
      },
      { title: 'VPN gateway', content: GATEWAY },
    ]);
    await queue(company, named(18));
    await queue(company, ['VPN moved'], {
      content: GATEWAY.replaceAll(/vpn1|443/g, (word) => `${word}8`),
    });
    await queue(company, ['First']);
    const { page, faults, refused } = await openReview(browser, base, company);
    assert.equal(await current(page), 'First');
    await title(page, '20 to review · Review · Test Team');
    const all = answers(page, 20);
    await press(page, 'jkp');
    assert.equal(await current(page), 'VPN moved');
    assert.equal(await focused(page), 'item-heading');
    assert.deepEqual(await page.locator('.review-similar').first().locator('del, ins').allTextContents(), [
      'deleted: vpn1',
      'inserted: vpn18',
      'deleted: 443',
      'inserted: 4438',
    ]);
    await press(page, 's');
    await heading(page, 'Which memory does it replace?');
    await press(page, '1e');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('The text of the reviewer.');
    await page.keyboard.press('Control+Enter');
    await press(page, 'pdpdpdpdpdpdpdpdp');
    await heading(page, 'Nothing waits for review');
    await all;
    await title(page, 'Nothing to review');
    const after = await statesOf(company);
    assert.equal(Object.keys(after).length, 13);
    assert.deepEqual(
      [after['First'], after['VPN moved'], after['VPN gateway']],
      ['published', 'published', undefined],
    );
    const edited = (await listMemories(company)).find((memory) => memory.title === 'Item 01');
    assert.equal(edited?.content, 'The text of the reviewer.');

    const undone = answers(page, 20);
    await press(page, 'u'.repeat(20));
    await undone;
    await title(page, '20 to review');
    await status(page, 'Back in review: First');
    assert.equal(await current(page), 'First');
    assert.deepEqual((await listed(page)).slice(0, 3), ['First', 'VPN moved', 'Item 01']);
    const again = await statesOf(company);
    assert.equal(Object.values(again).filter((state) => state === 'review').length, 20);
    assert.equal(again['VPN gateway'], 'published');
    await press(page, 'u');
    await status(page, 'There is nothing to undo.');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('keys do nothing in a field, in a dialog, with a modifier and while they are held down', async () => {
    const company = await service.company();
    await queue(company, named(3));
    const { page } = await openReview(browser, base, company);
    let decisions = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') decisions += 1;
    });
    for (const key of ['Control+j', 'Alt+p', 'Meta+d', 'Shift+P', 'Shift+J']) await page.keyboard.press(key);
    await page.getByLabel('Text contains').focus();
    await press(page, 'jpdsu?x');
    await page.getByLabel('Team', { exact: true }).focus();
    await press(page, 'jpdsu?x');
    await page.locator('#item-heading').focus();
    await press(page, '?');
    await heading(page, 'Keys');
    await press(page, 'jpdsue');
    await page.keyboard.press('Escape');
    await press(page, 'e');
    await page.keyboard.press('End');
    await press(page, 'jpdsu?x');
    assert.equal(await textField(page).inputValue(), 'A fact of Item 01.jpdsu?x');
    await page.keyboard.press('Escape');
    await page.evaluate(
      `for (const key of ['p', 'd', 'u']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, repeat: true, bubbles: true }))`,
    );
    assert.deepEqual([decisions, await current(page)], [0, 'Item 01']);
    assert.equal(await page.locator('dialog').count(), 0);
    // They work on a button and on a link.
    await page.getByRole('link', { name: 'Open the memory' }).focus();
    await press(page, 'j');
    assert.equal(await current(page), 'Item 02');
  });

  test('several items are decided at once, up to the first that fails, and undone at once', async () => {
    const company = await service.company();
    const items = await queue(company, named(5));
    const { page } = await openReview(browser, base, company);
    await page.getByLabel('Select all shown').check();
    await press(page, 'x');
    await page.getByText('4 selected').waitFor();
    await decided(company, { action: 'discard', memoryId: items[3]?.id });
    await page.getByRole('button', { name: 'Publish 4' }).click();
    await status(page, 'Published 2 of 4. The others are still selected. 2 left.');
    await alert(page, 'Not published: Item 04. You have already discarded it.');
    assert.deepEqual(await listed(page), ['Item 01', 'Item 05']);
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Undo 2 decisions' }).click();
    await status(page, 'Undone: 2 of 2 decisions.');
    await title(page, '4 to review');
    assert.equal(await current(page), 'Item 02');
    await page.getByLabel('Select all shown').check();
    await page.getByRole('button', { name: 'Discard 4' }).click();
    await status(page, 'Discarded 4 of 4.');
    await heading(page, 'Nothing waits for review');
    assert.deepEqual(await statesOf(company), {});
  });

  test('texts with feedback are kept, changed or deleted', async () => {
    const company = await service.company();
    const question = async (query: string) =>
      questionBest(company, query, { verdict: 'outdated', note: `Not ${query}` });
    const [memory] = await addMemories(company, 'published', [
      { title: 'Ferry', content: 'The ferry of quokka.' },
    ]);
    assert.ok(memory);
    await question('quokka');
    for (const word of ['tapir', 'okapi']) {
      await company.ask.ingestSource({
        title: word,
        text: `The tram of ${word}.`,
        scope: {},
      });
      await question(word);
    }
    const { page, refused } = await openReview(browser, base, company);
    assert.equal(await current(page), 'okapi');
    await page.getByText('Not okapi').waitFor();
    await press(page, 'd');
    await status(page, 'Deleted okapi. 2 left.');
    await press(page, 'u');
    await status(page, 'Published again: okapi. Its feedback stays settled.');
    await press(page, 'p');
    await status(page, 'Kept tapir. 1 left.');
    await press(page, 'u');
    await status(page, 'Keeping cannot be undone: tapir');
    await press(page, 'e');
    await textField(page).fill('The ferry leaves at noon.');
    await page.keyboard.press('Control+Enter');
    await status(page, 'Changed Ferry. 0 left.');
    assert.equal(await contentOf(company, memory.id), 'The ferry leaves at noon.');
    await press(page, 'u');
    await status(page, 'Published again: Ferry');
    assert.equal(await contentOf(company, memory.id), 'The ferry of quokka.');
    assert.deepEqual(refused, []);
  });
});
