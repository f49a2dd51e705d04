import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { title } from '../../support/pages.ts';
import { addClient, addPerson, archiveTeam } from '../../support/team.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { open, skip } = await openPages(service);

/** A Company whose Team has a handbook of nine passages in its layer, and a text of a client. */
async function companyToSearch() {
  const owner = await service.company();
  const client = await addClient(service, owner);
  const passages = [
    'How we treat guests.',
    'Guests get a **yellow** lanyard.',
    'Their host signs HR-2210.',
    'Nobody walks alone.',
    'The hall closes at six.',
    'The tour takes an hour.',
    'Coffee is in the kitchen.',
    'Taxis wait at the gate.',
    'Thank you for coming.',
  ];
  const { source } = await owner.api.ingestSource({
    title: 'Visitors',
    tags: ['front desk'],
    chunks: passages.map((text) => ({ text })),
  });
  await owner.api.ingestSource({
    title: 'At the client',
    scope: { clientId: client },
    text: 'A passport at gate 4.',
  });
  return { ...owner, client, handbook: source.id };
}

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search for' });
const results = (page: Page) => page.getByRole('list', { name: 'Results' });
const preview = (page: Page) => page.getByRole('complementary', { name: 'Preview' });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
/** Waits until the page tells how many sources it has found. */
const found = (page: Page, text: RegExp) =>
  page.getByRole('status').filter({ hasText: text }).first().waitFor();
/** What the address says, without the Team. */
function query(page: Page): Record<string, string> {
  const { team: _, ...rest } = Object.fromEntries(new URL(page.url()).searchParams);
  return rest;
}
const titles = (page: Page) => results(page).getByRole('heading').allInnerTexts();
/** The bodies of the searches that the page has sent since. */
function searches(page: Page): string[] {
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/memory/search')) sent.push(request.postData() ?? '');
  });
  return sent;
}

