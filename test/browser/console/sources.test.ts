import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { imported, textFile } from '../../support/originals.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, type Caller } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;

interface Given {
  title: string;
  text?: string;
  chunks?: { text: string }[];
  tags?: string[];
  uri?: string;
  externalId?: string;
  metadata?: Record<string, unknown>;
  expiresAt?: string;
  clientId?: string;
}

/** Stores a text, and returns the id of its source. */
async function ingest(caller: Caller, { title, clientId, text, chunks, ...given }: Given): Promise<string> {
  const scope = clientId === undefined ? {} : { clientId };
  const content = chunks === undefined ? { text: text ?? `The text of ${title}.` } : { chunks };
  return (await caller.api.ingestSource({ title, scope, ...content, ...given })).source.id;
}

async function read(caller: Caller, id: string) {
  return await caller.api.getSource(id);
}

function remove(caller: Caller, id: string) {
  return service.app.inject({ method: 'DELETE', url: `/v1/memory/sources/${id}`, headers: caller.headers });
}

const titles = (page: Page) => page.locator('.records h2').allInnerTexts();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const said = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
const alarmed = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor();

describe('the pages of sources', { skip }, () => {
  const at = (company: SignedIn, path: string) =>
    `${base}${path}${path.includes('?') ? '&' : '?'}team=${company.teamId}`;
  const open = (company: SignedIn, path: string, token = company.token) =>
    openConsole(browser, at(company, path), token);
  const openSource = async (company: SignedIn, id: string, token = company.token) => {
    const opened = await open(company, `/sources/${id}`, token);
    await opened.page.getByRole('heading', { level: 2, name: 'Details' }).waitFor();
    return opened;
  };

  test('the filters of the list are in the address, and going back undoes them', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await ingest(company, { title: 'Tram times', tags: ['travel'], uri: 'https://wiki.example/tram' });
    await ingest(company, { title: 'Ferry times', tags: ['travel', 'boats'] });
    await ingest(company, { title: 'Contract', clientId });
    await imported(service, company, textFile('harbour.txt', 'walrus'));
    const { page, faults, refused } = await open(company, '/sources');
    await said(page, '4 sources');
    assert.deepEqual(await titles(page), ['harbour.txt', 'Contract', 'Ferry times', 'Tram times']);

    await page.getByLabel('Title or address contains').fill('wiki.example');
    await button(page, 'Show').click();
    await said(page, '1 source');
    assert.equal(new URL(page.url()).searchParams.get('q'), 'wiki.example');
    await page.goBack();
    await said(page, '4 sources');
    assert.equal(await page.getByLabel('Title or address contains').inputValue(), '');
    await page.getByLabel('Kind').selectOption('Imported file');
    await button(page, 'Show').click();
    await page.getByRole('link', { name: 'Tram times' }).waitFor({ state: 'detached' });
    await said(page, '1 source');
    assert.deepEqual(await titles(page), ['harbour.txt']);

    await page.goto(at(company, `/sources?client=${clientId}`));
    await said(page, '1 source');
    assert.deepEqual(await titles(page), ['Contract']);
    assert.equal(await page.getByLabel('Layer').inputValue(), clientId);
    await page.getByRole('link', { name: 'Show all' }).click();
    await said(page, '4 sources');
    assert.equal(await focused(page), 'page-heading', 'the link is gone');
    await page.getByRole('link', { name: 'boats' }).click();
    await said(page, '1 source');
    assert.equal(await focused(page), 'page-heading', 'the row was read again');
    assert.equal(await page.getByRole('combobox', { name: 'Tag' }).inputValue(), 'boats');
    await page.getByRole('link', { name: 'Ferry times' }).click();
    await title(page, 'Ferry times · Sources · Test Team');
    await page.getByText('The text of Ferry times.').waitFor();
    await page.goto(at(company, '/sources?client=x'));
    await page.getByText('There is no such client').waitFor();

    const clients = Promise.withResolvers<void>();
    await page.route('**/v1/team/clients*', async (route) => {
      await clients.promise;
      await route.continue();
    });
    await page.goto(at(company, '/sources?kind=unknown'));
    await page.getByLabel('Title or address contains').fill('typed early');
    clients.resolve();
    await page.getByLabel('Layer').waitFor();
    assert.equal(await page.getByLabel('Title or address contains').inputValue(), 'typed early');
    assert.equal(await page.getByLabel('Kind').inputValue(), '', 'all kinds, and not nothing');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('several sources are archived at once, the archiving is undone, and archived ones are restored', async () => {
    const company = await service.company();
    const ids = [];
    for (const name of ['One', 'Two', 'Three']) ids.push(await ingest(company, { title: name }));
    const { page, faults, refused } = await open(company, '/sources');
    await said(page, '3 sources');
    await page.getByLabel('Select One').check();
    await page.getByLabel('Select Three').check();
    await said(page, '2 selected');
    await button(page, 'Archive selected').click();
    const dialog = page.getByRole('dialog', { name: 'Archive 2 sources?' });
    await dialog.getByText('For 30 days').waitFor();
    await dialog.getByRole('button', { name: 'Archive' }).click();
    await said(page, '2 sources archived.');
    assert.deepEqual(await titles(page), ['Two']);
    await page.locator('.source-outcome:focus').waitFor();
    assert.equal((await read(company, ids[0]!)).state, 'archived');
    await button(page, 'Undo').click();
    await said(page, '2 sources restored.');
    await said(page, '3 sources');
    assert.deepEqual(await titles(page), ['Three', 'Two', 'One']);

    await remove(company, ids[1]!);
    await page.getByLabel('State').selectOption('Archived');
    await button(page, 'Show').click();
    await title(page, 'Archived · Sources');
    await page.getByLabel('Select all shown').check();
    await button(page, 'Restore selected').click();
    await said(page, '1 source restored.');
    assert.deepEqual(await titles(page), []);
    assert.equal((await read(company, ids[1]!)).state, 'active');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('all sources that match a filter are archived after a count, and that is undone', async () => {
    const company = await service.company();
    const ids = [];
    for (const name of ['Draft 1', 'Draft 2', 'Final'])
      ids.push(await ingest(company, { title: name, tags: name === 'Final' ? [] : ['draft'] }));
    const { page, faults, refused } = await open(company, '/sources');
    await said(page, '3 sources');
    await button(page, 'Archive all that match …').click();
    await page.getByRole('dialog').getByText('Choose a day').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Archive \d/ }).count(), 0);
    await page.getByLabel('Stored before').fill('2020-01-01');
    await page.getByText('0 sources match.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'draft', exact: true }).first().click();
    await said(page, '2 sources');
    await button(page, 'Archive all that match …').click();
    await page.getByText('2 sources match.').waitFor();
    // What comes after the count stays.
    await database.query(`update memory.source set created_at = now() + interval '1 hour' where id = $1`, [
      ids[1],
    ]);
    await button(page, 'Archive 2 sources').click();
    await said(page, '1 source archived.');
    await page.getByRole('link', { name: 'Draft 1' }).waitFor({ state: 'detached' });
    assert.deepEqual(await titles(page), ['Draft 2']);
    await button(page, 'Undo').click();
    await said(page, '1 source restored.');
    await page.getByRole('link', { name: 'Draft 1' }).waitFor();
    assert.equal((await read(company, ids[0]!)).state, 'active');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a source is edited, moved, archived, restored and deleted for good', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const id = await ingest(company, {
      title: 'Tram',
      tags: ['travel', 'old'],
      uri: 'https://wiki.example/tram',
      metadata: { author: 'Ann' },
    });
    const { page, faults, refused } = await openSource(company, id);
    await page.getByRole('link', { name: 'https://wiki.example/tram' }).waitFor();
    await page.getByText('Ann', { exact: true }).waitFor();

    await button(page, 'Edit').click();
    await page.getByLabel('Title').fill('Tram to the airport');
    await button(page, 'Remove the tag old').click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('Airport ');
    await page.getByRole('combobox', { name: 'Tags' }).press('Enter');
    await page.getByRole('combobox', { name: 'Tags' }).fill('typed only, with a comma');
    await page.getByLabel('Expires').fill('2020-01-01T10:00');
    await button(page, 'Save').click();
    await alarmed(page, 'Choose a time in the future');
    assert.equal(await focused(page), 'edit-expires');
    assert.equal(await page.getByLabel('Title').inputValue(), 'Tram to the airport');
    await page.getByLabel('Expires').fill('2098-07-01T10:00');
    await button(page, 'Save').click();
    await said(page, 'Saved.');
    await title(page, 'Tram to the airport · Sources');
    const edited = await read(company, id);
    assert.deepEqual(edited.tags, ['travel', 'airport', 'typed only, with a comma']);
    assert.equal(new Date(edited.expiresAt ?? '').getTime(), new Date(2098, 6, 1, 10).getTime());
    await button(page, 'Edit').click();
    await button(page, 'Never').click();
    await button(page, 'Save').click();
    await page.locator('dt:has-text("Expires") + dd:has-text("never")').waitFor();
    assert.equal((await read(company, id)).expiresAt, null);

    await button(page, 'Move').click();
    await page.getByText('Then only those with access to').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await said(page, 'Moved.');
    await page.locator('dd:has-text("Client A client")').waitFor();
    assert.equal((await read(company, id)).clientId, clientId);

    await button(page, 'Archive').click();
    await page.getByRole('dialog', { name: 'Archive this source?' }).getByText('nobody can read').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await said(page, 'Archived.');
    await page.locator('.source-said:focus').waitFor();
    assert.equal(await page.getByText('The text of Tram.').count(), 0);
    await page.getByText('You can restore it until').waitFor();
    assert.deepEqual(await page.getByRole('main').getByRole('button').allInnerTexts(), [
      'Restore',
      'Delete for good',
    ]);
    await button(page, 'Restore').click();
    await said(page, 'Restored.');
    await page.getByText('The text of Tram.').waitFor();

    await button(page, 'Delete for good').click();
    const question = page.getByRole('dialog', { name: 'Delete this source for good?' });
    await question.getByText('cannot be brought back').waitFor();
    await question.getByRole('button', { name: 'Delete for good' }).click();
    await said(page, 'The source is deleted for good.');
    assert.equal((await company.ask.getSource(id)).statusCode, 404);
    await page.getByRole('link', { name: 'All sources' }).click();
    await page.getByText('No sources yet').waitFor();
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('the original of a source is saved under its name', async () => {
    const company = await service.company();
    const name = 'Fahrplan „Straße“ 2026.txt';
    const id = await imported(service, company, textFile(name, 'walrus'));
    const { page, faults } = await openSource(company, id);
    const saving = page.waitForEvent('download');
    await button(page, 'Download').click();
    const download = await saving;
    assert.equal(download.suggestedFilename(), name);
    assert.equal(await readFile(await download.path(), 'utf8'), 'walrus was seen near the harbour.\n');
    await said(page, 'Saved.');
    await page.route('**/original', (route) => route.abort());
    await button(page, 'Download').click();
    await alarmed(page, 'The service did not answer.');
    assert.deepEqual(faults, []);
  });

  test('an address opens a long source at a passage, and the passages around it are read from there', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 80 }, (_, n) => ({ text: `Sentence number ${n + 1} of many.` }));
    const id = await ingest(company, { title: 'Long', chunks });
    const { chunks: stored } = await read(company, id);
    const { page, faults, refused } = await open(company, `/sources/${id}?chunk=${stored[59]!.chunk_id}`);
    const current = page.locator('.source-passages [aria-current]');
    await current.filter({ hasText: 'Sentence number 60 of many.' }).waitFor();
    assert.match(await focused(page), /Sentence number 60 of many/);
    assert.equal(await page.locator('.source-passages [aria-current]:focus').count(), 1);
    await said(page, 'Passages 50 to 70');
    await button(page, 'Show earlier passages').click();
    await said(page, 'Passages 40 to 70');
    await button(page, 'Show more').click();
    await said(page, 'Passages 40 to 80');
    assert.match(await focused(page), /Sentence number 71 of many/);
    await page.getByRole('link', { name: 'Passage 41' }).click();
    await current.filter({ hasText: 'Sentence number 41 of many.' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('chunk'), stored[40]!.chunk_id);
    await page.goBack();
    await current.filter({ hasText: 'Sentence number 60 of many.' }).waitFor();
    await page.getByRole('link', { name: 'From the start' }).click();
    await said(page, 'Passages 1 to 25');
    await button(page, 'Show more').click();
    await said(page, 'Passages 1 to 50');
    await page.goto(at(company, `/sources/${id}?chunk=${id}`));
    await said(page, 'This passage is no longer in the source');
    await said(page, 'Passages 1 to 25');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a change that the state of the source forbids says why, and the page shows what is stored now', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const text = 'The ferry leaves at noon.';
    const id = await ingest(company, { title: 'Ferry', text });
    const same = await ingest(company, { title: 'The same ferry', text, clientId });
    const { page, faults } = await openSource(company, id);
    await button(page, 'Move').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await alarmed(page, 'has the same text; archive it first, or use it instead');
    const href = await page
      .getByRole('dialog')
      .getByRole('link', { name: 'Show that source' })
      .getAttribute('href');
    assert.equal(href, at(company, `/sources/${same}`).slice(base.length));
    await page.keyboard.press('Escape');
    assert.equal(await focused(page), 'Move');

    await button(page, 'Edit').click();
    await remove(company, id);
    await page.getByLabel('Title').fill('Ferry at noon');
    await button(page, 'Save').click();
    await alarmed(page, 'An archived source cannot be changed');
    assert.equal(await page.getByLabel('Title').inputValue(), 'Ferry at noon');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('It was archived on').waitFor();
    await ingest(company, { title: 'Ferry again', text });
    await button(page, 'Restore').click();
    await alarmed(page, 'has the same text; archive it first, or use it instead');
    await page.route('**/restore', (route) => route.abort());
    await button(page, 'Restore').click();
    await alarmed(page, 'The service did not answer.');
    assert.deepEqual(faults, []);
  });
});
