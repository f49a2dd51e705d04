import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { imported, textFile } from '../../support/originals.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, type Caller } from '../../support/team.ts';
import { alarmed, button, confirm, dialog, follow, press, said, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

/** Stores a text, and returns the id of its source. */
async function ingest(caller: Caller, name: string, given: object = {}): Promise<string> {
  const body = { title: name, text: `The text of ${name}.`, scope: {}, ...given };
  return (await caller.api.ingestSource(body)).source.id;
}

const titles = (page: Page) => page.locator('.records h2').allInnerTexts();

describe('the pages of sources', { skip }, () => {
  test('the filters of the list are in the address, and going back undoes them', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await ingest(company, 'Tram times', { uri: 'https://wiki.example/tram' });
    await ingest(company, 'Ferry times', { tags: ['boats'] });
    await ingest(company, 'Contract', { scope: { clientId } });
    const { page, refused } = await open(company, '/sources');
    await said(page, '3 sources');
    await page.getByLabel('Title or address contains').fill('wiki.example');
    await press(page, 'Show');
    await said(page, '1 source');
    assert.deepEqual(await titles(page), ['Tram times']);
    assert.equal(new URL(page.url()).searchParams.get('q'), 'wiki.example');
    await page.goBack();
    await said(page, '3 sources');
    assert.equal(await page.getByLabel('Title or address contains').inputValue(), '');
    await page.getByLabel('Layer').selectOption(clientId);
    await press(page, 'Show');
    await said(page, '1 source');
    await page.reload();
    await said(page, '1 source');
    assert.deepEqual(await titles(page), ['Contract']);
    await follow(page, 'Show all');
    await said(page, '3 sources');
    assert.equal(await focused(page), 'page-heading', 'the link is gone');
    await follow(page, 'boats');
    await said(page, '1 source');
    await follow(page, 'Ferry times');
    await title(page, 'Ferry times · Sources · Test Team');
    await page.getByText('The text of Ferry times.').waitFor();
    assert.deepEqual(refused, []);
  });

  test('several sources are archived at once, by choice or by a filter, and that is undone', async () => {
    const company = await service.company();
    for (const name of ['One', 'Two', 'Three'])
      await ingest(company, name, { tags: name === 'Two' ? [] : ['draft'] });
    const { page, refused } = await open(company, '/sources');
    await page.getByLabel('Select One').check();
    await page.getByLabel('Select Three').check();
    await press(page, 'Archive selected');
    await page.getByRole('dialog', { name: 'Archive 2 sources?' }).getByText('For 30 days').waitFor();
    await confirm(page, 'Archive');
    await said(page, '2 sources archived.');
    assert.deepEqual(await titles(page), ['Two']);
    await press(page, 'Undo');
    await said(page, '2 sources restored.');
    await said(page, '3 sources');

    await press(page, 'Archive all that match …');
    await dialog(page).getByText('Choose a day').waitFor();
    assert.equal(await button(page, /^Archive \d/).count(), 0, 'never all at once');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'draft', exact: true }).first().click();
    await said(page, '2 sources');
    await press(page, 'Archive all that match …');
    await press(page, 'Archive 2 sources');
    await said(page, '2 sources archived.');
    assert.deepEqual(
      (await company.all.listSources({ state: 'active' })).map((source) => source.title),
      ['Two'],
    );
    await press(page, 'Undo');
    await said(page, '2 sources restored.');
    assert.equal((await company.all.listSources({ state: 'active' })).length, 3);
    assert.deepEqual(refused, []);
  });

  test('a source is edited, moved, archived, restored and deleted for good', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const id = await ingest(company, 'Tram', { tags: ['travel', 'old'] });
    const { page, refused } = await open(company, `/sources/${id}`);
    const read = () => company.api.getSource(id);
    await press(page, 'Edit');
    await page.getByLabel('Title').fill('Tram to the airport');
    await press(page, 'Remove the tag old');
    await page.getByRole('combobox', { name: 'Tags' }).fill('typed only, with a comma');
    await page.getByLabel('Expires').fill('2020-01-01T10:00');
    await press(page, 'Save');
    await alarmed(page, 'Choose a time in the future');
    await page.getByLabel('Expires').fill('2098-07-01T10:00');
    await press(page, 'Save');
    await title(page, 'Tram to the airport · Sources');
    const { tags, expiresAt } = await read();
    assert.deepEqual(tags, ['travel', 'typed only, with a comma']);
    assert.equal(Date.parse(expiresAt ?? ''), new Date(2098, 6, 1, 10).getTime());

    await press(page, 'Move');
    await page.getByText('Then only those with access to').waitFor();
    await confirm(page, 'Move');
    await said(page, 'Moved.');
    assert.equal((await read()).clientId, clientId);
    await press(page, 'Archive');
    await confirm(page, 'Archive');
    await said(page, 'Archived.');
    assert.equal(await page.getByText('The text of Tram.').count(), 0);
    await press(page, 'Restore');
    await said(page, 'Restored.');
    await page.getByText('The text of Tram.').waitFor();
    await press(page, 'Delete for good');
    await dialog(page).getByText('cannot be brought back').waitFor();
    await confirm(page, 'Delete for good');
    await said(page, 'The source is deleted for good.');
    assert.equal((await company.ask.getSource(id)).statusCode, 404);
    assert.deepEqual(refused, []);
  });

  test('the original of a source is saved under its name', async () => {
    const company = await service.company();
    const name = 'Fahrplan „Straße“ 2026.txt';
    const id = await imported(service, company, textFile(name, 'walrus'));
    const { page } = await open(company, `/sources/${id}`);
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Download')]);
    assert.equal(download.suggestedFilename(), name);
    assert.equal(await readFile(await download.path(), 'utf8'), 'walrus was seen near the harbour.\n');
  });

  test('an address opens a long source at a passage, and the passages around it are read from there', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 80 }, (_, n) => ({ text: `Sentence number ${n + 1} of many.` }));
    const id = await ingest(company, 'Long', { text: undefined, chunks });
    const { chunks: stored } = await company.api.getSource(id);
    const { page, refused } = await open(company, `/sources/${id}?chunk=${stored[59]!.chunk_id}`);
    await page.locator('.source-passages [aria-current]', { hasText: 'Sentence number 60 of' }).waitFor();
    assert.match(await focused(page), /Sentence number 60 of many/);
    await said(page, 'Passages 50 to 70');
    await press(page, 'Show earlier passages');
    await said(page, 'Passages 40 to 70');
    await press(page, 'Show more');
    await said(page, 'Passages 40 to 80');
    await follow(page, 'From the start');
    await said(page, 'Passages 1 to 25');
    assert.deepEqual(refused, []);
  });

  test('a change that the state of the source forbids says why, and the page shows what is stored now', async () => {
    const company = await service.company();
    const scope = { clientId: await addClient(service, company) };
    const text = 'The ferry leaves at noon.';
    const id = await ingest(company, 'Ferry', { text });
    const same = await ingest(company, 'The same ferry', { text, scope });
    const { page } = await open(company, `/sources/${id}`);
    await press(page, 'Move');
    await confirm(page, 'Move');
    await alarmed(page, 'has the same text; archive it first, or use it instead');
    const href = await page.getByRole('link', { name: 'Show that source' }).getAttribute('href');
    assert.equal(href, `/sources/${same}?team=${company.teamId}`);
    await page.keyboard.press('Escape');
    await press(page, 'Edit');
    await company.api.archiveSource(id);
    await page.getByLabel('Title').fill('Ferry at noon');
    await press(page, 'Save');
    await alarmed(page, 'An archived source cannot be changed');
    assert.equal(await page.getByLabel('Title').inputValue(), 'Ferry at noon');
    await confirm(page, 'Cancel');
    await page.getByText('It was archived on').waitFor();
  });
});
