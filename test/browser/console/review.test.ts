import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { questionBest } from '../../support/feedback.ts';
import { addMemories, decided, listMemories } from '../../support/memories.ts';
import { heading, title } from '../../support/pages.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';
import { alarmed, follow, press, said, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

describe('the page of memories in review', { skip }, () => {
  /** Puts items into review: the first one is `Item 01`, and is the newest, so that it is first on the page. */
  async function queue(caller: Caller, count: number) {
    const items = Array.from({ length: count }, (_, n) => ({
      title: `Item ${String(n + 1).padStart(2, '0')}`,
      content: `A fact of item ${n + 1}.`,
    }));
    return (await addMemories(caller, 'review', items.toReversed())).toReversed();
  }
  /** Opens the page on a wide screen, and waits until it shows an item. */
  async function openReview(company: SignedIn) {
    const opened = await open(company, '/review');
    await opened.page.setViewportSize({ width: 1280, height: 900 });
    await opened.page.locator('#item-heading').waitFor();
    return opened;
  }
  /** Presses one key for each character. */
  async function keys(page: Page, text: string): Promise<void> {
    for (const key of text) await page.keyboard.press(key);
  }
  const current = (page: Page) => page.locator('#item-heading').innerText();
  const textField = (page: Page) => page.getByLabel('Text', { exact: true });
  /** Waits until this many decisions are answered. */
  async function answers(page: Page, n: number): Promise<void> {
    for (let seen = 0; seen < n; seen += 1) {
      await page.waitForResponse(
        (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/memories'),
      );
    }
  }
  /** The state of each memory that waits for review or is published, by its title. */
  const statesOf = async (caller: Caller) =>
    Object.fromEntries((await listMemories(caller)).map(({ title: name, state }) => [name, state]));

  test('a reviewer decides on items with keys only, and takes all of it back', async () => {
    const company = await service.company();
    const gateway =
      'The VPN gateway is vpn1.example.com on port 443. Carl renews its certificate each spring.';
    await addMemories(company, 'published', [{ title: 'VPN gateway', content: gateway }]);
    await queue(company, 4);
    await addMemories(company, 'review', [{ title: 'VPN moved', content: gateway.replace('vpn1', 'vpn18') }]);
    const { page, refused } = await openReview(company);
    await title(page, '5 to review · Review · Test Team');
    assert.equal(await current(page), 'VPN moved');
    const changes = page.locator('.review-similar').first().locator('del, ins');
    await changes.first().waitFor();
    assert.deepEqual(await changes.allTextContents(), ['deleted: vpn1', 'inserted: vpn18']);
    const all = answers(page, 5);
    await keys(page, 's1');
    await keys(page, 'e');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('The text of the reviewer.');
    await page.keyboard.press('Control+Enter');
    await keys(page, 'pdd');
    await heading(page, 'Nothing waits for review');
    await all;
    const after = await statesOf(company);
    assert.deepEqual(after, { 'VPN moved': 'published', 'Item 01': 'published', 'Item 02': 'published' });
    const edited = (await listMemories(company)).find((memory) => memory.title === 'Item 01');
    assert.equal(edited?.content, 'The text of the reviewer.');
    const undone = answers(page, 5);
    await keys(page, 'uuuuu');
    await undone;
    await said(page, 'Back in review: VPN moved');
    await title(page, '5 to review');
    const again = await statesOf(company);
    assert.equal(Object.values(again).filter((state) => state === 'review').length, 5);
    assert.equal(again['VPN gateway'], 'published');
    assert.deepEqual(refused, []);
  });

  test('keys do nothing in a field, in a dialog, with a modifier and while they are held down', async () => {
    const company = await service.company();
    await queue(company, 2);
    const { page } = await openReview(company);
    let decisions = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') decisions += 1;
    });
    for (const key of ['Control+j', 'Alt+p', 'Meta+d', 'Shift+P']) await page.keyboard.press(key);
    await page.getByLabel('Text contains').focus();
    await keys(page, 'jpdsu?x');
    await page.locator('#item-heading').focus();
    await keys(page, '?');
    await heading(page, 'Keys');
    await keys(page, 'jpdsue');
    await page.keyboard.press('Escape');
    await keys(page, 'e');
    await page.keyboard.press('End');
    await keys(page, 'jpdsu?x');
    assert.equal(await textField(page).inputValue(), 'A fact of item 1.jpdsu?x');
    await page.keyboard.press('Escape');
    await page.evaluate(
      `for (const key of ['p', 'd', 'u']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, repeat: true, bubbles: true }))`,
    );
    assert.deepEqual([decisions, await current(page)], [0, 'Item 01']);
  });

  test('several items are decided at once, up to the first that fails, and undone at once', async () => {
    const company = await service.company();
    const items = await queue(company, 4);
    const { page } = await openReview(company);
    await page.getByLabel('Select all shown').check();
    await decided(company, { action: 'discard', memoryId: items[2]?.id });
    await press(page, 'Publish 4');
    await said(page, 'Published 2 of 4. The others are still selected. 1 left.');
    await alarmed(page, 'Not published: Item 03. You have already discarded it.');
    await press(page, 'Undo 2 decisions');
    await said(page, 'Undone: 2 of 2 decisions.');
    assert.deepEqual(await statesOf(company), {
      'Item 01': 'review',
      'Item 02': 'review',
      'Item 04': 'review',
    });
  });

  test('texts with feedback are kept, changed or deleted', async () => {
    const company = await service.company();
    const question = (query: string) =>
      questionBest(company, query, { verdict: 'outdated', note: `Not ${query}` });
    const [memory] = await addMemories(company, 'published', [
      { title: 'Ferry', content: 'The ferry of quokka.' },
    ]);
    await question('quokka');
    for (const word of ['tapir', 'okapi']) {
      await company.ask.ingestSource({ title: word, text: `The tram of ${word}.`, scope: {} });
      await question(word);
    }
    const { page, refused } = await openReview(company);
    await page.getByText('Not okapi').waitFor();
    await keys(page, 'd');
    await said(page, 'Deleted okapi. 2 left.');
    await keys(page, 'u');
    await said(page, 'Published again: okapi. Its feedback stays settled.');
    await keys(page, 'p');
    await said(page, 'Kept tapir. 1 left.');
    await keys(page, 'e');
    await textField(page).fill('The ferry leaves at noon.');
    await page.keyboard.press('Control+Enter');
    await said(page, 'Changed Ferry. 0 left.');
    assert.equal((await company.api.getMemory(memory!.id)).content, 'The ferry leaves at noon.');
    assert.deepEqual(refused, []);
  });

  test('a decision that someone else has made before is named, what is typed stays, and the review goes on', async () => {
    const company = await service.company();
    const [first, second] = await queue(company, 3);
    assert.ok(first && second);
    const { page } = await openReview(company);
    const other = await addPerson(service, company, { companyRole: 'owner', teamRole: 'owner' });
    await decided(other, { action: 'publish', memoryId: first.id });
    await keys(page, 'e');
    await textField(page).fill('What I have typed.');
    await page.keyboard.press('Control+Enter');
    await alarmed(page, 'Not published: Item 01. Someone else has already published it.');
    const kept = page.getByLabel('Your text for Item 01');
    assert.equal(await kept.inputValue(), 'Item 01\n\nWhat I have typed.');
    // It is in review again, as another version.
    const { version } = await decided(other, { action: 'publish', memoryId: second.id, content: 'New.' });
    await decided(other, { action: 'unpublish', memoryId: second.id, version });
    assert.equal(await current(page), 'Item 02');
    await keys(page, 'd');
    await alarmed(page, 'Not discarded: Item 02. It was changed in the meantime. Read it again.');
    await press(page, 'Show it');
    assert.equal(await page.locator('.review-text').innerText(), 'New.');
    await keys(page, 'd');
    await said(page, 'Discarded Item 02. 1 left.');
    await decided(other, { action: 'reopen', memoryId: second.id });
    await keys(page, 'u');
    await alarmed(page, 'Not undone: Item 02');
    assert.deepEqual(await statesOf(company), {
      'Item 01': 'published',
      'Item 02': 'review',
      'Item 03': 'review',
    });
  });

  test('the filters and the item of a followed link are in the address', async () => {
    const company = await service.company();
    await queue(company, 2);
    const client = await addClient(service, company);
    await addMemories(company, 'review', [{ title: 'Of the client' }], client);
    const { page } = await openReview(company);
    await page.getByLabel('Client', { exact: true }).selectOption(client);
    await press(page, 'Filter');
    await title(page, '1 to review');
    await page.goBack();
    await title(page, '3 to review');
    await keys(page, 'j');
    const name = await current(page);
    await follow(page, 'Open the memory');
    await title(page, 'Memories');
    await page.goBack();
    await page.locator('#item-heading').waitFor();
    assert.equal(await current(page), name);
  });
});
