import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { IMPORT_EXTENSIONS } from '../../../shared/formats/media-types.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { SignedIn } from '../../support/app.ts';
import { beginRun, failRun, importFiles, startOwnWorker } from '../../support/dashboard.ts';
import { FAULT, IMPORTS, letFileGo, plantImports, readImport } from '../../support/import-records.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { focused, title } from '../../support/pages.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, archiveTeam } from '../../support/team.ts';
import { answerQuestions, assertLooks, assertWeight, hold, openConsole } from './console-tab.ts';

const HOSTILE = '<img src=x onerror=alert(1)>.txt';
const NAMES = [`${'W'.repeat(296)}.txt`, 'فريق الدعم الفني.txt', HOSTILE];
// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { app, database } = service;

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
const warns = (page: Page, text: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor();

async function setTeamQuota(
  company: SignedIn,
  quota: { chunks: number | null; bytes: number | null },
): Promise<void> {
  await company.api.renameTeam(company.teamId, { quota });
}

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

describe('the page of imports', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const urlOf = ({ teamId }: SignedIn, query = '') => `${base}/imports?team=${teamId}${query}`;
  const open = (company: SignedIn, query = '', token = company.token) =>
    openConsole(browser, urlOf(company, query), token);
  const shown = (page: Page) => page.getByText(/^\d+ imports?/).waitFor();
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
      await page.context().close();
    });

    test('a file with the text of a source that is already stored leads to that source', async () => {
      const company = await service.company();
      const { id } = await addSource(company, { title: HOSTILE, text: 'The tapir swims.' });
      const { page, refused } = await open(company);
      await isShown(page);
      await pollOften(page);
      await drop(page, [{ name: 'tapir.txt', text: 'The tapir swims.' }]);
      const row = listed(page, 'tapir.txt');
      await row.getByText('Same as').waitFor();
      const href = await row.getByRole('link', { name: HOSTILE }).getAttribute('href');
      assert.equal(new URL(String(href), base).pathname, `/sources/${id}`);
      assert.deepEqual(refused, []);
      await page.context().close();
    });

    test('a file that is imported already under its name is not sent again', async () => {
      const company = await service.company();
      const { page, refused } = await open(company);
      await isShown(page);
      await pollOften(page);
      const file = { name: 'minutes.txt', text: 'We met.' };
      await choose(page, [file]);
      await added(page, 'minutes.txt').getByText('Completed').waitFor();
      await button(page, 'Clear this list').click();
      assert.equal(await focused(page), 'add-heading');
      await choose(page, [file, { name: 'minutes-2.txt', text: 'We met again.' }]);
      await added(page, 'minutes.txt').getByText('Already imported').waitFor();
      await added(page, 'minutes-2.txt').getByText('Completed').waitFor();
      await says(page, '2 files: 1 completed, 1 already imported.');
      const { items } = (await company.send('GET', IMPORTS)).json<{ items: unknown[] }>();
      assert.equal(items.length, 2);
      assert.deepEqual(refused, []);
      await page.context().close();
    });

    test('an import over the quota says so, the rest is kept back, and both are imported after it was raised', async () => {
      const company = await service.company();
      const setQuota = (chunks: number) => setTeamQuota(company, { chunks, bytes: null });
      await setQuota(0);
      const { page, faults } = await open(company);
      await page.getByText('0 of 0').waitFor();
      await page.getByRole('link', { name: 'Change the quota' }).waitFor();
      await pollOften(page);
      // Files that are added apart are sent apart. The second one is held until the first one has failed.
      const first = Promise.withResolvers<void>();
      let requests = 0;
      await page.route('**/v1/memory/imports', async (route) => {
        requests += 1;
        if (requests === 2) await first.promise;
        await route.continue();
      });
      for (const name of ['one.txt', 'two.txt', 'three.txt'])
        await drop(page, [{ name, text: `Text ${name}` }]);
      await added(page, 'one.txt').getByText('quota_exceeded').waitFor();
      await added(page, 'one.txt').getByText('The Team has reached its quota of passages').waitFor();
      await warns(page, 'The Team has reached its quota of passages');
      first.resolve();
      await added(page, 'two.txt').getByText('quota_exceeded').waitFor();
      await added(page, 'three.txt').getByText('Waiting').waitFor();
      await setQuota(1_000_000);
      await button(page, 'Send the rest').click();
      assert.equal(await focused(page), 'sent-heading');
      await added(page, 'three.txt').getByText('Completed').waitFor();
      await added(page, 'one.txt').getByRole('button', { name: 'Retry one.txt' }).click();
      await added(page, 'one.txt').getByText('Completed').waitFor();
      await button(page, 'Retry all failed imports (1)').click();
      await says(page, '3 files: 3 completed.');
      assert.deepEqual(faults, []);
      await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
  });

  test('a file that the service refuses does not keep the others back', async () => {
    const company = await service.company();
    await database.query(`update identity.team set redaction = 'refuse' where id = $1`, [company.teamId]);
    const { page, faults } = await open(company);
    await isShown(page);
    const secret = `${['ghp', '16C7e42F292c6912E7710c838347Ae178B4a'].join('_')}.txt`;
    await choose(page, [
      { name: 'a.txt', text: 'A.' },
      { name: secret, text: 'B.' },
      { name: 'c.txt', text: 'C.' },
    ]);
    await added(page, 'ghp').getByText('Not sent').waitFor();
    await added(page, 'ghp').getByText('credential').waitFor();
    await button(page, `Send again ${secret}`).waitFor();
    await says(page, '3 files: 2 being imported, 1 not imported.');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('sending ends when the Team is archived, and says why', async () => {
    const company = await service.company();
    const { page } = await open(company);
    await isShown(page);
    await archiveTeam(service, company.teamId);
    await choose(page, [{ name: 'a.txt', text: 'A text.' }]);
    await warns(page, 'The Team is archived');
    await added(page, 'a.txt').getByText('Waiting').waitFor();
    await button(page, 'Send the rest').waitFor();
    await page.context().close();
  });

  test('what is wrong with tags is said before anything is sent', async () => {
    const company = await service.company();
    const { page } = await open(company);
    await isShown(page);
    await page.getByLabel('Tags').fill('x'.repeat(51));
    await choose(page, [{ name: 'a.txt', text: 'A text.' }]);
    await warns(page, 'The files were not added. Correct the tags first.');
    await warns(page, 'A tag has at most 50 characters.');
    assert.equal(await focused(page), 'tags');
    assert.equal(await page.getByLabel('Tags').inputValue(), 'x'.repeat(51));
    await page.context().close();
  });

  test('a decision on one import does not wait for that on another, and is made only once', async () => {
    const { company, imports } = await withFailed('a.txt', 'b.txt');
    const { page } = await open(company);
    const sending = await hold(page, '**/retry', ['POST']);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/retry'))
        sent.push(new URL(request.url()).pathname.split('/').at(-2) ?? '');
    });
    const retry = (name: string) => page.getByRole('button', { name: `Retry ${name}` });
    await retry('a.txt').click();
    await sending.arrived;
    await page.locator('[aria-busy="true"]').filter({ hasText: 'Retry a.txt' }).waitFor();
    await retry('a.txt').click();
    await retry('b.txt').click();
    sending.letGo();
    await retry('a.txt').waitFor({ state: 'detached' });
    await retry('b.txt').waitFor({ state: 'detached' });
    assert.deepEqual(sent.sort(), imports.map(({ id }) => id).sort());
    await page.context().close();
  });

  test('an older answer does not replace newer figures', async () => {
    const { company } = await withFailed('a.txt', 'b.txt');
    const { page } = await open(company);
    const failed = page.locator('#state option[value="failed"]');
    const retry = (name: string) => page.getByRole('button', { name: `Retry ${name}` });
    await retry('a.txt').waitFor();
    await failed.filter({ hasText: '(2)' }).waitFor({ state: 'attached' });
    const [read, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let requests = 0;
    await page.route('**/v1/memory/status', async (route) => {
      requests += 1;
      const isFirst = requests === 1;
      const response = await route.fetch();
      if (isFirst) {
        read.resolve();
        await late.promise;
      }
      await route.fulfill({ response });
    });
    await retry('a.txt').click();
    await read.promise;
    await retry('b.txt').click();
    await failed.filter({ hasText: '(0)' }).waitFor({ state: 'attached' });
    const old = page.waitForResponse('**/v1/memory/status');
    late.resolve();
    await (await old).finished();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    assert.match(String(await failed.textContent()), /\(0\)/);
    await page.context().close();
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
    await page.context().close();
  });

  test('a decision that is refused says why, and what is shown is then up to date', async () => {
    const { company, imports } = await withFailed('a.txt', 'b.txt', 'c.txt');
    const { page } = await open(company);
    await listed(page, 'c.txt').waitFor();
    await letFileGo(service, imports[0]?.id ?? '');
    await button(page, 'Retry a.txt').click();
    await warns(page, 'a.txt: The file a.txt has been deleted');
    await listed(page, 'a.txt').getByText('add it again to import it').waitFor();
    assert.equal(await button(page, 'Retry a.txt').count(), 0);
    await database.query('delete from memory.import where id = $1', [imports[1]?.id]);
    await button(page, 'Forget b.txt').click();
    await button(page, 'Forget it').click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: /./ }).waitFor();
    await button(page, 'Cancel').click();
    await listed(page, 'b.txt').waitFor({ state: 'detached' });
    await page.context().close();
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
    await page.context().close();
  });

  test('a member stores in the Team and in clients that they can write to, and decides on their own imports', async () => {
    const company = await service.company();
    const [write, read] = [await addClient(service, company), await addClient(service, company)];
    await database.query(`update identity.client set name = 'Open client' where id = $1`, [write]);
    await database.query(`update identity.client set name = 'Closed client' where id = $1`, [read]);
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [write]: 'write', [read]: 'read' },
    });
    const theirs = await importFiles(company, [{ filename: 'theirs.txt', text: '' }], {
      clientId: write,
    });
    await failRun(service, company, theirs[0]!.id, FAULT, write);
    const { page, refused } = await open(company, `&client=${write}`, member.token);
    await listed(page, 'theirs.txt').waitFor();
    assert.equal(await listed(page, 'theirs.txt').getByRole('button').count(), 0);
    assert.equal(await page.getByRole('heading', { name: 'Storage' }).count(), 0);
    await page.getByLabel('Store in').getByRole('option').nth(1).waitFor({ state: 'attached' });
    const options = await page.getByLabel('Store in').getByRole('option').allInnerTexts();
    assert.deepEqual(options, ['The Team layer', 'Client \u2068Open client\u2069']);
    // The client that the address names.
    assert.equal(await page.getByLabel('Store in').inputValue(), write);
    await choose(page, [{ name: 'mine.txt', text: 'Mine.' }]);
    await listed(page, 'mine.txt').getByText('Client Open client').waitFor();
    await listed(page, 'mine.txt').getByText('By you').waitFor();
    await button(page, 'Retry all of my failed imports').waitFor();
    await listed(page, 'mine.txt').getByRole('button', { name: 'Cancel mine.txt' }).waitFor();
    const unknown = await addClient(service, company);
    await page.goto(`${base}/imports?team=${company.teamId}&client=${unknown}`);
    await page.getByText('There is no such client, or you do not have access to it.').waitFor();
    await page.getByRole('link', { name: 'Show all imports' }).click();
    await listed(page, 'mine.txt').waitFor();
    assert.equal(await focused(page), 'imports-heading', 'the link is gone');
    assert.deepEqual(refused, []);
    await page.context().close();
  });

  test('those who can only read, and all in an archived Team, see the list without a control', async () => {
    const { company } = await withFailed('a.txt');
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const controls = (page: Page) =>
      page.getByRole('main').locator('button:visible, input:visible, a:visible').allInnerTexts();
    const one = await open(company, '', reader.token);
    await listed(one.page, 'a.txt').waitFor();
    assert.deepEqual(await controls(one.page), []);
    await archiveTeam(service, company.teamId);
    const two = await open(company);
    await two.page.getByText('This Team is archived').waitFor();
    await listed(two.page, 'a.txt').waitFor();
    await two.page.getByRole('link', { name: 'Change the quota' }).waitFor();
    assert.deepEqual(await controls(two.page), ['Change the quota']);
    const empty = await service.company();
    const other = await addPerson(service, empty, { companyRole: 'admin', companyGrant: 'read' });
    const three = await open(empty, '', other.token);
    await three.page.getByText('ask one of its members to import files').waitFor();
    for (const { page, refused, faults } of [one, two, three]) {
      assert.deepEqual([refused, faults], [[], []]);
      await page.context().close();
    }
  });

  test('axe finds nothing in any look, and names neither overflow nor reorder the words', async () => {
    const { company, imports } = await withFailed(...NAMES, 'a.txt');
    const clientId = await addClient(service, company);
    await database.query('update identity.client set name = $2 where id = $1', [clientId, 'W'.repeat(300)]);
    await setTeamQuota(company, { chunks: 10, bytes: 1000 });
    await importFiles(company, [{ filename: 'b.txt', text: 'b' }], { clientId });
    await beginRun(service, company, imports[3]!.id, { stage: 'cutting', percent: 40 });
    const page = { url: urlOf(company), token: company.token };
    const drops = async (tab: Page) => {
      await shown(tab);
      // Some are refused, one fails, and the others wait for the service.
      await tab.route('**/v1/memory/imports', (route) => route.abort());
      await drop(
        tab,
        [...NAMES, 'photo.gif'].map((name) => ({ name, text: name === HOSTILE ? '' : 'A text.' })),
      );
      await tab.getByText('The page tries again in').waitFor();
    };
    await assertLooks(browser, { ...page, shown: drops }, [...NAMES, 'W'.repeat(300)]);
  });

  test('a first load with 50 imports is at most 100 kB and 40 requests', async () => {
    const company = await service.company();
    await plantImports(service, company, 60);
    await assertWeight(browser, {
      url: urlOf(company),
      token: company.token,
      shown: (page) => page.getByText('50 imports, and more').waitFor(),
    });
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
