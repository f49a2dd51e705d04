import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createLogger } from '../../../shared/logger.ts';
import { FAULT } from '../../support/import-records.ts';
import { givePassword, PASSWORD } from '../../support/invites.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { beginRun, failRun, importFiles, startOwnWorker } from '../../support/own-worker.ts';
import { title } from '../../support/pages.ts';
import { PARTLY, unreadFile } from '../../support/partly-reading-extractors.ts';
import { addPerson } from '../../support/team.ts';
import { openPages } from './support.ts';

const HOSTILE = '<img src=x onerror=alert(1)>.txt';
const PATH = '**/v1/memory/imports';
// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { open, skip } = await openPages(service);

/** Each file is read by a process of its own, which takes seconds on a busy machine. */
const UNTIL_READ = { timeout: 60_000 };

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const progress = (page: Page) => page.getByRole('region', { name: 'Progress' });

/** Drops files somewhere on the page, as from a folder of the desktop. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(Object.entries(files))}) transfer.items.add(new File([text], name));
    return transfer;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop'])
    await page.getByRole('main').dispatchEvent(event, { dataTransfer });
}

const choose = (page: Page, name: string) =>
  page
    .getByLabel('Files to import')
    .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('The café opens at nine.') }]);

/** Chooses an action of a row. */
async function act(page: Page, name: string, action: string): Promise<void> {
  await button(page, `Actions for ${name}`).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describe('the page of imports', { skip }, () => {
  it('imports what is dropped on any page, with one bar to the end, and says why some files were not imported', async (t) => {
    await startOwnWorker(t, service, {}, { reading: PARTLY });
    const company = await service.company();
    const { page } = await open(company, '/imports');
    await button(page, 'Options').click();
    await page.getByLabel('Tags').fill('on call, night');
    await button(page, 'Apply').click();
    await page.getByText('tagged on call, night').waitFor();
    await page.getByRole('link', { name: 'Tokens' }).click();
    await page.getByRole('heading', { name: 'Tokens' }).waitFor();
    const scan = unreadFile([{ kind: 'page', names: [2, 5, 6], reason: 'no_text' }], 'The heron nests.');
    await drop(page, {
      'runbook.txt': 'It runs at two.',
      'scan.txt': scan,
      [HOSTILE]: 'The tapir swims.',
      'photo.gif': 'GIF89a',
      'broken.docx': 'no document',
      'empty.txt': '',
    });
    await progress(page).getByText('6 files done', { exact: true }).waitFor(UNTIL_READ);
    await progress(page).getByText('3 imported').waitFor();
    await row(page, 'photo.gif').getByText('Files of type .gif cannot be read.').waitFor();
    await row(page, 'empty.txt').getByText('The file is empty.').waitFor();
    await row(page, 'broken.docx').getByText('Failed').waitFor();
    await row(page, 'scan.txt').getByText('Not read: pages 2, 5-6').waitFor();
    assert.equal(await page.getByRole('main').locator('img').count(), 0, 'a name is no markup');
    await choose(page, 'empty.txt');
    await progress(page)
      .getByText(/1 imported/)
      .waitFor(UNTIL_READ);
    const link = row(page, 'runbook.txt').getByRole('link', { name: 'runbook.txt' });
    const id = /sources\/([^?]+)/.exec((await link.getAttribute('href')) ?? '')?.[1] ?? '';
    assert.deepEqual((await company.api.getSource(id)).tags, ['on call', 'night']);
    await choose(page, 'empty.txt');
    await row(page, 'empty.txt').getByText('Already here').waitFor();
  });

  it('waits for a busy service and repeats a lost request, and imports no file twice', async () => {
    const company = await service.company();
    const { page } = await open(company, '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    await page.clock.install();
    const keys: (string | undefined)[] = [];
    await page.route(PATH, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const tries = keys.push(route.request().headers()['idempotency-key']);
      if (tries === 1) return route.fulfill({ status: 503, headers: { 'retry-after': '7' }, body: '{}' });
      if (tries > 2) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await choose(page, 'a.txt');
    await page.getByText('The service is busy.').waitFor();
    await page.clock.runFor(6000);
    assert.equal(keys.length, 1);
    await page.clock.runFor(1000);
    await page.getByText('The service cannot be reached.').waitFor();
    await page.clock.runFor(2000);
    await row(page, 'a.txt').getByText('Waiting').waitFor();
    assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
    assert.equal((await company.all.listImports()).length, 1);
  });

  it('asks before the person leaves or signs out while files are sent; another page of the console stops nothing', async () => {
    const { page } = await open(await service.company(), '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(PATH, async (route) => {
      if (route.request().method() === 'POST') await held.promise;
      await route.continue();
    });
    await choose(page, 'a.txt');
    await row(page, 'a.txt').getByText('Sending').waitFor();
    await page.getByRole('link', { name: 'Clients' }).click();
    await page.getByRole('heading', { name: 'Clients' }).waitFor();
    const isAsked = () =>
      page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    assert.equal(await isAsked(), true);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('Files are still being sent').waitFor();
    await button(page, 'Cancel').click();
    held.resolve();
    await page.goBack();
    await row(page, 'a.txt').getByText('Waiting').waitFor();
    assert.equal(await isAsked(), false);
  });

  it('sends what is added after a stop that came too late to keep a file back', async () => {
    const company = await service.company();
    const { page } = await open(company, '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route(PATH, async (route) => {
      if (route.request().method() === 'POST') {
        asked.resolve();
        await held.promise;
      }
      await route.continue();
    });
    await choose(page, 'a.txt');
    await asked.promise;
    await button(page, 'Stop').click();
    held.resolve();
    await row(page, 'a.txt').getByText('Waiting').waitFor();
    await page.getByText('You stopped.').waitFor({ state: 'detached' });
    await choose(page, 'b.txt');
    await row(page, 'b.txt').getByText('Waiting').waitFor();
    await button(page, 'Send the rest').waitFor({ state: 'detached' });
    await progress(page).getByText('2 waiting').waitFor();
    assert.equal((await company.all.listImports()).length, 2);
  });

  it('sends nothing after the person has signed out, even if the session could not be ended', async () => {
    const { page } = await open(await service.company(), '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    await page.clock.install();
    let tries = 0;
    await page.route(PATH, (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      tries += 1;
      return route.abort();
    });
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await choose(page, 'a.txt');
    await progress(page).getByText('The service cannot be reached.').waitFor();
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('your session is not ended yet').waitFor();
    const before = tries;
    await page.clock.runFor(60_000);
    assert.equal(tries, before);
  });

  it('sends what waits when the person has signed in again', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const { page } = await open(company, '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    await page.context().clearCookies();
    await choose(page, 'a.txt');
    await page.getByRole('dialog', { name: 'Sign in again' }).waitFor();
    await page.getByLabel('Email').fill(company.ownerEmail);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    const sent = page.waitForResponse(
      (answer) => answer.request().method() === 'POST' && answer.status() === 202,
    );
    await button(page, 'Sign in').click();
    await sent;
    await progress(page).getByText('1 waiting').waitFor();
    assert.equal(await page.getByText('Your session has ended.').count(), 0);
  });

  it('no longer lists an own import that was deleted elsewhere', async () => {
    const company = await service.company();
    const { page } = await open(company, '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    await choose(page, 'a.txt');
    await progress(page).getByText('1 waiting').waitFor();
    let made = await company.all.listImports();
    for (; made.length === 0; made = await company.all.listImports()) await page.waitForTimeout(50);
    await failRun(service, company, made[0]!.id, FAULT);
    await row(page, 'a.txt').getByText(FAULT.message).waitFor();
    await page.waitForLoadState('networkidle');
    await company.api.removeImport(made[0]!.id);
    await page.clock.setFixedTime(Date.now() + 20_000);
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
    await row(page, 'a.txt').waitFor({ state: 'detached' });
  });

  it('retries all failed imports in one click, and asks before it cancels or deletes one', async () => {
    const company = await service.company();
    const files = ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((filename) => ({ filename, text: '' }));
    for (const { id } of await importFiles(company, files)) await failRun(service, company, id, FAULT);
    const { page } = await open(company, '/imports');
    await page.getByRole('link', { name: 'Show why' }).click();
    await page.waitForURL(/state=failed/);
    await row(page, 'c.txt').getByText(FAULT.message).waitFor();
    await act(page, 'c.txt', 'Retry');
    await row(page, 'c.txt').waitFor({ state: 'detached' });
    await act(page, 'b.txt', 'Delete');
    await page.getByRole('dialog').getByText('its file is deleted').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row(page, 'b.txt').waitFor({ state: 'detached' });
    await button(page, 'Retry all').click();
    await page.getByText('2 files read again.').first().waitFor();
    await page.getByRole('link', { name: 'All', exact: true }).click();
    await act(page, 'c.txt', 'Cancel');
    await button(page, 'Do not import it').click();
    await row(page, 'c.txt').getByText('Cancelled').waitFor();
    const states = (await company.all.listImports()).map(({ filename, state }) => `${filename} ${state}`);
    assert.deepEqual(states.sort(), ['a.txt queued', 'c.txt cancelled', 'd.txt queued']);
  });

  it('follows a run, says that no worker is there, and asks for nothing when nothing moves', async () => {
    const company = await service.company();
    const [made] = await importFiles(company, [{ filename: 'long.txt', text: 'x' }]);
    await beginRun(service, company, made!.id, { stage: 'reading', percent: 40 });
    const { page } = await open(company, '/imports');
    await row(page, 'long.txt').getByText('Reading, 40 %').waitFor();
    await page.getByText('No worker is running').waitFor();
    await title(page, '1 file left');
    await failRun(service, company, made!.id, FAULT);
    await row(page, 'long.txt').getByText(FAULT.message).waitFor();
    const asked: string[] = [];
    await page.clock.install();
    await page.reload();
    await row(page, 'long.txt').getByText(FAULT.message).waitFor();
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.clock.runFor(25_000);
    // The shell asks now and then how the service is.
    assert.deepEqual(
      asked.filter((path) => path !== '/v1/health'),
      [],
    );
  });

  it('offers a person who can only read no way to import', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    await importFiles(company, [{ filename: 'a.txt', text: 'x' }]);
    const { page } = await open({ ...reader, teamId: company.teamId }, '/imports');
    await row(page, 'a.txt').waitFor();
    assert.equal(await button(page, 'Choose files').count(), 0);
    await drop(page, { 'b.txt': 'b' });
    await page.getByText('You can only read here').first().waitFor();
    assert.equal((await company.all.listImports()).length, 1);
  });
});
