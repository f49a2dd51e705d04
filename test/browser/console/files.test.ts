import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { conflictPath } from '../../../cli/sync/names.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { deletion, file, workspaceOf } from '../../support/workspace.ts';
import { fileSources, openIndexer } from '../../worker/files/indexer.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;
const COPY = conflictPath('team/vpn.md', 'Ben: the second', Date.UTC(2026, 10, 21, 20, 45), () => false);

describe('the page of files', { skip }, () => {
  const indexer = openIndexer(service);
  /** A Company with a client, and with files of the Team and of the client. */
  async function withFiles() {
    const company = await service.company();
    const client = await addClient(service, company);
    const workspace = workspaceOf(service.app, company.headers);
    const push = async (...files: object[]) =>
      assert.equal((await workspace.push(files)).status, 200, JSON.stringify(files).slice(0, 200));
    await push(
      file('team/vpn.md', 'The first gateway.'),
      file('team/notes/2026/plan.md', 'The plan.'),
      file('team/page.html', '<script>alert(1)</script>'),
      file('team/logo.png', Buffer.from([0x89, 0x50, 0xff])),
      file(`clients/${client}/rates.md`, 'The rates.'),
    );
    await push(file('team/vpn.md', 'The second gateway.', 1));
    return { company, client, push };
  }

  const open = (company: SignedIn, query = '', token = company.token) =>
    openConsole(browser, `${base}/files?team=${company.teamId}${query}`, token);
  const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
  const folder = (page: Page, name: RegExp) => page.getByRole('button', { name });
  const status = (page: Page, text: string) =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor();
  const names = (page: Page) => page.locator('a[data-path]').allInnerTexts();

  test('files are shown in their folders, and what is chosen is in the address', async () => {
    const { company } = await withFiles();
    const { page, faults, refused } = await open(company);
    await status(page, '5 files, 66 bytes');
    await title(page, '5 files · Files · Test Team');
    await folder(page, /^A client client, 1 file, 10 bytes$/).waitFor();
    assert.deepEqual(await names(page), ['logo.png', 'page.html', 'vpn.md'], 'a closed folder shows no file');
    await page.getByRole('button', { name: /^notes/, expanded: false }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^notes/, expanded: true }).waitFor();
    await folder(page, /^2026 1 file/).click();
    await link(page, 'plan.md').click();
    await page.getByRole('heading', { name: 'plan.md' }).waitFor();
    assert.equal(await focused(page), 'file-heading');
    await title(page, 'plan.md · Files');
    const url = page.url();
    assert.equal(new URL(url).searchParams.get('path'), 'team/notes/2026/plan.md');
    await link(page, 'Back to all files').click();
    await title(page, '5 files · Files');
    assert.equal(await focused(page), 'plan.md', 'the focus goes back to the row');
    await page.goBack();
    await title(page, 'plan.md · Files');
    await page.goForward();
    await title(page, '5 files · Files');
    await page.goto(url);
    await page.getByText('team/notes/2026/plan.md', { exact: true }).waitFor();
    await page.setViewportSize({ width: 1280, height: 700 });
    await link(page, 'plan.md').waitFor();
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('every version can be read and downloaded, and none is opened', async () => {
    const { company, push } = await withFiles();
    const { page, faults } = await open(company, '&path=team/vpn.md');
    const saved = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button, exact: true }).click(),
      ]);
      return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
    };
    assert.deepEqual(await saved('Download version 2'), ['vpn.md', 'The second gateway.']);
    await status(page, 'Version 2 was downloaded.');
    assert.deepEqual(await saved('Download version 1'), ['vpn (version 1).md', 'The first gateway.']);
    await page.getByRole('button', { name: 'Read version 1' }).click();
    await page.getByText('The first gateway.', { exact: true }).waitFor();
    assert.equal(await focused(page), 'text-heading');
    await page.getByRole('button', { name: 'Close' }).click();
    assert.equal(await focused(page), 'read-version-1');

    await push(deletion('team/vpn.md', 2));
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.getByText('Version 3', { exact: true }).waitFor();
    await page.getByText('Deleted', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Download version 3' }).count(), 0);
    assert.deepEqual(await saved('Download version 2'), ['vpn (version 2).md', 'The second gateway.']);

    await page.goto(`${base}/files?team=${company.teamId}&path=team/page.html`);
    const url = page.url();
    assert.deepEqual(await saved('Download version 1'), ['page.html', '<script>alert(1)</script>']);
    assert.deepEqual([page.url(), page.context().pages().length], [url, 1]);
    await page.getByRole('button', { name: 'Read version 1' }).click();
    await page.getByText('<script>alert(1)</script>', { exact: true }).waitFor();

    await page.goto(`${base}/files?team=${company.teamId}&path=team/logo.png`);
    await page.getByRole('button', { name: 'Read version 1' }).click();
    await status(page, 'Version 1 is not a text. Download it to open it.');
    assert.deepEqual(faults, []);
  });

  test('a conflict copy is shown below its file, with whose it is and what to do', async () => {
    const { company, push } = await withFiles();
    const orphan = conflictPath('team/gone', 'Ann', Date.UTC(2026, 0, 1), () => false);
    await push(file(COPY, 'The third gateway.'), file(orphan, 'x'), file('team/plan (conflict).md', 'x'));
    const { page } = await open(company);
    await link(page, '2 conflict copies').click();
    await status(page, '2 files found');
    await title(page, 'Conflict copies · Files');
    await page.goBack();
    const row = page
      .getByRole('listitem')
      .filter({ has: page.locator('[data-path="team/vpn.md"]') })
      .last();
    assert.deepEqual(await row.locator('a').allInnerTexts(), ['vpn.md', COPY.slice('team/'.length)]);
    await link(page, 'vpn.md').click();
    await page.getByRole('link', { name: /^Copy of Ben the second, 21 Nov 2026/ }).click();
    await page.getByText('while someone else changed vpn.md.').waitFor();
    await page.getByText('merge the texts by hand into the file, and delete the copy').waitFor();
    await page.locator('.conflicts').getByRole('link', { name: 'vpn.md' }).click();
    await title(page, 'vpn.md · Files');
    await page.goto(`${base}/files?team=${company.teamId}&path=${encodeURIComponent(orphan)}`);
    await page.getByText('gone, which no longer exists.').waitFor();
  });

  test('files are found by words of their path and by what searches make of them', async () => {
    const { company, client, push } = await withFiles();
    await push(deletion('team/page.html', 1));
    const { page } = await open(company);
    await page.getByLabel('Find by name or folder').fill('2026 PLAN');
    await status(page, '1 file found');
    assert.equal(await focused(page), 'files-filter');
    await page.getByText('in Team/notes/2026').waitFor();
    const show = page.getByLabel('Show');
    await show.selectOption('Not searchable yet');
    await page.reload();
    await status(page, '1 file found');
    assert.equal(await page.getByLabel('Find by name or folder').inputValue(), '2026 PLAN');
    await page.getByLabel('Find by name or folder').fill('a client rates');
    await page.getByText('in A client', { exact: true }).waitFor();
    await page.getByLabel('Find by name or folder').fill('nothing');
    await status(page, '0 files found');
    await link(page, 'Show all files').click();
    await status(page, '4 files, 41 bytes');
    await show.selectOption('Deleted files');
    await status(page, '1 file found');
    await link(page, 'page.html').click();
    await page.getByRole('button', { name: 'Download version 1' }).waitFor();

    await indexer.indexAll(company);
    await link(page, 'Back to all files').click();
    await show.selectOption('Not searched');
    await status(page, '1 file found');
    assert.deepEqual(await names(page), ['logo.png']);
    const [source] = (await fileSources(company)).filter(({ uri }) => uri === `clients/${client}/rates.md`);
    await page.goto(`${base}/files?team=${company.teamId}&path=clients/${client}/rates.md`);
    await page.getByText('Searches find its text.').waitFor();
    const href = await link(page, 'Open its source').getAttribute('href');
    assert.equal(href, `/sources/${source?.id}?team=${company.teamId}`);
  });

  test('what others change is shown without a reload', async () => {
    const { company, push } = await withFiles();
    const ben = await addPerson(service, company, { teamRole: 'member' });
    await database.query(`update identity.account set name = 'Ben' where id = $1`, [ben.userId]);
    const { page, refused } = await open(company, '&path=team/vpn.md');
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.getByText('Version 2', { exact: true }).waitFor();
    const bens = workspaceOf(service.app, ben.headers);
    /** The page looks at once when the network is back. */
    const look = () => page.evaluate(`dispatchEvent(new Event('online'))`);
    await bens.push([file('team/vpn.md', 'The third gateway.', 2), file('team/new.md', 'new')]);
    await look();
    await page.getByText('Version 3', { exact: true }).waitFor();
    await page.locator('dd').getByText('by Ben').waitFor();
    await link(page, 'new.md').waitFor();
    await push(deletion('team/new.md', 1));
    await look();
    await link(page, 'new.md').waitFor({ state: 'detached' });
    await indexer.indexAll(company);
    await look();
    await page.getByText('Searches find its text.').waitFor();
    await link(page, 'Open its source').waitFor();
    assert.deepEqual(refused, []);
  });
});
