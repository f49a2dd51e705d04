import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { imported, textFile } from '../../support/originals.ts';
import { writePdf } from '../../support/pdf-writer.ts';
import { addClient, addPerson, type Caller } from '../../support/team.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { base, open, skip } = await openPages(service);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const press = (page: Page, name: string) => button(page, name).click();
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const menu = async (page: Page, name: string) => {
  await press(page, 'More actions');
  await page.getByRole('menuitem', { name }).click();
};
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
/** The passage that is marked. */
const marked = (page: Page) => page.locator('ol[aria-label="Text"] > [aria-current="true"]');

/** Waits until a script answers true. The policy of the pages allows no evaluation within them, so it is sent again. */
async function until(page: Page, script: string): Promise<void> {
  for (let n = 0; n < 200 && !(await page.evaluate<boolean>(script)); n += 1) await page.waitForTimeout(50);
  assert.ok(await page.evaluate<boolean>(script), script);
}

/** Stores a text, and returns the id of its source. */
async function ingest(caller: Caller, title: string, given: object = {}): Promise<string> {
  const body = { title, text: `The text of ${title}.`, ...given };
  return (await caller.api.ingestSource(body)).source.id;
}

describe('the list of sources', { skip }, () => {
  test('twenty sources are tagged by three clicks, and one takes it back', async () => {
    const company = await service.company();
    for (let n = 0; n < 22; n += 1) await ingest(company, `Tram ${n}`);
    const tagged = async () => (await company.all.listSources({ tag: 'travel' })).length;
    const { page } = await open(company, '/sources');
    await page.getByLabel('Choose Tram 21').click();
    await page.getByLabel('Choose Tram 2', { exact: true }).click({ modifiers: ['Shift'] });
    await press(page, 'Tag');
    await page.keyboard.type('travel');
    await page.keyboard.press('Enter');
    await page.getByText('20 sources tagged “travel”.').waitFor();
    assert.equal(await tagged(), 20);
    await press(page, 'Undo');
    await page.getByText('20 sources: taken back.').waitFor();
    assert.equal(await tagged(), 0);
  });

  test('a time of nearly an hour ago is an hour ago', async () => {
    const company = await service.company();
    await ingest(company, 'Tram');
    const { page } = await open(company, '/livez');
    await page.clock.setFixedTime(Date.now() + 3_580_000);
    await page.goto(`${base}/sources?team=${company.teamId}`);
    await page.getByRole('row').filter({ hasText: 'Tram' }).getByText('1h ago').first().waitFor();
  });

  test('filters are saved by name in this browser, and all that match are moved at once', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    await Promise.all(
      Array.from({ length: 110 }, (_, n) => ingest(company, `Ferry ${n}`, { tags: ['boats'] })),
    );
    await ingest(company, 'Tram');
    const { page } = await open(company, '/sources?tag=boats');
    await press(page, 'Saved filters');
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.keyboard.type('Boats');
    await page.keyboard.press('Enter');
    await button(page, 'Boats').waitFor();
    await page.getByLabel('Tag', { exact: true }).selectOption('');
    await page.getByText('Tram', { exact: true }).waitFor();
    await page.getByLabel('Title or address').fill('tram');
    await page.waitForURL(/q=tram/);
    await press(page, 'Saved filters');
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    await page.keyboard.type('Boats');
    await page.keyboard.press('Enter');
    await page.getByText('“Boats” has other filters now.').waitFor();
    await press(page, 'Undo');
    await press(page, 'Saved filters');
    await page.getByRole('menuitem', { name: 'Boats' }).click();
    await page.getByText('Tram', { exact: true }).waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('tag'), 'boats');

    await page.getByLabel('Choose all that are loaded').click();
    await press(page, 'Choose all 110');
    await page.getByText('110 sources chosen').waitFor();
    await press(page, 'Move');
    await page.getByLabel('To', { exact: true }).selectOption(clientId);
    await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    await page.getByText('110 sources moved').waitFor();
    assert.equal((await company.all.listSources({ clientId })).length, 110);

    let sent = 0;
    await page.route('**/sources/batch', (route) => ((sent += 1) === 2 ? route.abort() : route.fallback()));
    // All are loaded by now.
    await page.getByLabel('Choose all that are loaded').click();
    await page.getByText('110 sources chosen').waitFor();
    await press(page, 'Tag');
    await page.keyboard.type('travel');
    await page.keyboard.press('Enter');
    await page.getByText('10 sources not changed. The service cannot be reached.').first().waitFor();
    const toast = page.getByRole('dialog').filter({ hasText: '100 sources tagged “travel”.' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('100 sources: taken back.').waitFor();
    assert.equal((await company.all.listSources({ tag: 'travel' })).length, 0);
  });

  test('of chosen sources in both states, also of those that are no longer loaded, each state has its action', async () => {
    const company = await service.company();
    await Promise.all(Array.from({ length: 55 }, (_, n) => ingest(company, `Ferry ${n}`)));
    const active = await ingest(company, 'Airport');
    const archived = await ingest(company, 'Zoo');
    await company.api.archiveSource(archived);
    const stateOf = async (id: string) => (await company.api.getSource(id)).state;
    const { page } = await open(company, '/sources?state=all');
    // So small that only the first rows are loaded.
    await page.setViewportSize({ width: 1280, height: 300 });
    await page.getByLabel('Choose Zoo').check();
    await press(page, 'Title');
    await page.getByLabel('Choose Airport').check();
    await page.getByText('2 sources chosen').waitFor();
    await press(page, 'Archive');
    await page.getByText('Source archived.').waitFor();
    assert.equal(await stateOf(active), 'archived');
    await page.getByRole('row').filter({ hasText: 'Airport' }).getByText('(archived)').waitFor();

    await press(page, 'Updated');
    await page.getByLabel('Choose Zoo').check();
    await press(page, 'Title');
    await page.getByLabel('Choose Ferry 0', { exact: true }).check();
    await press(page, 'Restore');
    await page.getByText('Source restored.').waitFor();
    assert.equal(await stateOf(archived), 'active');
  });
});

