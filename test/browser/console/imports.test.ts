import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { IMPORT_EXTENSIONS } from '../../../shared/formats/media-types.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { SignedIn } from '../../support/app.ts';
import { beginRun, failRun, importFiles, startOwnWorker } from '../../support/dashboard.ts';
import { FAULT, IMPORTS, plantImports, readImport } from '../../support/import-records.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { focused, title } from '../../support/pages.ts';
import { openBrowser } from '../open-browser.ts';
import { answerQuestions, openConsole } from './console-tab.ts';

const HOSTILE = '<img src=x onerror=alert(1)>.txt';
// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { base, browser, skip } = await openBrowser(service);

interface TestFile {
  name: string;
  text?: string;
  bytes?: number[];
}

const added = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Added files' }).getByRole('listitem').filter({ hasText: name }).first();
const listed = (page: Page, name: string) =>
  page.getByRole('region', { name: 'All imports' }).locator('li[data-row]').filter({ hasText: name });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const says = (page: Page, text: string | RegExp) =>
  page.getByRole('status').filter({ hasText: text }).waitFor();

/** Lets the page poll at once, as when the connection is back. */
const poll = (page: Page) => page.evaluate("dispatchEvent(new Event('online'))");

/** The same all the time: for tests with a worker. */
const pollOften = (page: Page) =>
  page.evaluate("void setInterval(() => dispatchEvent(new Event('online')), 1000)");

/** Drops files on the page, as from a folder of the desktop. */
async function drop(page: Page, files: readonly TestFile[]): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const { name, text, bytes } of ${JSON.stringify(files)})
      transfer.items.add(new File([bytes === undefined ? text : new Uint8Array(bytes)], name));
    return transfer;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await page.getByRole('main').dispatchEvent(event, { dataTransfer: transfer });
  }
}

/** Chooses files in the field. */
const choose = (page: Page, files: readonly TestFile[]) =>
  page
    .getByLabel('Choose files')
    .setInputFiles(
      files.map(({ name, text = '' }) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })),
    );

