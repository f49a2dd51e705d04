import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { conflictPath } from '../../../cli/sync/names.ts';
import { openTestApp } from '../../support/app.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient } from '../../support/team.ts';
import { deletion, file } from '../../support/workspace.ts';
import { openIndexer } from '../../worker/files/indexer.ts';
import { button, follow, poll, press, said, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { at, open, skip } = await serveConsole(service);
const SCRIPT = '<script>alert(1)</script>';

describe('the page of files', { skip }, () => {
  const indexer = openIndexer(service);
  /** A Company with a client, and with files of the Team and of the client. */
  async function withFiles() {
    const company = await service.company();
    const client = await addClient(service, company);
    const push = (...files: Parameters<typeof company.api.pushFiles>[0]['files']) =>
      company.api.pushFiles({ files });
    await push(
      file('team/vpn.md', 'The first gateway.'),
      file('team/notes/2026/plan.md', 'The plan.'),
      file('team/page.html', SCRIPT),
      file('team/logo.png', Buffer.from([0x89, 0x50, 0xff])),
      file(`clients/${client}/rates.md`, 'The rates.'),
    );
    await push(file('team/vpn.md', 'The second gateway.', 1));
    return { company, push };
  }
  const names = (page: Page) => page.locator('a[data-path]').allInnerTexts();

  test('files are shown in their folders, and what is chosen is in the address', async () => {
    const { company } = await withFiles();
    const { page, refused } = await open(company, '/files');
    await said(page, '5 files, 66 bytes');
    await button(page, /^A client client, 1 file, 10 bytes$/).waitFor();
    assert.deepEqual(await names(page), ['logo.png', 'page.html', 'vpn.md'], 'a closed folder shows no file');
    await button(page, /^notes/).focus();
    await page.keyboard.press('Enter');
    await press(page, /^2026 1 file/);
    await follow(page, 'plan.md');
    await title(page, 'plan.md · Files');
    assert.equal(new URL(page.url()).searchParams.get('path'), 'team/notes/2026/plan.md');
    await follow(page, 'Back to all files');
    await title(page, '5 files · Files');
    assert.equal(await focused(page), 'plan.md', 'the focus goes back to the row');
    await page.goBack();
    await title(page, 'plan.md · Files');
    await page.reload();
    await page.getByText('team/notes/2026/plan.md', { exact: true }).waitFor();
    assert.deepEqual(refused, []);
  });

  test('every version can be read and downloaded, and none is opened', async () => {
    const { company, push } = await withFiles();
    const { page } = await open(company, '/files?path=team/vpn.md');
    const saved = async (version: number) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        press(page, `Download version ${version}`),
      ]);
      return [download.suggestedFilename(), await readFile(await download.path(), 'utf8')];
    };
    assert.deepEqual(await saved(2), ['vpn.md', 'The second gateway.']);
    assert.deepEqual(await saved(1), ['vpn (version 1).md', 'The first gateway.']);
    await press(page, 'Read version 1');
    await page.getByText('The first gateway.', { exact: true }).waitFor();
    await push(deletion('team/vpn.md', 2));
    await poll(page);
    await page.getByText('Deleted', { exact: true }).waitFor();
    assert.deepEqual(await saved(2), ['vpn (version 2).md', 'The second gateway.']);

    await page.goto(at('/files?path=team/page.html', company.teamId));
    assert.deepEqual(await saved(1), ['page.html', SCRIPT]);
    assert.equal(page.context().pages().length, 1);
    await press(page, 'Read version 1');
    await page.getByText(SCRIPT, { exact: true }).waitFor();
    await page.goto(at('/files?path=team/logo.png', company.teamId));
    await press(page, 'Read version 1');
    await said(page, 'Version 1 is not a text. Download it to open it.');
  });

  test('a conflict copy is shown below its file, with whose it is and what to do', async () => {
    const { company, push } = await withFiles();
    const day = Date.UTC(2026, 10, 21, 20, 45);
    await push(
      file(
        conflictPath('team/vpn.md', 'Ben: the second', day, () => false),
        'The third gateway.',
      ),
    );
    const { page } = await open(company, '/files');
    await follow(page, '1 conflict copy');
    await title(page, 'Conflict copies · Files');
    await page.goBack();
    await follow(page, 'vpn.md');
    await page.getByRole('link', { name: /^Copy of Ben the second, 21 Nov 2026/ }).click();
    await page.getByText('while someone else changed vpn.md.').waitFor();
    await page.getByText('merge the texts by hand into the file, and delete the copy').waitFor();
  });

  test('files are found by words of their path and by what searches make of them', async () => {
    const { company, push } = await withFiles();
    await push(deletion('team/page.html', 1));
    const { page } = await open(company, '/files');
    const filter = page.getByLabel('Find by name or folder');
    const show = page.getByLabel('Show');
    await filter.fill('2026 PLAN');
    await said(page, '1 file found');
    await show.selectOption('Not searchable yet');
    await page.reload();
    await said(page, '1 file found');
    assert.equal(await filter.inputValue(), '2026 PLAN');
    await filter.fill('nothing');
    await said(page, '0 files found');
    await follow(page, 'Show all files');
    await said(page, '4 files, 41 bytes');
    await show.selectOption('Deleted files');
    await said(page, '1 file found');
    assert.deepEqual(await names(page), ['page.html']);
    await indexer.indexAll(company);
    await poll(page);
    await show.selectOption('Not searched');
    await page.getByText('logo.png').waitFor();
    assert.deepEqual(await names(page), ['logo.png']);
  });

  test('what others change is shown without a reload', async () => {
    const { company, push } = await withFiles();
    const { page, refused } = await open(company, '/files?path=team/vpn.md');
    await page.setViewportSize({ width: 1280, height: 700 });
    await page.getByText('Version 2', { exact: true }).waitFor();
    await push(file('team/vpn.md', 'The third gateway.', 2), file('team/new.md', 'new'));
    await indexer.indexAll(company);
    await poll(page);
    await page.getByText('Version 3', { exact: true }).waitFor();
    await page.getByText('Searches find its text.').waitFor();
    await page.getByRole('link', { name: 'new.md', exact: true }).waitFor();
    assert.deepEqual(refused, []);
  });
});
