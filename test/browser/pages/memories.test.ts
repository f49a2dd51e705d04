import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { claimBatch, stageCapture } from '../../support/captures.ts';
import { claimAll, completed } from '../../support/consolidation.ts';
import { questionBest } from '../../support/feedback.ts';
import { addMemories, addMemory, decided, listMemories } from '../../support/memories.ts';
import { title } from '../../support/pages.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { open, skip } = await openPages(service);

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const toast = (page: Page, text: string) => page.getByRole('dialog').filter({ hasText: text });
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();
const menu = async (page: Page, name: string) => {
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name }).click();
};
/** Does something that sends so many decisions, and waits for their answers. */
async function answered(page: Page, n: number, act: () => Promise<unknown>): Promise<void> {
  let left = n;
  const all = page.waitForResponse(
    (answer) =>
      answer.request().method() === 'POST' && answer.url().endsWith('/memory/memories') && (left -= 1) === 0,
  );
  await act();
  await all;
}
/** Presses one key for each character. */
async function keys(page: Page, text: string): Promise<void> {
  for (const key of text) await page.keyboard.press(key);
}

describe('the page of the review', { skip }, () => {
  /** Puts items into review: the first one is the newest, so that it is first on the page. */
  async function queue(caller: Caller, count: number) {
    const words = ['harbour crane', 'walrus bay', 'tide table', 'anchor chain'];
    const items = Array.from({ length: count }, (_, n) => ({
      title: `Item ${n + 1}`,
      content: `About the ${words[n]}.`,
    }));
    return (await addMemories(caller, 'review', items.toReversed())).toReversed();
  }
  const current = (page: Page) => page.locator('#item-heading').innerText();
  const shows = (page: Page, name: string) => page.locator('#item-heading', { hasText: name }).waitFor();
  async function openReview(company: SignedIn) {
    const { page } = await open(company, '/review');
    await page.locator('#item-heading').waitFor();
    return page;
  }
  const statesOf = async (caller: Caller) =>
    Object.fromEntries((await listMemories(caller)).map(({ title: name, state }) => [name, state]));
  const textField = (page: Page) => page.getByLabel('Text', { exact: true });

  test('a reviewer decides with keys only, and takes all of it back', async () => {
    const company = await service.company();
    const gateway =
      'The VPN gateway is vpn1.example.com on port 443. Carl renews its certificate each spring.';
    await addMemories(company, 'published', [{ title: 'VPN gateway', content: gateway }]);
    await queue(company, 4);
    await addMemories(company, 'review', [{ title: 'VPN moved', content: gateway.replace('vpn1', 'vpn18') }]);
    const page = await openReview(company);
    await title(page, '5 to review · Review · Test Team');
    assert.equal(await current(page), 'VPN moved');
    assert.deepEqual(await page.locator('del, ins').allTextContents(), ['deleted: vpn1', 'inserted: vpn18']);
    await answered(page, 5, async () => {
      await keys(page, 'se');
      await page.keyboard.press('Control+A');
      await page.keyboard.type('The text of the reviewer.');
      await page.keyboard.press('Control+Enter');
      await keys(page, 'pdd');
    });
    await page.getByText('Nothing waits for review').waitFor();
    assert.deepEqual(await statesOf(company), {
      'VPN moved': 'published',
      'Item 1': 'published',
      'Item 2': 'published',
    });
    const edited = (await listMemories(company)).find((memory) => memory.title === 'Item 1');
    assert.equal(edited?.content, 'The text of the reviewer.');
    await answered(page, 5, () => keys(page, 'uuuuu'));
    await title(page, '5 to review');
    const again = await statesOf(company);
    assert.equal(Object.values(again).filter((state) => state === 'review').length, 5);
    assert.equal(again['VPN gateway'], 'published');
  });

  test('near-equal items are decided once, merged by editing, and taken back at once', async () => {
    const company = await service.company();
    const port =
      'The mail server listens on port 587 and accepts only TLS connections from the office network.';
    const texts = [port, port, `${port} Backups run at night.`, port.replace('587', '588'), port];
    await addMemories(
      company,
      'review',
      texts.map((content, n) => ({ title: `Mail ${n}`, content })),
    );
    await addMemories(company, 'review', [{ title: 'Ferry', content: 'It leaves at noon.' }]);
    const page = await openReview(company);
    await keys(page, 'j');
    await page.getByText('4 other items say nearly the same').waitFor();
    await press(page, 'Keep this sentence');
    await answered(page, 2, () => keys(page, 'p'));
    await said(page, '“Mail 4”: published, 4 others discarded.');
    assert.deepEqual(await statesOf(company), { 'Mail 4': 'published', Ferry: 'review' });
    const [kept] = await listMemories(company, '?state=published');
    assert.equal(kept?.content, `${port} Backups run at night.`);
    await answered(page, 1, () => toast(page, 'Mail 4').getByRole('button', { name: 'Undo' }).click());
    await title(page, '6 to review');
    assert.equal((await listMemories(company, '?state=review')).length, 6);
    await shows(page, 'Mail 4');
    assert.equal(await page.getByText('Edited by you').count(), 0, 'the text was stored');
    await page.getByRole('button', { name: 'Take out of this group' }).first().click();
    await page.getByText('3 other items say nearly the same').waitFor();
    await keys(page, 'e');
    await textField(page).waitFor();
    await page.getByLabel('Title or text').fill('Fer');
    await shows(page, 'Ferry');
    assert.equal(await textField(page).count(), 0, 'the form would take the focus from the filter');
    await page.getByLabel('Title or text').fill('');
    await page.getByLabel('Select Mail 4').check();
    await page.getByRole('button', { name: 'Publish 1, discard 3' }).waitFor();
  });

  test('keys do nothing in a field, in a dialog, with a modifier, after g and while they are held down', async () => {
    const company = await service.company();
    await queue(company, 2);
    const page = await openReview(company);
    let decisions = 0;
    page.on('request', (request) => (decisions += request.method() === 'POST' ? 1 : 0));
    for (const key of ['Control+j', 'Alt+p', 'Meta+d', 'Shift+P']) await page.keyboard.press(key);
    await page.getByLabel('Title or text').focus();
    await keys(page, 'j');
    await page.getByLabel('Title or text').fill('');
    await page.locator('#item-heading').focus();
    await keys(page, '?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await keys(page, 'jpdsue');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
    await keys(page, 'e');
    await page.keyboard.press('End');
    await keys(page, 'jpdsu?x');
    assert.equal(await textField(page).inputValue(), 'About the harbour crane.jpdsu?x');
    await page.locator('#item-heading').focus();
    await keys(page, 'pd');
    await textField(page).press('Escape');
    await page.evaluate(
      `for (const key of ['p', 'd', 'u']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, repeat: true, bubbles: true }))`,
    );
    assert.deepEqual([decisions, await current(page)], [0, 'Item 1']);
    await keys(page, 'gp');
    await title(page, 'People');
    assert.equal(decisions, 0);
  });

  test('what is selected is decided at once, and what was decided before is named', async () => {
    const company = await service.company();
    const items = await queue(company, 4);
    const page = await openReview(company);
    for (const n of [1, 2, 3]) await page.getByLabel(`Select Item ${n}`).check();
    await decided(company, { action: 'discard', memoryId: items[2]?.id });
    await press(page, 'Publish 3');
    await said(page, 'Not published: “Item 3”. You have already discarded it.');
    await said(page, '2 items: published.');
    await keys(page, 'u');
    await said(page, '2 items: back in review.');
    assert.deepEqual(await statesOf(company), { 'Item 1': 'review', 'Item 2': 'review', 'Item 4': 'review' });
  });

  test('a decision that someone else has made before is named, what is typed stays, and the review goes on', async () => {
    const company = await service.company();
    const [first, second] = await queue(company, 3);
    assert.ok(first && second);
    const page = await openReview(company);
    const other = await addPerson(service, company, { companyRole: 'owner', teamRole: 'owner' });
    await decided(other, { action: 'publish', memoryId: first.id });
    await keys(page, 'e');
    await textField(page).fill('What I have typed.');
    await page.keyboard.press('Control+Enter');
    await said(page, 'Not published: “Item 1”. Someone else has already published it.');
    // It is in review again, as another version.
    const { version } = await decided(other, { action: 'publish', memoryId: second.id, content: 'New.' });
    await decided(other, { action: 'unpublish', memoryId: second.id, version });
    await shows(page, 'Item 2');
    await keys(page, 'd');
    await said(page, 'Not discarded: “Item 2”. Someone else has already changed it. Read it again.');
    await page.getByRole('list', { name: 'Queue' }).getByRole('button', { name: 'Item 2' }).click();
    await page.getByText('New.', { exact: true }).waitFor();
    await answered(page, 1, () => keys(page, 'd'));
    assert.deepEqual(await statesOf(company), { 'Item 1': 'published', 'Item 3': 'review' });
    await page.getByRole('link', { name: 'Open it' }).click();
    assert.equal(await textField(page).inputValue(), 'What I have typed.');
  });

  test('the filters and the item are in the address, and Back shows the item that was read', async () => {
    const company = await service.company();
    const [first] = await queue(company, 2);
    const client = await addClient(service, company);
    await addMemories(company, 'review', [{ title: 'Of the client', content: 'A fact.' }], client);
    const page = await openReview(company);
    await page.getByLabel('Client', { exact: true }).selectOption(client);
    await title(page, '1 to review');
    await page.getByLabel('Client', { exact: true }).selectOption('');
    await title(page, '3 to review');
    await keys(page, 'jj');
    await shows(page, 'Item 2');
    await page.waitForURL(/item=/);
    await page.getByRole('link', { name: 'Open the memory' }).click();
    await title(page, 'Item 2 · Memories');
    await page.goBack();
    await shows(page, 'Item 2');
    await answered(page, 1, () => keys(page, 'd'));
    // What someone else decides while it is read is not decided again.
    await decided(company, { action: 'discard', memoryId: first?.id });
    await shows(page, 'Item 1');
    await keys(page, 'p');
    await said(page, 'Not published: “Item 1”. You have already discarded it.');
    assert.deepEqual(await statesOf(company), { 'Of the client': 'review' });
  });

  test('an item that was taken back obeys a filter that is set right after', async () => {
    const company = await service.company();
    await queue(company, 2);
    const page = await openReview(company);
    // No list is read a second time, which would correct what is shown.
    const seen = new Set(['']);
    await page.route(
      ({ pathname, search }) => pathname.endsWith('/memory/memories') && search !== '',
      (route) => {
        const words = new URL(route.request().url()).searchParams.get('q') ?? '';
        return seen.has(words) ? route.abort() : (seen.add(words), route.fallback());
      },
    );
    await answered(page, 1, () => keys(page, 'd'));
    await said(page, '“Item 1”: discarded.');
    await answered(page, 1, () => keys(page, 'u'));
    await said(page, '“Item 1”: back in review.');
    await page.getByLabel('Title or text').fill('walrus');
    await title(page, '1 to review');
    await page.getByLabel('Title or text').fill('crane');
    await shows(page, 'Item 1');
    assert.equal(await page.getByRole('list', { name: 'Queue' }).getByRole('listitem').count(), 1);
  });

  test('texts with feedback are kept, changed or archived', async () => {
    const company = await service.company();
    await addMemories(company, 'published', [{ title: 'Ferry', content: 'The ferry of quokka.' }]);
    await questionBest(company, 'quokka', { verdict: 'outdated', note: 'Not quokka' });
    for (const word of ['tapir', 'okapi']) {
      await company.api.ingestSource({ title: word, text: `The tram of ${word}.`, scope: {} });
      await questionBest(company, word, { verdict: 'outdated', note: `Not ${word}` });
    }
    const page = await openReview(company);
    await page.getByText('Not okapi').waitFor();
    await keys(page, 'd');
    await said(page, '“okapi”: archived.');
    await keys(page, 'u');
    await said(page, '“okapi”: as before.');
    await keys(page, 'p');
    await said(page, '“tapir”: kept as it is.');
    await keys(page, 'e');
    await textField(page).fill('The ferry leaves at noon.');
    await page.keyboard.press('Control+Enter');
    await said(page, '“Ferry”: changed.');
    assert.equal((await listMemories(company))[0]?.content, 'The ferry leaves at noon.');
  });
});

describe('the pages of memories and captures', { skip }, () => {
  test('memories are found by state and text, and many are tagged, archived and taken back', async () => {
    const company = await service.company();
    await addMemory(company, 'archived', { title: 'Old rule' });
    for (const name of ['Tram', 'Ferry', 'Bus']) await addMemory(company, 'published', { title: name });
    const { page } = await open(company, '/memories');
    await page.getByRole('link', { name: /Archived\s*1/ }).click();
    await row(page, 'Old rule').waitFor();
    await page.getByRole('link', { name: /Published/ }).click();
    for (const name of ['Tram', 'Ferry']) await page.getByLabel(`Choose ${name}`).check();
    await press(page, 'Tag');
    await page.getByLabel('Tag', { exact: true }).fill('Transport');
    await page.keyboard.press('Enter');
    await said(page, '2 memories: tagged “Transport”.');
    assert.deepEqual(
      (await listMemories(company)).map(({ tags }) => tags.length),
      [0, 1, 1],
    );
    await page.getByLabel('Choose Bus').check();
    await press(page, 'Title');
    await page
      .getByRole('columnheader', { name: 'Title', exact: true })
      .and(page.locator('[aria-sort="ascending"]'))
      .waitFor();
    assert.equal(await page.getByLabel('Choose Bus').isChecked(), true, 'sorting keeps what is chosen');
    await press(page, 'Archive');
    await said(page, '“Bus”: archived.');
    await row(page, 'Bus').waitFor({ state: 'detached' });
    await toast(page, 'Bus').getByRole('button', { name: 'Undo' }).click();
    await row(page, 'Bus').waitFor();
    await page.getByLabel('Title or text').fill('Tram');
    await row(page, 'Bus').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Tram' }).click();
    await title(page, 'Tram · Memories · Test Team');
    await page.goBack();
    await row(page, 'Tram').waitFor();
    assert.equal(await page.getByLabel('Title or text').inputValue(), 'Tram');
  });

  test('what is done with the chosen memories is also done with those that are no longer loaded', async () => {
    const company = await service.company();
    for (const from of [0, 30])
      await addMemories(
        company,
        'published',
        Array.from({ length: 30 }, (_, n) => ({ title: `Ferry ${from + n}`, content: `Pier ${from + n}.` })),
      );
    await addMemory(company, 'published', { title: 'Zoo' });
    const { page } = await open(company, '/memories');
    // So small that only the first rows are loaded.
    await page.setViewportSize({ width: 1280, height: 300 });
    await page.getByLabel('Choose Zoo').check();
    await press(page, 'Title');
    await page.getByLabel('Choose Ferry 0', { exact: true }).check();
    await said(page, '2 memories chosen');
    await press(page, 'Archive');
    await said(page, '2 memories: archived.');
    const archived = await listMemories(company, '?state=archived');
    assert.deepEqual(archived.map((memory) => memory.title).toSorted(), ['Ferry 0', 'Zoo']);
  });

  test('a memory is edited, restored, moved, archived and deleted, and nothing is overwritten unseen', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { id } = await addMemory(company, 'published', { title: 'Gateway', content: 'It is vpn2 now.' });
    const { page } = await open(company, `/memories/${id}`);
    const read = () => company.api.getMemory(id);
    await press(page, 'Edit');
    await page.getByLabel('Text').fill('Mine is vpn3.');
    await decided(company, { action: 'update', memoryId: id, title: 'Theirs', content: 'It is vpn9 now.' });
    await press(page, 'Save');
    await said(page, 'You have already');
    await page
      .getByRole('region', { name: 'The memory as it is now' })
      .getByText('It is vpn9 now.')
      .waitFor();
    assert.equal(await page.getByLabel('Text').inputValue(), 'Mine is vpn3.');
    await press(page, 'Save');
    await said(page, '“Theirs”: changed.');
    assert.equal((await read()).content, 'Mine is vpn3.');
    await press(page, 'Restore version 1');
    await said(page, 'version 1 is published again');
    assert.equal((await read()).content, 'It is vpn2 now.');
    await page.getByLabel('Add a tag').fill('VPN, internal');
    await page.keyboard.press('Enter');
    await said(page, 'tagged “VPN, internal”');
    assert.deepEqual((await read()).tags, ['vpn, internal']);
    await menu(page, 'Move');
    await page.getByLabel('To', { exact: true }).selectOption(clientId);
    await press(page, 'Move');
    await said(page, 'moved to A client');
    assert.equal((await read()).clientId, clientId);
    await menu(page, 'Archive');
    await said(page, 'archived.');
    await toast(page, 'archived.').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'taken back');
    assert.equal((await read()).state, 'published');
    await menu(page, 'Delete for good');
    await press(page, 'Delete for good');
    await said(page, 'deleted for good.');
    assert.equal((await company.ask.getMemory(id)).statusCode, 404);
  });

  test('tags settle no feedback, and neither does taking them back', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { content: 'The ferry of quokka.' });
    await questionBest(company, 'quokka', { verdict: 'outdated', note: 'Not quokka' });
    const { page } = await open(company, `/memories/${id}`);
    await page.getByLabel('Add a tag').fill('boats');
    await page.keyboard.press('Enter');
    await toast(page, 'tagged “boats”').getByRole('button', { name: 'Undo' }).click();
    await said(page, 'taken back');
    await page.getByText('Not quokka').waitFor();
    assert.equal((await listMemories(company, '?state=review')).length, 1);
  });

  test('what someone else has decided before is said, and what is done on an older version is refused', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { title: 'Gateway', content: 'Ask vpn1 now.' });
    await decided(company, { action: 'update', memoryId: id, content: 'Ask vpn2 now.' });
    const other = await addPerson(service, company, { companyRole: 'owner', teamRole: 'owner' });
    const { page } = await open(company, `/memories/${id}`);
    const read = () => company.api.getMemory(id);
    await page.getByRole('link', { name: /^Version 2/ }).click();
    await page.locator('ins').waitFor();
    assert.deepEqual(await page.locator('del, ins').allTextContents(), ['deleted: vpn1', 'inserted: vpn2']);
    await decided(other, { action: 'update', memoryId: id, content: 'Three.' });
    await press(page, 'Restore version 1');
    await said(page, 'Not done: “Gateway”. Someone else has already changed it. Read it again.');
    assert.equal((await read()).content, 'Three.');
    await page.getByText('Three.', { exact: true }).waitFor();
    await decided(other, { action: 'unpublish', memoryId: id });
    await menu(page, 'Archive');
    await page.getByRole('main').getByRole('link', { name: 'Review', exact: true }).waitFor();
    assert.equal((await read()).state, 'review');
    await menu(page, 'Expiry');
    await press(page, 'In 90 days');
    await press(page, 'Set');
    await said(page, '“Gateway”: expires on');
    await page.goto(page.url().replace(id, crypto.randomUUID()));
    await said(page, 'There is no such memory, or you do not have access to it');
  });

  test('people without Full access read published memories and their own captures, and release a batch', async () => {
    const company = await service.company();
    const anna = await addPerson(service, company, { teamRole: 'member' });
    await stageCapture(anna, { sessionId: 'kept', summary: 'Learned the port.' });
    const { batchId, captures } = await claimAll(company);
    const captureIds = captures.map(({ id }) => id);
    await completed(company, batchId, [
      { captureIds, action: 'publish', title: 'The port', content: 'It is 443.' },
    ]);
    await stageCapture(anna, { sessionId: 'waiting' });
    await stageCapture(company, { sessionId: 'of another person' });
    await claimBatch(anna, { limit: 1 });
    const { page } = await open({ ...anna, teamId: company.teamId }, '/captures');
    await press(page, 'Release');
    await said(page, '1 capture can be claimed again.');
    await row(page, 'waiting').filter({ hasText: 'Staged' }).waitFor();
    assert.equal(await row(page, 'of another person').count(), 0);
    await page.getByRole('link', { name: 'kept', exact: true }).click();
    await page.getByRole('dialog', { name: 'Capture' }).getByText('Learned the port.').waitFor();
    await page.getByRole('dialog', { name: 'Capture' }).getByRole('link', { name: 'Its memory' }).click();
    await title(page, 'The port');
    assert.equal(await page.getByRole('button', { name: 'More actions' }).count(), 0);
    await page.getByRole('link', { name: 'Memories' }).first().click();
    await row(page, 'The port').waitFor();
  });

  test('axe finds nothing on the pages, in light and dark', async () => {
    const company = await service.company();
    const { id } = await addMemory(company, 'published', { title: 'Ferry', content: 'The ferry of quokka.' });
    await questionBest(company, 'quokka', { verdict: 'outdated', note: 'Not quokka' });
    await addMemories(company, 'review', [{ title: 'Bus', content: 'The ferry of quokka leaves.' }]);
    const { page, faults } = await open(company, '/memories');
    const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
    for (const path of ['/memories', `/memories/${id}`, '/review', '/captures'])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.goto(new URL(`${path}?team=${company.teamId}`, page.url()).href);
        await page.waitForLoadState('networkidle');
        await page.evaluate(axe);
        const violations = await page.evaluate(
          `axe.run('main').then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
        );
        assert.deepEqual(violations, [], `${path} ${colorScheme}`);
      }
    assert.deepEqual(faults.splice(0), []);
  });
});