describe('the page of imports', { skip }, () => {
  const urlOf = ({ teamId }: SignedIn, query = '') => `${base}/imports?team=${teamId}${query}`;
  const open = (company: SignedIn, query = '', token = company.token) =>
    openConsole(browser, urlOf(company, query), token);
  const isShown = (page: Page) => page.getByText('Nothing has been imported yet').waitFor();

  async function withFailed(...filenames: string[]) {
    const company = await service.company();
    const imports = await importFiles(
      company,
      filenames.map((filename) => ({ filename, text: '' })),
    );
    for (const { id } of imports) await failRun(service, company, id, FAULT);
    return { company, imports };
  }

  describe('with a worker', () => {
    const ends: (() => unknown)[] = [];
    before(() => startOwnWorker({ after: (end) => ends.push(end) }, service));
    after(async () => {
      for (const end of ends.reverse()) await end();
    });

    test('files are dropped, each one shows what became of it, and a corrected one is imported', async () => {
      const company = await service.company();
      const { page, faults, refused } = await open(company);
      await isShown(page);
      await pollOften(page);
      await page.getByLabel('Tags').fill('Runbooks');
      await page.getByLabel('Tags').press('Enter');
      await page.getByLabel('Tags').fill('On call, at night');
      await drop(page, [
        { name: 'runbook.md', text: '# Night build\n\nIt runs at two.' },
        { name: HOSTILE, text: 'The tapir swims.' },
        { name: 'photo.gif', text: 'GIF89a' },
        { name: 'broken.docx', text: 'no document' },
        { name: 'notes.txt', bytes: [0x63, 0x61, 0x66, 0xe9] },
        { name: 'empty.txt', text: '' },
      ]);
      await added(page, 'photo.gif').getByText('Files of type .gif cannot be imported').waitFor();
      await added(page, 'empty.txt').getByText('The file is empty.').waitFor();
      await added(page, 'runbook.md').getByText('Completed').waitFor();
      await added(page, HOSTILE).getByText('Completed').waitFor();
      await added(page, 'broken.docx').getByText('corrupt').waitFor();
      await added(page, 'notes.txt').getByText('save it as UTF-8').waitFor();
      await says(page, '6 files: 2 completed, 2 failed, 2 not imported.');
      assert.equal(await page.locator('img').count(), 0);

      await page.getByLabel('Show only files that were not imported').check();
      assert.equal(await added(page, 'runbook.md').count(), 0);
      await choose(page, [{ name: 'notes.txt', text: 'The café opens at nine.' }]);
      await says(page, '7 files: 3 completed, 2 failed, 2 not imported.');

      await listed(page, 'notes.txt').first().getByText('Completed').waitFor();
      await title(page, '2 failed · Imports · Test Team');
      const link = listed(page, 'runbook.md').getByRole('link', { name: 'runbook.md' });
      const href = new URL(String(await link.getAttribute('href')), base);
      const id = href.pathname.replace('/sources/', '');
      const source = await company.api.getSource(id);
      assert.deepEqual(source.tags, ['runbooks', 'on call, at night']);
      assert.deepEqual([faults, refused], [[], []]);
    });
  });

  test('a busy service and a lost answer are waited for, and no file is imported twice', async () => {
    const company = await service.company();
    const { page, faults } = await open(company);
    await isShown(page);
    await page.clock.install();
    let tries = 0;
    const keys = new Set<string | undefined>();
    await page.route('**/v1/memory/imports', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      tries += 1;
      keys.add(route.request().headers()['idempotency-key']);
      if (tries === 1) return route.fulfill({ status: 503, headers: { 'retry-after': '7' }, body: '{}' });
      if (tries === 2) {
        await route.fetch();
        return route.abort();
      }
      return route.continue();
    });
    await choose(page, [{ name: 'a.txt', text: 'A text.' }]);
    await says(page, 'The service is busy.');
    await page.clock.runFor(6000);
    assert.equal(tries, 1);
    await page.clock.runFor(1000);
    await says(page, 'The service did not answer.');
    await page.clock.runFor(2000);
    await added(page, 'a.txt').getByText('Queued').waitFor();
    assert.deepEqual([tries, keys.size], [3, 1]);
    const { items } = (await company.send('GET', IMPORTS)).json<{ items: unknown[] }>();
    assert.equal(items.length, 1);
    assert.deepEqual(faults, []);
  });

  test('leaving the page while files are sent is warned of, and another page of the console is no reason to stop', async () => {
    const company = await service.company();
    const { page, faults } = await open(company);
    await isShown(page);
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/memory/imports', async (route) => {
      if (route.request().method() === 'POST') await held.promise;
      await route.continue();
    });
    await choose(page, [{ name: 'a.txt', text: 'A text.' }]);
    await added(page, 'a.txt').getByText('Sending').waitFor();
    const isWarned = () =>
      page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    assert.equal(await isWarned(), true);
    await button(page, 'Menu').click();
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { name: 'In a terminal' }).waitFor();
    assert.equal(await isWarned(), true);
    held.resolve();
    await page.goBack();
    await added(page, 'a.txt').getByText('Queued').waitFor();
    assert.equal(await isWarned(), false);
    assert.deepEqual(faults, []);
  });

  test('nothing is sent after the user has signed out, even if the session could not be ended', async () => {
    const company = await service.company();
    const { page } = await open(company);
    await isShown(page);
    await page.clock.install();
    let tries = 0;
    await page.route('**/v1/memory/imports', (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      tries += 1;
      return route.abort();
    });
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await choose(page, [{ name: 'a.txt', text: 'A text.' }]);
    await says(page, 'The service did not answer.');
    const stayed = answerQuestions(page, 'stay');
    await button(page, 'Sign out').click();
    assert.equal(stayed.length, 1);
    assert.match(stayed[0] ?? '', /^Files are still being sent/);
    const left = answerQuestions(page, 'leave');
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'The session is not ended' }).waitFor();
    assert.deepEqual(left, stayed);
    await page.clock.runFor(60_000);
    // A request that the pause had led to would come before this one.
    await page.evaluate<void>(`fetch('/livez').then(() => undefined)`);
    assert.equal(tries, 1);
  });

  test('failed imports are filtered, retried and forgotten with the keyboard, and the focus is kept', async () => {
    const { company, imports } = await withFailed('a.txt', 'b.txt', 'c.txt', 'd.txt');
    await plantImports(service, company, 1, { state: 'completed', filename: 'fine.txt' });
    const { page, faults, refused } = await open(company);
    await listed(page, 'fine.txt').waitFor();
    await title(page, '4 failed · Imports');
    await page.getByLabel('State').selectOption({ label: 'Failed (4)' });
    await listed(page, 'fine.txt').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('state'), 'failed');
    await listed(page, 'c.txt').getByText('The file holds no text.').waitFor();

    await button(page, 'Retry c.txt').focus();
    await page.keyboard.press('Enter');
    await says(page, 'c.txt is queued again.');
    await listed(page, 'c.txt').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'b.txt');
    await button(page, 'Forget b.txt').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Forget this import?' }).waitFor();
    await page.keyboard.press('Escape');
    assert.match(await focused(page), /Forget\s+b\.txt/);
    await page.keyboard.press('Enter');
    await button(page, 'Forget it').click();
    await says(page, 'b.txt is forgotten.');
    assert.equal(await focused(page), 'a.txt');
    await button(page, 'Retry all failed imports (2)').click();
    await says(page, '2 imports are queued again.');
    await page.getByText('No import matches.').waitFor();
    assert.equal(await focused(page), 'imports-heading');
    await page.goBack();
    await listed(page, 'fine.txt').waitFor();
    await button(page, 'Cancel c.txt').click();
    await says(page, 'c.txt is cancelled.');
    assert.equal((await readImport(company, imports[2]?.id ?? '')).state, 'cancelled');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a running import shows its progress, and the page asks nothing when nothing runs', async () => {
    const company = await service.company();
    const [made] = await importFiles(company, [{ filename: 'long.txt', text: 'x' }]);
    assert.ok(made);
    await beginRun(service, company, made.id, { stage: 'reading', percent: 40 });
    const { page } = await open(company);
    await listed(page, 'long.txt').getByText('Reading, 40 % · step 1 of 3').waitFor();
    await says(page, 'No worker is running, so files wait.');
    await title(page, '1 in progress');
    await beginRun(service, company, made.id, { stage: 'storing', percent: 5 });
    await poll(page);
    await listed(page, 'long.txt').getByText('Storing, 5 % · step 3 of 3').waitFor();
    assert.equal(
      await page.getByRole('progressbar', { name: 'Progress of long.txt' }).getAttribute('value'),
      '2.05',
    );
    await failRun(service, company, made.id, FAULT);
    await poll(page);
    await listed(page, 'long.txt').getByText(FAULT.message).waitFor();
    await title(page, '1 failed');
    await page.clock.install();
    await page.reload();
    await listed(page, 'long.txt').getByText(FAULT.message).waitFor();
    await title(page, '1 failed');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(60_000);
    assert.deepEqual(asked, []);
  });

  test('the page knows the files that the service can read', async () => {
    const { page } = await open(await service.company());
    const accepted = await page.getByLabel('Choose files').getAttribute('accept');
    assert.deepEqual(
      accepted?.split(','),
      IMPORT_EXTENSIONS.map((extension) => `.${extension}`),
    );
  });
});