describe('notes', { skip }, () => {
  test('a note is written by the keyboard, and what is nearly the same is listed', async () => {
    const company = await service.company();
    const text = 'The ferry to the island leaves the old harbour at noon on every day of the week.';
    await ingest(company, 'Ferry', { text });
    const { page } = await open(company, '/sources');
    await link(page, 'New note').click();
    await page.getByLabel('Title').fill('Ferry at noon');
    await page.keyboard.press('Enter');
    await page.keyboard.type(`# Times\n\n${text} Really.`);
    await page.getByRole('region', { name: 'Preview' }).getByRole('heading', { name: 'Times' }).waitFor();
    await page.keyboard.press('Control+Enter');
    await heading(page, 'Ferry at noon');
    await heading(page, 'Times');
    await heading(page, 'Nearly the same');
    assert.equal((await company.all.listSources({ q: 'Ferry at noon' })).length, 1);
  });

  test('an edit stays beside the newer text that someone stored meanwhile', async () => {
    const company = await service.company();
    const id = await ingest(company, 'Tram', { text: 'The tram leaves at noon.' });
    const { page, refused } = await open(company, `/sources/${id}`);
    await link(page, 'Edit').click();
    const field = page.getByLabel('Text, in Markdown');
    await field.fill('The tram leaves at one.');
    const { updatedAt } = await company.api.getSource(id);
    await company.api.changeSource(id, { text: 'The tram leaves at two.', baseUpdatedAt: updatedAt });
    await press(page, 'Save');
    await page.getByText('Someone stored a newer text').waitFor();
    const newer = page.getByRole('region', { name: 'What the newer text changed' });
    await newer.getByRole('insertion').getByText('two').waitFor();
    assert.equal(await field.inputValue(), 'The tram leaves at one.');
    assert.match(refused.splice(0).join(), /409/);
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    await page.getByText('The tram leaves at one.').waitFor();

    await link(page, 'Versions').click();
    await page.getByRole('link', { name: /^Version 2/ }).click();
    await page.getByRole('deletion').getByText('two').waitFor();
    const text = page.getByRole('list', { name: 'Text' });
    await press(page, 'Restore version 2');
    await text.getByText('The tram leaves at two.').waitFor();
    await press(page, 'Undo');
    await text.getByText('The tram leaves at one.').waitFor();
  });

  test('a text that another source has is refused with a link to it, and stays in the field', async () => {
    const company = await service.company();
    const text = 'The ferry leaves at noon.';
    const same = await ingest(company, 'Ferry', { text });
    const id = await ingest(company, 'Tram');
    const { page, refused } = await open(company, `/sources/${id}?edit=1`);
    await page.getByLabel('Text, in Markdown').fill(text);
    await press(page, 'Save');
    const address = await link(page, 'Show that source').getAttribute('href');
    assert.ok(address?.includes(same));
    assert.equal(await page.getByRole('alert').getByText(same).count(), 0);
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), text);
    assert.match(refused.splice(0).join(), /409/);
  });

  test('what was typed is not lost without a question', async () => {
    const company = await service.company();
    const { page } = await open(company, '/sources?new=1');
    await page.getByLabel('Title').waitFor();
    await page.keyboard.type('A title');
    await page.keyboard.press('Control+s');
    await page.getByText('Write a text first.').waitFor();
    await page.getByLabel('Text, in Markdown').fill('A thought');
    for (const way of [link(page, 'Home'), button(page, 'Cancel')]) {
      await way.click();
      await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
      await page.keyboard.press('Escape');
    }
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), 'A thought');
    await press(page, 'Cancel');
    await press(page, 'Leave');
    await link(page, 'New note').waitFor();
    await page.goBack();
    assert.equal(page.url().includes('new='), false, 'Back does not lead to the editor again');
  });

  test('what was typed stays when the source is archived by someone else meanwhile', async () => {
    const company = await service.company();
    const id = await ingest(company, 'Tram');
    const { page, refused } = await open(company, `/sources/${id}?edit=1`);
    await page.getByLabel('Text, in Markdown').fill('The tram leaves at one.');
    await company.api.archiveSource(id);
    await press(page, 'Save');
    await page.getByRole('alert').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), 'The tram leaves at one.');
    assert.match(refused.splice(0).join(), /4\d\d/);
  });

  test('what was typed for a new note stays when the Team is archived meanwhile', async () => {
    const company = await service.company();
    const { page, refused } = await open(company, '/sources?new=1');
    await page.getByLabel('Text, in Markdown').fill('A thought');
    await company.api.archiveTeam(company.teamId);
    const reread = page.waitForResponse('**/v1/auth/session');
    await press(page, 'Save');
    await page.getByRole('alert').waitFor();
    await reread;
    assert.equal(await page.getByLabel('Text, in Markdown').inputValue(), 'A thought');
    assert.match(refused.splice(0).join(), /4\d\d/);
  });

  test('an editor that an address asks for and that cannot open does not open later', async () => {
    const company = await service.company();
    const id = await ingest(company, 'Tram');
    await company.api.archiveSource(id);
    const { page } = await open(company, `/sources/${id}?edit=1`);
    await press(page, 'Restore');
    await page.getByText('The text of Tram.').waitFor();
    assert.equal(new URL(page.url()).searchParams.has('edit'), false);
    await page.reload();
    await page.getByText('The text of Tram.').waitFor();

    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const other = await open({ ...reader, teamId: company.teamId }, '/sources?new=1');
    await other.page.waitForURL((url) => !url.searchParams.has('new'));
  });
});

