import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { conflictPath } from '../../../cli/sync/names.ts';
import { openTestApp } from '../../support/app.ts';
import { title } from '../../support/pages.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { deletion, file } from '../../support/workspace.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { open, skip } = await openPages(service);
const SCRIPT = '<script>alert(1)</script>';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const rows = async (page: Page) => (await page.getByRole('row').getByRole('link').allInnerTexts()).sort();
/** Chooses an action of a menu. */
async function act(page: Page, menu: string, action: string): Promise<void> {
  await button(page, menu).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

describe('the page of files', { skip }, () => {
  /** A Company with a client, and with files of the Team and of the client. */
  async function withFiles() {
    const company = await service.company();
    const client = await addClient(service, company);
    const push = (...files: Parameters<typeof company.api.pushFiles>[0]['files']) =>
      company.api.pushFiles({ files });
    await push(
      file('team/vpn.md', '# VPN\n\nThe first gateway.\n'),
      file('team/notes/2026/plan.md', 'The plan.'),
      file('team/page.html', SCRIPT),
      file('team/logo.png', Buffer.from([0x89, 0x50, 0xff])),
      file(`clients/${client}/rates.md`, 'The rates.'),
    );
    await push(file('team/vpn.md', '# VPN\n\nThe second gateway.\n', 1));
    const textOf = async (path: string) => {
      const { files } = await company.api.pullFiles({ files: [{ path }] });
      return Buffer.from(files[0]?.contentBase64 ?? '', 'base64').toString();
    };
    return { company, client, push, textOf };
  }

  it('shows files in their folders, filters them by words and kind, and Back brings the open folders again', async () => {
    const { company, push } = await withFiles();
    await push(deletion('team/page.html', 1));
    const { page } = await open(company, '/files');
    await link(page, 'vpn.md').waitFor();
    assert.deepEqual(await rows(page), ['logo.png', 'vpn.md'], 'a closed folder shows no file');
    await button(page, 'notes').press('Enter');
    await button(page, '2026').click();
    await link(page, 'plan.md').click();
    await page.getByText('The plan.').waitFor();
    await title(page, 'plan.md · Files');
    assert.equal(new URL(page.url()).searchParams.get('path'), 'team/notes/2026/plan.md');
    await page.goBack();
    await link(page, 'plan.md').waitFor();
    await page.getByLabel('Name or folder').fill('2026 PLAN');
    await link(page, 'vpn.md').waitFor({ state: 'detached' });
    assert.deepEqual(await rows(page), ['plan.md']);
    await page.getByLabel('Name or folder').fill('nothing');
    await link(page, 'Show all files').click();
    await link(page, 'plan.md').waitFor();
    await page.getByLabel('All files').selectOption('Deleted files');
    await link(page, 'page.html').waitFor();
    assert.deepEqual(await rows(page), ['page.html']);
  });

  it('edits a text, and keeps it beside the newer version if someone else has stored one', async () => {
    const { company, push, textOf } = await withFiles();
    const { page, refused } = await open(company, '/files?path=team/vpn.md');
    await page.getByText('The second gateway.').waitFor();
    await link(page, 'Edit').click();
    await page.getByLabel('Text, in Markdown').fill('# VPN\n\nMy gateway.\n');
    await push(file('team/vpn.md', '# VPN\n\nTheir gateway.\n', 2));
    await button(page, 'Save').click();
    await page.getByText('Version 3 was stored').waitFor();
    await page.getByText('Their gateway.').waitFor();
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), '# VPN\n\nMy gateway.\n');
    await link(page, 'Clients').click();
    await page.getByText('What you have written here is lost.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Text, in Markdown').fill('# VPN\n\nOur gateway.\n');
    await page.keyboard.press('Control+s');
    await page.getByText('vpn.md was saved.').waitFor();
    await page.getByText('Our gateway.').waitFor();
    assert.equal(await textOf('team/vpn.md'), '# VPN\n\nOur gateway.\n');
    await link(page, 'Edit').click();
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), '# VPN\n\nOur gateway.\n');
    assert.equal(refused.splice(0).length, 1, 'the push that was refused');
  });

  it('keeps what was typed when the Team is archived meanwhile', async () => {
    const { company } = await withFiles();
    const { page, refused } = await open(company, '/files?path=team/vpn.md&as=edit');
    await page.getByLabel('Text, in Markdown').fill('The third gateway.');
    await company.api.archiveTeam(company.teamId);
    const reread = page.waitForResponse('**/v1/auth/session');
    await button(page, 'Save').click();
    await page.getByRole('alert').waitFor();
    await reread;
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), 'The third gateway.');
    assert.match(refused.splice(0).join(), /4\d\d/);
  });

  it('shows, compares, downloads and restores versions, deletes a file, and takes each of it back', async () => {
    const { company, textOf } = await withFiles();
    const { page } = await open(company, '/files?path=team/vpn.md');
    await button(page, 'Changes since version 1').click();
    await page.getByRole('deletion').getByText('first').waitFor();
    await page.getByRole('insertion').getByText('second').waitFor();
    await page.getByRole('link', { name: 'Version 1' }).click();
    await page.getByText('The first gateway.').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), act(page, 'More', 'Download')]);
    assert.equal(download.suggestedFilename(), 'vpn (version 1).md');
    assert.match(await readFile(await download.path(), 'utf8'), /first/);
    await button(page, 'Restore version 1').click();
    await page.getByText('Version 1 of vpn.md is current again.').waitFor();
    assert.match(await textOf('team/vpn.md'), /first/);
    await button(page, 'Undo').click();
    await page
      .getByText('Version 2 of vpn.md is current again.')
      .or(page.getByText('The second gateway.'))
      .first()
      .waitFor();
    assert.match(await textOf('team/vpn.md'), /second/);
    await act(page, 'More', 'Delete');
    await page.getByText('vpn.md was deleted.').waitFor();
    await page.getByText(/^Deleted/).waitFor();
    await button(page, 'Undo').last().click();
    await page.getByText(/^Deleted/).waitFor({ state: 'detached' });
    assert.match(await textOf('team/vpn.md'), /second/);
  });

  it('lists all versions of a file, also when they are more than a page of a list', async () => {
    const { company, push } = await withFiles();
    for (let n = 2; n < 55; n += 1) await push(file('team/vpn.md', `Text ${n}.`, n));
    const { page } = await open(company, '/files?path=team/vpn.md&version=2');
    await page.getByText('The second gateway.').waitFor();
    await link(page, 'Version 1').waitFor();
  });

  it('shows markup as text, and offers what is no text as a download', async () => {
    const { company } = await withFiles();
    const { page } = await open(company, '/files?path=team/page.html');
    await page.getByText(SCRIPT, { exact: true }).waitFor();
    await link(page, 'Files').last().click();
    await link(page, 'logo.png').click();
    await page.getByText('This is not a text, or too long').waitFor();
  });

  it('uploads files into a folder, and makes new ones', async () => {
    const { company, client, textOf } = await withFiles();
    const { page } = await open(company, '/files');
    const upload = (name: string, text: string) =>
      page
        .getByLabel('Files to upload')
        .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from(text) }]);
    await link(page, 'vpn.md').waitFor();
    await upload('vpn.md', 'Uploaded.');
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
    await page.getByText('1 file uploaded, as a new version.').waitFor();
    assert.equal(await textOf('team/vpn.md'), 'Uploaded.');
    await upload('new.md', 'New.');
    await page.getByLabel('For', { exact: true }).selectOption({ index: 1 });
    await page.getByLabel('Folder', { exact: true }).fill('a/b');
    await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
    await page.getByText('1 file uploaded.').waitFor();
    assert.equal(await textOf(`clients/${client}/a/b/new.md`), 'New.');
    await act(page, 'Actions for notes', 'New file here');
    await page.getByLabel('Name', { exact: true }).fill('notes/ideas.md');
    await button(page, 'Write it').click();
    await page.getByLabel('Text, in Markdown').fill('An idea.');
    await button(page, 'Save').click();
    await page.getByText('ideas.md was saved.').waitFor();
    assert.equal(await textOf('team/notes/ideas.md'), 'An idea.');
  });

  it('says whose a conflict copy is, and of which file', async () => {
    const { company, push } = await withFiles();
    const copy = conflictPath('team/vpn.md', 'Ben: the second', Date.UTC(2026, 10, 21, 20, 45), () => false);
    await push(file(copy, 'The third gateway.'));
    const { page } = await open(company, '/files');
    await page.getByRole('link', { name: '1 conflict copy' }).click();
    await page.waitForURL(/show=conflicts/);
    await page.getByRole('row').getByRole('link').click();
    await page.getByText(/^Ben the second wrote this copy/).waitFor();
    await link(page, 'vpn.md').click();
    await link(page, 'the copy of Ben the second').waitFor();
  });

  it('shows what others change, and offers a person who can only read no change', async () => {
    const { company, push } = await withFiles();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const { page } = await open({ ...reader, teamId: company.teamId }, '/files?path=team/vpn.md');
    await page.getByText('The second gateway.').waitFor();
    assert.equal(await link(page, 'Edit').count(), 0);
    await page.goto(`${page.url()}&as=edit`);
    await page.waitForURL((url) => !url.searchParams.has('as'));
    await page.getByText('The second gateway.').waitFor();
    await page.clock.install();
    await push(file('team/vpn.md', 'The third gateway.', 2));
    await page.clock.runFor(12_000);
    await page.getByText('The third gateway.').waitFor();
  });
});
