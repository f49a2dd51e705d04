import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { companyToSearch, found, hitTitles, queryField, searchFor } from '../../support/search-page.ts';
import { addPerson, archiveTeam } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of the search', { skip }, () => {
  const company = () => companyToSearch(service);
  const url = ({ teamId }: Pick<SignedIn, 'teamId'>, query: Record<string, string> = {}) =>
    `${base}/search?${String(new URLSearchParams({ team: teamId, ...query }))}`;
  const open = (owner: SignedIn, query: Record<string, string>, token = owner.token) =>
    openConsole(browser, url(owner, query), token);
  const query = (page: Page) => {
    const params = new URL(page.url()).searchParams;
    params.delete('team');
    return Object.fromEntries(params);
  };

  test('a member searches, reads on in place, and copies the link to a passage', async () => {
    const owner = await company();
    const { token } = await addPerson(service, owner, {
      teamRole: 'member',
      clients: { [owner.client]: 'read' },
    });
    const { page, faults, refused } = await open(owner, {}, token);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByText('searches by words and codes, not by meaning').waitFor();
    assert.equal(await focused(page), 'search-query');
    await page.keyboard.type('yellow lanyards');
    await page.keyboard.press('Enter');
    await found(page, '1 passage');
    await title(page, 'yellow lanyards · Search · Test Team');
    assert.deepEqual(query(page), { q: 'yellow lanyards' });
    assert.deepEqual(await page.locator('.hit mark').allInnerTexts(), ['yellow', 'lanyard']);
    const hit = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Visitors' }) });
    assert.deepEqual(await hit.locator('.passage p').allInnerTexts(), [
      'How we treat guests.',
      'Guests get a yellow lanyard.',
      'Their host signs HR-2210.',
    ]);
    assert.equal(await hit.locator('.why').count(), 0, 'a member has no right to an explanation');

    await hit.getByRole('button', { name: 'Show more of it (Visitors)' }).click();
    await hit.getByText('Nobody walks alone.').waitFor();
    assert.equal(await hit.locator('.passage p').count(), 4);
    await hit.getByRole('button', { name: 'Show still more' }).click();
    await hit.getByText('This is the whole text.').waitFor();
    assert.equal(await hit.locator('.passage p').count(), 6);
    assert.match(await focused(page), /^Show less/);
    await page.keyboard.press('Enter');
    assert.equal(await hit.locator('.passage p').count(), 3);
    await page.locator('button:focus', { hasText: 'Show more of it' }).waitFor();

    await hit.getByRole('button', { name: 'Copy link' }).click();
    await hit.getByText('The link is copied.').waitFor();
    const link = new URL(await page.evaluate<string>('navigator.clipboard.readText()'));
    assert.equal(link.pathname, `/sources/${owner.handbook}`);
    assert.equal(link.searchParams.get('team'), owner.teamId);
    const source = await owner.send('GET', `/v1/memory${link.pathname}`);
    const { chunks } = source.json<{ chunks: { chunk_id: string }[] }>();
    assert.equal(link.searchParams.get('chunk'), chunks[1]?.chunk_id);
    assert.equal(
      await hit.getByRole('link', { name: 'Open (Visitors)' }).getAttribute('href'),
      link.pathname + link.search,
    );
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('filters are in the address, and going back shows the earlier search', async () => {
    const owner = await company();
    const { page, faults, refused } = await open(owner, { q: 'lanyard passport' });
    await found(page, '2 passages, best first');
    assert.deepEqual((await hitTitles(page)).sort(), ['At the client', 'Visitors']);
    await page.getByLabel('Where').selectOption({ label: '\u2068A client\u2069' });
    await found(page, '1 passage');
    assert.deepEqual(await hitTitles(page), ['At the client']);
    assert.deepEqual(query(page), { q: 'lanyard passport', in: owner.client });
    await page.getByLabel('Search the Team layer too').check();
    await found(page, '2 passages');
    await page.getByLabel('Where').selectOption('The Team layer only');
    await found(page, '1 passage');
    assert.deepEqual(
      [await hitTitles(page), query(page)],
      [['Visitors'], { q: 'lanyard passport', in: 'team' }],
    );
    await page.getByRole('link', { name: 'Clear the filters' }).click();
    await found(page, '2 passages');
    assert.equal(await focused(page), 'search-query');

    await page.getByRole('link', { name: 'front desk' }).click();
    await found(page, '1 passage');
    assert.equal(await page.getByLabel('Tag', { exact: true }).inputValue(), 'front desk');
    await page.getByLabel('Stored until').fill('2020-01-01');
    await page.getByRole('button', { name: 'Apply' }).click();
    await found(page, 'No passage found');
    await page.getByRole('link', { name: 'Search everywhere' }).click();
    await found(page, '2 passages');
    await page.getByLabel('Kind').selectOption('Memory');
    await found(page, 'No passage found');

    await queryField(page).fill('lanyard');
    await page.getByLabel('Kind').selectOption('All kinds');
    await found(page, '1 passage');
    await searchFor(page, 'passport');
    await title(page, 'passport · Search');
    await found(page, '1 passage');
    await page.goBack();
    await title(page, 'lanyard · Search');
    await page.locator('.hit mark', { hasText: 'lanyard' }).waitFor();
    assert.equal(await queryField(page).inputValue(), 'lanyard');
    await page.reload();
    await found(page, '1 passage');
    assert.deepEqual(await hitTitles(page), ['Visitors']);
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('only those with Full access can ask why a passage has its place', async () => {
    const owner = await company();
    const { page, faults, refused } = await open(owner, { q: 'HR-2210 lanyard' });
    await found(page, '2 passages');
    const [first, second] = [page.locator('.hit').nth(0), page.locator('.hit').nth(1)];
    assert.match(await first.innerText(), /Their host signs HR-2210/);
    const explained: string[] = [];
    page.on('request', (request) => explained.push(String(request.postData())));
    await first.getByText('Why this place').click();
    await first.getByText('It contains a rare code of the query').waitFor();
    const words = first.getByRole('table', { name: 'Words of the query in it' });
    await words.getByRole('rowheader', { name: 'hr-2210' }).waitFor();
    await second.getByText('Why this place').click();
    await second.getByText('The search by words has it at place 2.').waitFor();
    assert.equal(
      explained.filter((body) => body.includes('"explain":true')).length,
      1,
      'one request for all',
    );
    await searchFor(page, 'lanyard HR-2210');
    await title(page, 'lanyard HR-2210');
    await found(page, '2 passages');
    assert.equal(await page.locator('.why[open]').count(), 0, 'that was another search');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a reader says what a passage is worth, and reviewers see it; not in an archived Team', async () => {
    const owner = await company();
    const { token } = await addPerson(service, owner, { companyRole: 'admin', companyGrant: 'read' });
    const { page, faults, refused } = await open(owner, { q: 'yellow lanyard' }, token);
    await found(page, '1 passage');
    await page.getByRole('button', { name: 'Useful' }).click();
    await page.getByText('It counts as useful.').waitFor();
    await page.getByRole('button', { name: 'Useful', pressed: true }).waitFor();
    await page.getByRole('button', { name: 'Wrong or outdated' }).click();
    const dialog = page.getByRole('dialog', { name: 'What is wrong with this passage?' });
    await dialog.getByLabel('It is no longer true.').check();
    await dialog.getByLabel('What is right?').fill('It is green now.');
    await page.route('**/v1/memory/feedback', (route) => route.abort());
    await dialog.getByRole('button', { name: 'Send' }).click();
    await dialog.getByRole('alert').filter({ hasText: 'did not answer' }).waitFor();
    assert.equal(await dialog.getByLabel('What is right?').inputValue(), 'It is green now.');
    await page.unroute('**/v1/memory/feedback');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Reviewers will see it.').waitFor();
    assert.match(await focused(page), /^Wrong or outdated/);
    const review = await owner.ask.listMemories({ state: 'review' });
    const { items } = review.json<{ items: { feedback: { verdict: string; note: string }[] }[] }>();
    assert.deepEqual(
      items.flatMap(({ feedback }) => feedback.map(({ verdict, note }) => [verdict, note])),
      [['outdated', 'It is green now.']],
    );
    assert.deepEqual([faults, refused], [[], []]);

    await archiveTeam(service, owner.teamId);
    await page.reload();
    await found(page, '1 passage');
    assert.equal(await page.getByRole('button', { name: 'Useful' }).count(), 0);
    assert.deepEqual([faults, refused], [[], []]);
  });
});
