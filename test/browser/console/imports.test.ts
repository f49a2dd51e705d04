import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createLogger } from '../../../shared/logger.ts';
import { beginRun, failRun, importFiles, startOwnWorker } from '../../support/dashboard.ts';
import { FAULT } from '../../support/import-records.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { focused, heading, title } from '../../support/pages.ts';
import { PARTLY, unreadFile } from '../../support/partly-reading-extractors.ts';
import { isOver, untilImport } from '../../support/running-imports.ts';
import { answerQuestions, button, confirm, poll, press, said, serveConsole } from './console-tab.ts';

const HOSTILE = '<img src=x onerror=alert(1)>.txt';
// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { open, skip } = await serveConsole(service);
const PATH = '**/v1/memory/imports';

const added = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Added files' }).getByRole('listitem').filter({ hasText: name }).first();
const listed = (page: Page, name: string) =>
  page.getByRole('region', { name: 'All imports' }).locator('li[data-row]').filter({ hasText: name });

/** Drops files on the page, as from a folder of the desktop. */
async function drop(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  const dataTransfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    for (const [name, text] of ${JSON.stringify(Object.entries(files))}) transfer.items.add(new File([text], name));
    return transfer;
  })()`);
  for (const event of ['dragenter', 'dragover', 'drop']) {
    await page.getByRole('main').dispatchEvent(event, { dataTransfer });
  }
}

/** Chooses a file in the field. */
const choose = (page: Page, name: string) =>
  page
    .getByLabel('Choose files')
    .setInputFiles([{ name, mimeType: 'text/plain', buffer: Buffer.from('The café opens at nine.') }]);

describe('the page of imports', { skip }, () => {
  const start = async () => {
    const company = await service.company();
    const { page, refused } = await open(company, '/imports');
    await page.getByText('Nothing has been imported yet').waitFor();
    return { company, page, refused };
  };

  test('files are dropped, each one shows what became of it, and a corrected one is imported', async (t) => {
    await startOwnWorker(t, service);
    const { company, page, refused } = await start();
    await page.evaluate("void setInterval(() => dispatchEvent(new Event('online')), 1000)");
    await page.getByLabel('Tags').fill('On call, at night');
    await drop(page, {
      'runbook.md': '# Night build\n\nIt runs at two.',
      [HOSTILE]: 'The tapir swims.',
      'photo.gif': 'GIF89a',
      'broken.docx': 'no document',
      'empty.txt': '',
    });
    await added(page, 'photo.gif').getByText('Files of type .gif cannot be imported').waitFor();
    await added(page, 'empty.txt').getByText('The file is empty.').waitFor();
    await added(page, 'runbook.md').getByText('Completed').waitFor();
    await added(page, HOSTILE).getByText('Completed').waitFor();
    await added(page, 'broken.docx').getByText('corrupt').waitFor();
    await said(page, '5 files: 2 completed, 1 failed, 2 not imported.');
    assert.equal(await page.locator('img').count(), 0);
    await choose(page, 'empty.txt');
    await said(page, '6 files: 3 completed, 1 failed, 2 not imported.');
    const link = listed(page, 'runbook.md').getByRole('link', { name: 'runbook.md' });
    const id = /sources\/([^?]+)/.exec(String(await link.getAttribute('href')))?.[1] ?? '';
    assert.deepEqual((await company.api.getSource(id)).tags, ['on call, at night']);
    assert.deepEqual(refused, []);
  });

  test('a file that was not read in full says what is missing, and so does its source', async (t) => {
    await startOwnWorker(t, service, {}, { reading: PARTLY });
    const { page, refused } = await start();
    await page.evaluate("void setInterval(() => dispatchEvent(new Event('online')), 1000)");
    const text = unreadFile(
      [
        { kind: 'page', names: [2, 5, 6, 7], reason: 'no_text' },
        { kind: 'attachment', names: [HOSTILE], reason: 'a_later_code' },
      ],
      'The tapir swims.',
    );
    await drop(page, { 'scan.txt': text, 'whole.txt': 'The heron nests.' });
    await said(page, '2 files: 2 completed.');
    const words = `pages 2, 5-7 (no text: pictures or blank); attachment ${HOSTILE} (a later code)`;
    for (const row of [added(page, 'scan.txt'), listed(page, 'scan.txt')])
      await row.getByText(`Not read: ${words}`, { exact: true }).waitFor();
    assert.equal(await listed(page, 'whole.txt').getByText('Not read').count(), 0);
    await listed(page, 'scan.txt').getByRole('link', { name: 'scan.txt' }).click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText(words, { exact: true }).waitFor();
    assert.equal(await details.getByText('Not read', { exact: true }).count(), 1);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(refused, []);
  });

  test('a file that is not in UTF-8 says in which encoding it was read, and so does its source', async (t) => {
    await startOwnWorker(t, service);
    const { company, page, refused } = await start();
    const contentBase64 = Buffer.from('\ufeffThe tapir swims.', 'utf16le').toString('base64');
    const items = [
      { filename: 'old.txt', contentBase64 },
      { filename: 'usual.txt', text: 'The heron nests.' },
    ];
    for (const { id } of (await company.api.importFiles({ items })).imports)
      await untilImport(company, id, t.signal, isOver);
    await page.reload();
    await listed(page, 'old.txt').getByText('Read as utf-16le text.', { exact: true }).waitFor();
    await listed(page, 'usual.txt').getByRole('link', { name: 'usual.txt' }).waitFor();
    assert.equal(await listed(page, 'usual.txt').getByText('Read as').count(), 0);
    await listed(page, 'old.txt').getByRole('link', { name: 'old.txt' }).click();
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('utf-16le', { exact: true }).waitFor();
    assert.deepEqual(refused, []);
  });

  test('a busy service and a lost answer are waited for, and no file is imported twice', async () => {
    const { company, page } = await start();
    await page.clock.install();
    const keys: (string | undefined)[] = [];
    await page.route(PATH, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const tries = keys.push(route.request().headers()['idempotency-key']);
      if (tries === 1) return route.fulfill({ status: 503, headers: { 'retry-after': '7' }, body: '{}' });
      if (tries === 2) {
        await route.fetch();
        return route.abort();
      }
      return route.continue();
    });
    await choose(page, 'a.txt');
    await said(page, 'The service is busy.');
    await page.clock.runFor(6000);
    assert.equal(keys.length, 1);
    await page.clock.runFor(1000);
    await said(page, 'The service did not answer.');
    await page.clock.runFor(2000);
    await added(page, 'a.txt').getByText('Queued').waitFor();
    assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
    assert.equal((await company.all.listImports()).length, 1);
  });

  test('leaving the page while files are sent is warned of, and another page of the console is no reason to stop', async () => {
    const { page } = await start();
    const held = Promise.withResolvers<void>();
    await page.route(PATH, async (route) => {
      if (route.request().method() === 'POST') await held.promise;
      await route.continue();
    });
    await choose(page, 'a.txt');
    await added(page, 'a.txt').getByText('Sending').waitFor();
    await press(page, 'Menu');
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await heading(page, 'In a terminal');
    const isWarned = () =>
      page.evaluate<boolean>(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    assert.equal(await isWarned(), true);
    held.resolve();
    await page.goBack();
    await added(page, 'a.txt').getByText('Queued').waitFor();
    assert.equal(await isWarned(), false);
  });

  test('nothing is sent after the user has signed out, even if the session could not be ended', async () => {
    const { page } = await start();
    await page.clock.install();
    let tries = 0;
    await page.route(PATH, (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      tries += 1;
      return route.abort();
    });
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await choose(page, 'a.txt');
    await said(page, 'The service did not answer.');
    const stayed = answerQuestions(page, 'stay');
    await press(page, 'Sign out');
    assert.match(stayed.join(), /^Files are still being sent/);
    answerQuestions(page, 'leave');
    await press(page, 'Sign out');
    await heading(page, 'The session is not ended');
    const before = tries;
    await page.clock.runFor(60_000);
    // A request that the pause had led to would come before this one.
    await page.evaluate<void>(`fetch('/livez').then(() => undefined)`);
    assert.equal(tries, before);
  });

  test('failed imports are filtered, retried and forgotten with the keyboard, and the focus is kept', async () => {
    const company = await service.company();
    const files = ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map((filename) => ({ filename, text: '' }));
    for (const { id } of await importFiles(company, files)) await failRun(service, company, id, FAULT);
    const { page, refused } = await open(company, '/imports');
    await title(page, '4 failed · Imports');
    await page.getByLabel('State').selectOption({ label: 'Failed (4)' });
    await page.waitForURL(/state=failed/);
    await listed(page, 'c.txt').getByText('The file holds no text.').waitFor();
    await button(page, 'Retry c.txt').focus();
    await page.keyboard.press('Enter');
    await said(page, 'c.txt is queued again.');
    await listed(page, 'c.txt').waitFor({ state: 'detached' });
    assert.equal(await focused(page), 'b.txt');
    await button(page, 'Forget b.txt').focus();
    await page.keyboard.press('Enter');
    await confirm(page, 'Forget it');
    await said(page, 'b.txt is forgotten.');
    assert.equal(await focused(page), 'a.txt');
    await press(page, 'Retry all failed imports (2)');
    await said(page, '2 imports are queued again.');
    await page.goBack();
    await press(page, 'Cancel c.txt');
    await said(page, 'c.txt is cancelled.');
    const states = (await company.all.listImports()).map(({ filename, state }) => `${filename} ${state}`);
    assert.deepEqual(states.sort(), ['a.txt queued', 'c.txt cancelled', 'd.txt queued']);
    assert.deepEqual(refused, []);
  });

  test('a running import shows its progress, and the page asks nothing when nothing runs', async () => {
    const company = await service.company();
    const [made] = await importFiles(company, [{ filename: 'long.txt', text: 'x' }]);
    await beginRun(service, company, made!.id, { stage: 'reading', percent: 40 });
    const { page } = await open(company, '/imports');
    await listed(page, 'long.txt').getByText('Reading, 40 % · step 1 of 3').waitFor();
    await said(page, 'No worker is running, so files wait.');
    await failRun(service, company, made!.id, FAULT);
    await poll(page);
    await listed(page, 'long.txt').getByText(FAULT.message).waitFor();
    await page.clock.install();
    await page.reload();
    await listed(page, 'long.txt').getByText(FAULT.message).waitFor();
    await title(page, '1 failed');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(60_000);
    assert.deepEqual(asked, []);
  });
});