describe('the page of a source', { skip }, () => {
  test('the cited page of a PDF is beside its text, with the passage marked', async () => {
    const company = await service.company();
    const line = (bytes: string) => ({ x: 60, y: 700, size: 14, bytes });
    // A black square in the middle, encoded as a fax: its decoder is a file of its own.
    const scan =
      'q 200 0 0 200 206 296 cm BI /W 8 /H 8 /BPC 1 /CS /G /F /CCF /DP << /K -1 /Columns 8 /Rows 8 >> /D [1 0] ID \xff\x00\x10\x01 EI Q';
    const pages = [[line('The crane lifts the mast.')], [line('The walrus sleeps at the pier.'), scan]];
    const file = { filename: 'Plan.pdf', mediaType: 'application/pdf', content: writePdf({ pages }) };
    const id = await imported(service, company, file);
    const { chunks } = await company.api.getSource(id);
    const passage = chunks.find(({ location }) => location.page === 2)!;
    const { page } = await open(company, `/sources/${id}?chunk=${passage.chunk_id}`);
    await page.getByText('Page 2 of 2').waitFor();
    const shown = page.getByRole('img', { name: 'Page 2' });
    await shown.locator('xpath=following-sibling::div').first().waitFor();
    await until(
      page,
      `(() => {
      const canvas = document.querySelector('canvas');
      return canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data.join() === '0,0,0,255';
    })()`,
    );
    await press(page, 'Page before');
    await page.getByText('Page 1 of 2').waitFor();
  });

  test('an address opens a source of 2,000 passages at a passage, and the document stays small', async () => {
    const company = await service.company();
    const chunks = Array.from({ length: 2000 }, (_, n) => ({ text: `Sentence number ${n + 1} of many.` }));
    const id = await ingest(company, 'Long', { text: undefined, chunks });
    const { chunks: stored } = await company.api.getSource(id);
    const { page } = await open(company, `/sources/${id}?chunk=${stored[1499]!.chunk_id}`);
    await marked(page).getByText('Sentence number 1500 of many.').waitFor();
    await until(page, 'document.activeElement.ariaCurrent === "true"');
    assert.ok((await page.locator('ol[aria-label="Text"] > li').count()) < 100);
    await page.goto(page.url().replace(stored[1499]!.chunk_id, crypto.randomUUID()));
    await page.getByText('no longer in the source').waitFor();
  });

  test('a source is tagged, moved, archived, restored and deleted for good', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const id = await ingest(company, 'Tram', { tags: ['old'] });
    const same = await ingest(company, 'Tram', { scope: { clientId } });
    const { page } = await open(company, `/sources/${id}`);
    await page.getByLabel('Add a tag').fill('with, a comma');
    await page.keyboard.press('Enter');
    await press(page, 'Remove the tag with, a comma');
    await press(page, 'Remove the tag old');
    // Two requests, which can end in any order.
    for (const tag of ['with, a comma', 'old']) await page.getByText(`no longer tagged “${tag}”`).waitFor();
    assert.deepEqual((await company.api.getSource(id)).tags, []);
    const move = async () => {
      await menu(page, 'Move');
      await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    };
    await move();
    await page.getByText('Source not changed. Another source there has the same text').first().waitFor();
    await company.api.archiveSource(same);
    await move();
    await page.getByText('Source moved').waitFor();
    assert.equal((await company.api.getSource(id)).clientId, clientId);
    await menu(page, 'Archive');
    await page.getByText('nobody can read its text').waitFor();
    await press(page, 'Restore');
    await page.getByText('The text of Tram.').waitFor();
    await menu(page, 'Delete for good');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click();
    await page.getByText('The source is deleted for good.').waitFor();
    await page.goBack();
    assert.equal(page.url().includes(id), false, 'Back does not lead to what is gone');
    assert.equal((await company.ask.getSource(id)).statusCode, 404);
  });

  test('a member reads what others stored, and is offered nothing that would be refused', async () => {
    const company = await service.company();
    const id = await ingest(company, 'Tram', { tags: ['old'] });
    const { token } = await addPerson(service, company, { teamRole: 'member' });
    const { page } = await open({ token, teamId: company.teamId }, `/sources/${id}?edit=1`);
    await page.getByText('The text of Tram.').waitFor();
    await link(page, 'old').waitFor();
    for (const name of ['Edit', 'More actions', 'Save', 'Remove the tag old'])
      assert.equal(
        await page
          .getByLabel(name)
          .or(page.getByText(name, { exact: true }))
          .count(),
        0,
        name,
      );
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
});