describe('the page of the search', { skip }, () => {
  test('what is typed is found after a pause, and the keyboard reads it in its place and opens it', async () => {
    const owner = await companyToSearch();
    const { token } = await addPerson(service, owner, { teamRole: 'member' });
    const { page } = await open({ token, teamId: owner.teamId }, '/search');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await field(page).and(page.locator(':focus')).waitFor();
    const sent = searches(page);
    await page.keyboard.type('yellow lanyards');
    await found(page, /^1 source$/);
    assert.equal(sent.length, 1);
    await title(page, 'yellow lanyards · Search · Test Team');
    assert.deepEqual(query(page), { q: 'yellow lanyards' });
    assert.deepEqual(await results(page).locator('mark').allInnerTexts(), ['yellow', 'lanyard']);
    assert.deepEqual(await preview(page).locator('mark').allInnerTexts(), ['yellow', 'lanyard']);
    assert.equal(await preview(page).getByText('Why this place').count(), 0, 'a member has no right to it');

    await page.keyboard.press('ArrowDown');
    await preview(page).getByText('Nobody walks alone.').waitFor();
    await preview(page).locator('strong mark', { hasText: 'yellow' }).waitFor();
    assert.equal(await preview(page).getByText('The hall closes').count(), 0);
    await press(page, 'Show more around it');
    await preview(page).getByText('Coffee is').waitFor();
    await press(page, 'Show more around it');
    await preview(page).getByText('This is the whole text.').waitFor();
    const { chunks } = await owner.api.getSource(owner.handbook);
    const passage = chunks[1]?.chunk_id ?? '';
    assert.equal(query(page)['open'], passage);

    await press(page, 'Copy with its source');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(copied, /^“Guests get .+”\n— Visitors\nhttp/);
    const link = new URL(copied.split('\n').at(-1) ?? '');
    assert.deepEqual(
      [link.pathname, link.searchParams.get('chunk')],
      [`/sources/${owner.handbook}`, passage],
    );

    await field(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/sources/${owner.handbook}?*chunk=${passage}*`);
    await page.goBack();
    await found(page, /^1 source$/);
    assert.equal(query(page)['open'], passage);
    assert.equal(sent.length, 1, 'Back shows what was found, and searches for nothing');
  });

  test('facets count and filter, the address has the filters, and Back leads to the search before', async () => {
    const owner = await companyToSearch();
    const { page } = await open(owner, '/search?q=lanyard+passport');
    await found(page, /^2 sources, best first/);
    const where = page.getByLabel('Everywhere');
    await where.selectOption({ label: 'A client (1)' });
    await found(page, /^1 source$/);
    assert.deepEqual(await titles(page), ['At the client']);
    assert.deepEqual(query(page), { q: 'lanyard passport', in: owner.client });
    await page.getByLabel('and the Team').check();
    await found(page, /^2 sources/);
    await where.selectOption({ label: 'Team only' });
    await found(page, /^1 source$/);
    await press(page, 'Clear');
    await found(page, /^2 sources/);
    await page.getByLabel('Tag').selectOption({ label: 'front desk (1)' });
    await found(page, /^1 source$/);
    await page.getByLabel('Year').selectOption({ label: 'Days …' });
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await found(page, /^No passage found/);
    await press(page, 'Search everywhere, without filters');
    await found(page, /^2 sources/);
    await field(page).fill('passport');
    await page.keyboard.press('Enter');
    await found(page, /^1 source$/);
    await page.goBack();
    await found(page, /^2 sources/);
    assert.equal(await field(page).inputValue(), 'lanyard passport');
  });

  test('those with Full access see why a passage has its place, and nobody is left with nothing', async () => {
    const owner = await companyToSearch();
    const { page } = await open(owner, '/search?q=HR-2210+lanyard');
    await found(page, /^1 source$/);
    await preview(page).getByText('Why this place').click();
    await preview(page).getByText('It contains a rare code of the query').waitFor();
    await preview(page).getByText('“hr-2210”').waitFor();
    await preview(page).getByRole('link', { name: 'Passage 2' }).click();
    await preview(page)
      .getByRole('link', { name: 'Passage 2' })
      .and(page.locator('[aria-current]'))
      .waitFor();
    const { page: other } = await open(owner, '/search?q=visitrs&kind=memory');
    await found(other, /^No passage found/);
    await other.getByText('No text here has “visitrs”.').waitFor();
    await other.getByRole('link', { name: 'Visitors' }).waitFor();
    const json = { code: 'overloaded', detail: 'The service is busy. Try again.' };
    await other.route('**/v1/memory/search', (route) => route.fulfill({ status: 429, json }));
    await field(other).fill('lanyard');
    await other.getByRole('alert').filter({ hasText: 'The service is busy.' }).waitFor();
    await other.unroute('**/v1/memory/search');
    await press(other, 'Try again');
    await found(other, /^No passage found/);
  });

  test('a reader says what a passage is worth, and reviewers see it; not in an archived Team', async () => {
    const owner = await companyToSearch();
    const { token } = await addPerson(service, owner, { companyRole: 'admin', companyGrant: 'read' });
    const { page } = await open({ token, teamId: owner.teamId }, '/search?q=yellow+lanyard');
    await press(page, 'Useful');
    await page.getByText('It counts as useful.').waitFor();
    await press(page, 'Outdated');
    await page.getByLabel('What is right?').fill('It is green now.');
    await page.route('**/v1/memory/feedback', (route) => route.abort());
    await press(page, 'Send to the reviewers');
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await page.unroute('**/v1/memory/feedback');
    await press(page, 'Send to the reviewers');
    await page.getByText('Reviewers will see it.').waitFor();
    const [item] = await owner.all.listMemories({ state: 'review' });
    assert.equal(item?.feedback?.[0]?.note, 'It is green now.');
    await archiveTeam(service, owner.teamId);
    await page.reload();
    await found(page, /^1 source$/);
    assert.equal(await page.getByRole('button', { name: 'Useful' }).count(), 0);
  });

  test('typing on ends the search before, and the palette keeps what was searched for until sign-out', async () => {
    const { page } = await open(await companyToSearch(), '/search');
    const ended: string[] = [];
    page.on('requestfailed', (request) => ended.push(request.postData() ?? ''));
    await page.route('**/v1/memory/search', async (route) => {
      if (!String(route.request().postData()).includes('passport')) await route.continue();
    });
    const sent = page.waitForRequest('**/v1/memory/search');
    await field(page).fill('passport');
    await page.keyboard.press('Enter');
    await sent;
    await field(page).fill('yellow lanyard');
    await page.keyboard.press('Enter');
    await found(page, /^1 source$/);
    assert.deepEqual(await titles(page), ['Visitors']);
    assert.equal(ended.filter((body) => body.includes('passport')).length, 1);

    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('option', { name: /^yellow lanyard/ }).waitFor();
    await palette.getByRole('option', { name: /^New note/ }).waitFor();
    await page.keyboard.type('hall closes');
    const now = searches(page);
    await palette.getByRole('option', { name: /^Visitors.*hall closes/ }).waitFor();
    await page.keyboard.press('Enter');
    await found(page, /^1 source$/);
    assert.equal(query(page)['q'], 'hall closes');
    assert.equal(now.length, 1, 'the page shows what the palette has found');

    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.doesNotMatch(await page.evaluate('JSON.stringify(localStorage)'), /lanyard|hall/);
  });

  test('what is typed right after Enter stays in the field', async () => {
    const { page } = await open(await companyToSearch(), '/search?q=passport');
    await found(page, /^1 source$/);
    await field(page).fill('yellow');
    // Before the address has what was entered.
    await page.evaluate(`
      document.activeElement.form.requestSubmit();
      document.execCommand('insertText', false, ' lanyard');
    `);
    await found(page, /^1 source$/);
    assert.equal(await field(page).inputValue(), 'yellow lanyard');
    await page.waitForURL(/q=yellow\+lanyard/);
  });

  test('Enter opens the passage that is chosen, and nothing needs room in the browser', async () => {
    const company = await service.company();
    const { source } = await company.api.ingestSource({
      title: 'Tides',
      chunks: [{ text: 'The heron nests at low tide.' }, { text: 'The heron hunts at high tide.' }],
    });
    const { page } = await open(company, '/search');
    await field(page).waitFor();
    await page.evaluate(`(() => {
      const { setItem } = Storage.prototype;
      Storage.prototype.setItem = function (...given) {
        if (this === localStorage) throw new DOMException('full');
        setItem.apply(this, given);
      };
    })()`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('heron');
    await page.getByRole('option', { name: /^Search for “heron”/ }).waitFor();
    await page.keyboard.press('Enter');
    await found(page, /^1 source$/);
    await preview(page).getByRole('link', { name: 'Passage 2' }).click();
    await preview(page).locator('nav [aria-current]', { hasText: 'Passage 2' }).waitFor();
    const open2 = query(page)['open'] ?? '';
    const { hits } = await company.api.searchMemory({
      query: 'heron',
      embeddingMode: 'auto',
      group: 'source',
    });
    assert.equal(hits[0]?.passages?.[1]?.chunk_id, open2);
    await results(page).getByRole('link', { name: 'Tides' }).press('Enter');
    await page.waitForURL(`**/sources/${source.id}?*`);
    assert.equal(query(page)['chunk'], open2);
  });

  test('what is around a passage is read again if that failed', async () => {
    const { page } = await open(await companyToSearch(), '/search?q=lanyard');
    await found(page, /^1 source$/);
    const json = { code: 'overloaded', detail: 'The service is busy. Try again.' };
    await page.route('**/v1/memory/expand', (route) => route.fulfill({ status: 429, json }));
    await press(page, 'Show more around it');
    await preview(page).getByRole('alert').filter({ hasText: 'The service is busy.' }).waitFor();
    await page.unroute('**/v1/memory/expand');
    await press(page, 'Try again');
    await preview(page).getByText('Nobody walks alone.').waitFor();
  });

  test('on a phone a result opens over the list, and Back closes it', async () => {
    const { page } = await open(await companyToSearch(), '/search');
    await page.setViewportSize({ width: 390, height: 800 });
    await field(page).fill('lanyard');
    await found(page, /^1 source$/);
    await results(page).getByRole('link', { name: 'Visitors' }).click();
    const drawer = page.getByRole('dialog', { name: 'Visitors' });
    await drawer.getByText('Their host signs').waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
    await results(page).getByRole('link', { name: 'Visitors' }).click();
    await drawer.waitFor();
    await press(page, 'Close');
    await drawer.waitFor({ state: 'detached' });
    // Closing was a step back: otherwise Back would lead here twice.
    await page.goForward();
    await drawer.waitFor();
    await press(page, 'Close');
    await drawer.waitFor({ state: 'detached' });
    await page.locator('h1').focus();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Next or former result').waitFor();
  });
});
