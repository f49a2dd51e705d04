import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, addPerson, archiveTeam } from '../../support/team.ts';
import { alarmed, button, confirm, dialog, follow, press, said, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

/** A Company whose Team has a handbook of six passages in its layer, and a text of a client. */
async function companyToSearch() {
  const owner = await service.company();
  const client = await addClient(service, owner);
  const passages = [
    'How we treat guests.',
    'Guests get a yellow lanyard.',
    'Their host signs HR-2210.',
    'Nobody walks alone.',
    'The hall closes at six.',
    'The tour takes an hour.',
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

/** Waits until the page tells this, such as how many passages it has found. */
const found = (page: Page, text: string) => said(page, new RegExp(`^${text}`));
const queryField = (page: Page) => page.getByRole('searchbox', { name: 'Search for' });

/** Searches as a user does. */
async function searchFor(page: Page, query: string): Promise<void> {
  await queryField(page).fill(query);
  await page.keyboard.press('Enter');
}

/** The titles of the hits, in order. */
const hitTitles = (page: Page) => page.locator('.hit h2').allInnerTexts();

describe('the page of the search', { skip }, () => {
  const query = (page: Page) => {
    const params = new URL(page.url()).searchParams;
    params.delete('team');
    return Object.fromEntries(params);
  };

  test('a member searches, reads on in place, and copies the link to a passage', async () => {
    const owner = await companyToSearch();
    const { token } = await addPerson(service, owner, { teamRole: 'member' });
    const { page, refused } = await open({ token, teamId: owner.teamId }, '/search');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('searches by words and codes, not by meaning').waitFor();
    assert.equal(await focused(page), 'search-query');
    await page.keyboard.type('yellow lanyards');
    await page.keyboard.press('Enter');
    await found(page, '1 passage');
    await title(page, 'yellow lanyards · Search · Test Team');
    assert.deepEqual(query(page), { q: 'yellow lanyards' });
    assert.deepEqual(await page.locator('.hit mark').allInnerTexts(), ['yellow', 'lanyard']);
    assert.equal(await page.locator('.why').count(), 0, 'a member has no right to an explanation');
    const passages = page.locator('.hit .passage p');
    assert.equal(await passages.count(), 3);
    await press(page, 'Show more of it (Visitors)');
    await page.getByText('Nobody walks alone.').waitFor();
    await press(page, /^Show still more/);
    await page.getByText('This is the whole text.').waitFor();
    assert.equal(await passages.count(), 6);
    await button(page, /^Show less/).click();
    assert.equal(await passages.count(), 3);

    await button(page, /^Copy link/).click();
    await page.getByText('The link is copied.').waitFor();
    const { chunks } = await owner.api.getSource(owner.handbook);
    const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    assert.equal(link.pathname, `/sources/${owner.handbook}`);
    assert.equal(link.searchParams.get('chunk'), chunks[1]?.chunk_id);
    await page.goto(link.href);
    await page.locator('[data-chunk][aria-current]', { hasText: 'yellow lanyard' }).waitFor();
    assert.deepEqual(refused, []);
  });

  test('filters are in the address, and going back shows the earlier search', async () => {
    const owner = await companyToSearch();
    const { page, refused } = await open(owner, '/search?q=lanyard+passport');
    await found(page, '2 passages, best first');
    await page.getByLabel('Where').selectOption({ label: '\u2068A client\u2069' });
    await found(page, '1 passage');
    assert.deepEqual(await hitTitles(page), ['At the client']);
    assert.deepEqual(query(page), { q: 'lanyard passport', in: owner.client });
    await page.getByLabel('Search the Team layer too').check();
    await found(page, '2 passages');
    await follow(page, 'Clear the filters');
    await found(page, '2 passages');
    await follow(page, 'front desk');
    await found(page, '1 passage');
    await page.getByLabel('Stored until').fill('2020-01-01');
    await press(page, 'Apply');
    await found(page, 'No passage found');
    await follow(page, /^Search everywhere/);
    await found(page, '2 passages');
    await searchFor(page, 'passport');
    await found(page, '1 passage');
    await page.goBack();
    await found(page, '2 passages');
    assert.equal(await queryField(page).inputValue(), 'lanyard passport');
    await page.reload();
    await found(page, '2 passages');
    assert.deepEqual(refused, []);
  });

  test('those with Full access can ask why a passage has its place', async () => {
    const owner = await companyToSearch();
    const { page, refused } = await open(owner, '/search?q=HR-2210+lanyard');
    await found(page, '2 passages');
    const first = page.locator('.hit').first();
    await first.getByText('Why this place').click();
    await first.getByText('It contains a rare code of the query').waitFor();
    const words = first.getByRole('table', { name: 'Words of the query in it' });
    await words.getByRole('rowheader', { name: 'hr-2210' }).waitFor();
    assert.deepEqual(refused, []);
  });

  test('a reader says what a passage is worth, and reviewers see it; not in an archived Team', async () => {
    const owner = await companyToSearch();
    const { token } = await addPerson(service, owner, { companyRole: 'admin', companyGrant: 'read' });
    const { page, refused } = await open({ token, teamId: owner.teamId }, '/search?q=yellow+lanyard');
    await press(page, /^Useful/);
    await page.getByText('It counts as useful.').waitFor();
    await press(page, /^Wrong or outdated/);
    await dialog(page).getByLabel('It is no longer true.').check();
    await dialog(page).getByLabel('What is right?').fill('It is green now.');
    await page.route('**/v1/memory/feedback', (route) => route.abort());
    await confirm(page, 'Send');
    await alarmed(page, 'did not answer');
    await page.unroute('**/v1/memory/feedback');
    await confirm(page, 'Send');
    await page.getByText('Reviewers will see it.').waitFor();
    const [item] = await owner.all.listMemories({ state: 'review' });
    assert.equal(item?.feedback?.[0]?.note, 'It is green now.');
    await archiveTeam(service, owner.teamId);
    await page.reload();
    await found(page, '1 passage');
    assert.deepEqual([await button(page, /^Useful/).count(), refused], [0, []]);
  });

  test('the answer to an earlier search is not shown after a newer one, and a failed search can be repeated', async () => {
    const { page } = await open(await companyToSearch(), '/search');
    await page.getByText('not by meaning').waitFor();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/v1/memory/search', async (route) => {
      if (String(route.request().postData()).includes('passport')) await held;
      await route.continue();
    });
    await searchFor(page, 'passport');
    await found(page, 'Searching');
    await searchFor(page, 'yellow lanyard');
    await found(page, '1 passage');
    const late = page.waitForResponse((answer) => String(answer.request().postData()).includes('passport'));
    release();
    await (await late).finished();
    assert.deepEqual(await hitTitles(page), ['Visitors']);
    await page.unroute('**/v1/memory/search');
    await page.route('**/v1/memory/search', (route) => route.abort());
    await searchFor(page, 'hall closes');
    await alarmed(page, 'The service did not answer.');
    await page.unroute('**/v1/memory/search');
    await press(page, 'Try again');
    await found(page, '\\d+ passage');
  });
});
