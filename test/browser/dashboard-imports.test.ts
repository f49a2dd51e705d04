import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createLogger } from '../../shared/logger.ts';
import { beginRun, failRun, importFiles, openDashboard, startOwnWorker } from '../support/dashboard.ts';
import { givePassword } from '../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { focused, openPage } from '../support/pages.ts';
import { MISBEHAVE } from '../support/running-imports.ts';
import { addClient, addPerson, addTeam, archiveTeam } from '../support/team.ts';

const PASSWORD = 'a password of this test';
const NO_TEXT = { code: 'no_text', message: 'The file holds no text.' };
// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { app, database } = service;

const figure = (page: Page, id: string, text: string) =>
  page.locator(`#${id}`).getByText(text, { exact: true }).waitFor();
const row = (page: Page, filename: string) => page.locator('#failed-rows tr', { hasText: filename });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const outcomeIs = (page: Page, text: string) => page.locator('#outcome', { hasText: text }).waitFor();

describe('imports on the dashboard', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  /** A Company with these failed imports, and its Owner on the dashboard. */
  async function withFailed(...filenames: string[]) {
    const company = await service.company();
    const imports = await importFiles(
      company,
      filenames.map((filename) => ({ filename, text: '' })),
    );
    for (const { id } of imports) await failRun(service, company, id, NO_TEXT);
    return { company, imports, ...(await openDashboard(browser, base, company.token)) };
  }

  test('a failed import appears with its reason, can be retried and completes after a worker restart', async (t) => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    // This worker never ends reading the text below; the next one does.
    const slow = await startOwnWorker(t, service, { importSeconds: 2 }, { reading: MISBEHAVE });
    const { page, faults } = await openPage(browser, `${base}/dashboard`);
    await page.getByLabel('Email').fill(company.ownerEmail);
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Sign in').click();
    await figure(page, 'health-line', 'A worker is running.');
    await figure(page, 'failed-none', 'No import has failed.');
    await page.evaluate('window.sameDocument = true');

    await importFiles(company, [{ filename: 'minutes.txt', text: 'waiting' }]);
    await row(page, 'minutes.txt').getByText('took longer than 2 seconds').waitFor();
    await row(page, 'minutes.txt').getByText('too_slow', { exact: true }).waitFor();
    await figure(page, 'imports-failed', '1');
    await page.locator('#news', { hasText: 'An import has failed.' }).waitFor({ state: 'attached' });

    await slow.stop();
    await figure(page, 'health-line', 'No worker is running: imports wait.');
    await figure(page, 'workers-none', 'No worker is running.');
    await button(page, 'Retry minutes.txt').click();
    await outcomeIs(page, 'minutes.txt is queued again.');
    await figure(page, 'imports-queued', '1');
    await figure(page, 'failed-none', 'No import has failed.');
    await page.locator('#health-hint', { hasText: '1 import of this Team waits.' }).waitFor();

    await startOwnWorker(t, service);
    await figure(page, 'imports-completed', '1');
    await figure(page, 'imports-failed', '0');
    await figure(page, 'health-line', 'A worker is running.');
    assert.equal(await page.evaluate('window.sameDocument'), true, 'the page was not reloaded');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('the dashboard reports no worker after 31 seconds without a heartbeat, until one returns', async (t) => {
    const company = await service.company();
    await startOwnWorker(t, service);
    const { page } = await openDashboard(browser, base, company.token);
    await figure(page, 'health-line', 'A worker is running.');
    await page.locator('#worker-rows tr').waitFor();
    const age = (seconds: number) =>
      database.query('update memory.worker set last_seen_at = now() - make_interval(secs => $1)', [seconds]);
    await age(31);
    await figure(page, 'health-line', 'No worker is running: imports wait.');
    await page.locator('#worker-rows tr').waitFor({ state: 'detached' });
    assert.match(await page.title(), /^Fault · /);
    await age(0);
    await figure(page, 'health-line', 'A worker is running.');
    await page.context().close();
  });

  test('a running import shows its stage and its progress over all stages', async () => {
    const company = await service.company();
    const [made] = await importFiles(company, [{ filename: 'long.txt', text: 'x' }]);
    assert.ok(made);
    await beginRun(service, company, made.id, { stage: 'reading', percent: 40 });
    const { page } = await openDashboard(browser, base, company.token);
    const bar = page.getByRole('progressbar', { name: 'long.txt' });
    await page.getByText('Reading, 40% · step 1 of 3').waitFor();
    assert.deepEqual([await bar.getAttribute('value'), await bar.getAttribute('max')], ['0.4', '3']);
    await beginRun(service, company, made.id, { stage: 'storing', percent: 5 });
    await page.getByText('Storing, 5% · step 3 of 3').waitFor();
    assert.equal(await bar.getAttribute('value'), '2.05');
    await page.context().close();
  });

  test('the keyboard is sufficient to sign in, retry and forget imports, and the focus is kept', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const files = ['a.txt', 'b.txt', 'c.txt', 'd.txt'];
    const made = await importFiles(
      company,
      files.slice(0, 3).map((filename) => ({ filename, text: '' })),
    );
    for (const { id } of made) await failRun(service, company, id, NO_TEXT);
    const { page } = await openPage(browser, `${base}/dashboard`);
    const { keyboard } = page;
    await page.locator('#email:focus').waitFor();
    await keyboard.type(company.ownerEmail);
    await keyboard.press('Tab');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await page.locator('#page-heading:focus').waitFor();
    await row(page, 'a.txt').waitFor();
    const passed: string[] = [];
    const goTo = async (name: string) => {
      for (let n = 0; n < 20 && (await focused(page)) !== name; n += 1) {
        await keyboard.press('Tab');
        passed.push(await focused(page));
        const outline = 'getComputedStyle(document.activeElement).outlineStyle';
        assert.equal(await page.evaluate(outline), 'solid', `${passed.at(-1)} shows that it has the focus`);
      }
    };
    await goTo('Retry b.txt');
    assert.deepEqual(passed, ['retry-all', 'Retry c.txt', 'Forget c.txt', 'Retry b.txt']);

    // A row is added above: the focus stays on the same button.
    const [late] = await importFiles(company, [{ filename: 'd.txt', text: '' }]);
    await failRun(service, company, late!.id, NO_TEXT);
    await row(page, 'd.txt').waitFor();
    assert.equal(await focused(page), 'Retry b.txt');
    await keyboard.press('Enter');
    await outcomeIs(page, 'b.txt is queued again.');
    await row(page, 'b.txt').waitFor({ state: 'detached' });
    // The row is gone: its neighbour has the focus, but not a button that the next key would press.
    assert.match(await focused(page), /^a\.txt/);

    await goTo('Forget a.txt');
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Forget this import?' }).waitFor();
    assert.equal(await focused(page), 'forget-keep');
    await keyboard.press('Escape');
    assert.equal(await focused(page), 'Forget a.txt');
    await keyboard.press('Enter');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await outcomeIs(page, 'a.txt is forgotten.');
    await row(page, 'a.txt').waitFor({ state: 'detached' });
    assert.match(await focused(page), /^c\.txt/);

    await keyboard.press('Shift+Tab');
    assert.equal(await focused(page), 'Forget d.txt');
    for (let n = 0; n < 2; n += 1) await keyboard.press('Shift+Tab');
    assert.equal(await focused(page), 'retry-all');
    await keyboard.press('Enter');
    await outcomeIs(page, '2 imports are queued again.');
    await figure(page, 'failed-none', 'No import has failed.');
    // The button is gone, so the heading has the focus.
    assert.equal(await focused(page), 'failed-heading');
    await page.context().close();
  });

  test('a file name is shown as text and never as HTML', async () => {
    const hostile = `<img src=x onerror="document.title='taken'">\u202e.txt`;
    const { page, faults } = await withFailed(hostile);
    await row(page, '<img').waitFor();
    assert.equal(await page.locator('#failed-rows th bdi').textContent(), hostile);
    await button(page, `Forget ${hostile}`).click();
    await page.getByRole('dialog').waitFor();
    assert.equal(await page.locator('dialog bdi').textContent(), hostile);
    assert.equal(await page.locator('img').count(), 0);
    await page.getByRole('button', { name: 'Keep it' }).click();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('a second file can be forgotten right after the dialog of the first was closed', async () => {
    const { page } = await withFailed('a.txt', 'b.txt');
    await row(page, 'b.txt').waitFor();
    await page.evaluate(`(() => {
      const [forgetB, forgetA] = document.querySelectorAll('#failed-rows button[data-decision="forget"]');
      forgetB.click();
      document.querySelector('#forget').close();
      forgetA.click();
    })()`);
    await page.getByRole('dialog').getByText('a.txt').waitFor();
    await page.locator('#forget-confirm').click();
    await outcomeIs(page, 'a.txt is forgotten.');
    await row(page, 'a.txt').waitFor({ state: 'detached' });
    assert.equal(await row(page, 'b.txt').count(), 1);
    await page.context().close();
  });

  test('the outcome of a decision is not shown at a Team that was chosen before the answer', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    const [failed] = await importFiles(company, [{ filename: 'a.txt', text: '' }]);
    assert.ok(failed);
    await failRun(service, company, failed.id, NO_TEXT);
    const { page } = await openDashboard(browser, base, company.token);
    const team = page.getByLabel('Team', { exact: true });
    await team.selectOption(company.teamId);
    await row(page, 'a.txt').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/memory/imports/retry', async (route) => {
      await held.promise;
      await route.continue();
    });
    await button(page, 'Retry all').click();
    await page.locator('#retry-all[aria-busy]').waitFor();
    await team.selectOption(other);
    await row(page, 'a.txt').waitFor({ state: 'detached' });
    held.resolve();
    await page.locator('#retry-all:not([aria-busy])').waitFor({ state: 'attached' });
    assert.equal(await page.locator('#outcome').textContent(), '');
    await page.context().close();
  });

  test('"Show more" loads the rest of a long list, and an import without a file can only be forgotten', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `file ${index}.txt`);
    const { page, imports, company } = await withFailed(...names);
    await figure(page, 'failed-shown', '20 of 23 are shown, the newest first.');
    await button(page, 'Show more').click();
    await row(page, 'file 0.txt').waitFor();
    assert.equal(await page.locator('#failed-rows tr').count(), 23);
    assert.match(await focused(page), /^file 3\.txt/);
    await database.query(
      'update memory.import set payload_pruned_at = now(), updated_at = now() where team_id = $1 and id = $2',
      [company.teamId, imports.at(-1)!.id],
    );
    await row(page, 'file 22.txt').getByText('import it again').waitFor();
    assert.equal(await button(page, 'Retry file 22.txt').count(), 0);
    await button(page, 'Forget file 22.txt').waitFor();
    await page.context().close();
  });

  test('a refused decision shows why: the file or the import is gone, or the Team is archived', async () => {
    const { page, company, imports } = await withFailed('a.txt', 'b.txt', 'c.txt', 'd.txt');
    await row(page, 'd.txt').waitFor();
    const [a, b, c] = imports.map(({ id }) => id);
    const soon = { timeout: 10_000 };
    // The page gets no new status, so that it shows an old state; after a refusal it polls at once.
    const hold = () => page.route('**/v1/memory/status', (route) => route.abort());
    const release = async () => {
      await page.unroute('**/v1/memory/status');
      await page.evaluate("dispatchEvent(new Event('online'))");
    };
    const change = (sql: string, id?: string) =>
      database.query(`${sql} where team_id = $1 and id = $2`, [company.teamId, id]);
    await hold();
    await change('update memory.import set payload_pruned_at = now()', a);
    await button(page, 'Retry a.txt').click();
    await outcomeIs(page, 'a.txt was not retried: The file a.txt has been deleted');
    await release();
    await row(page, 'a.txt').getByText('import it again').waitFor(soon);
    await hold();
    await change(`update memory.import set state = 'queued'`, b);
    await button(page, 'Retry b.txt').click();
    await outcomeIs(page, 'b.txt was not retried: The import of b.txt has not failed');
    await change('delete from memory.import', c);
    await button(page, 'Retry c.txt').click();
    await outcomeIs(page, 'c.txt no longer exists.');
    await archiveTeam(service, company.teamId);
    await button(page, 'Retry d.txt').click();
    await outcomeIs(page, 'd.txt was not retried: the Team is archived.');
    await release();
    await page.getByText('This Team is archived: it can be read').waitFor(soon);
    await row(page, 'c.txt').waitFor({ state: 'detached' });
    assert.equal(await page.locator('#failed-rows button:visible, #retry-all:visible').count(), 0);
    await page.context().close();
  });

  test('a member can decide only on own imports and does not see jobs and workers', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const member = await addPerson(service, company, {
      teamRole: 'member',
      clients: { [clientId]: 'write' },
    });
    const [theirs] = await importFiles(company, [{ filename: 'theirs.txt', text: '' }], {
      clientId,
    });
    const [mine] = await importFiles(member, [{ filename: 'mine.txt', text: '' }], { clientId });
    for (const made of [theirs, mine]) await failRun(service, company, made!.id, NO_TEXT, clientId);
    const { page } = await openDashboard(browser, base, member.token);
    await row(page, 'theirs.txt').getByText('Only for its author, or with Full access').waitFor();
    assert.equal(await row(page, 'theirs.txt').getByRole('button').count(), 0);
    await button(page, 'Retry all of mine').waitFor();
    await page.getByText('Jobs are shown to those with Full access').waitFor();
    await page.getByText('Workers are shown to those with Full access').waitFor();
    assert.equal(await page.locator('table.jobs:visible, .plot:visible').count(), 0);
    await database.query(`update identity.client_grant set access = 'read' where user_id = $1`, [
      member.userId,
    ]);
    await button(page, 'Retry mine.txt').click();
    await outcomeIs(page, 'mine.txt was not retried: that takes Full access, or being its author');
    await page.context().close();
  });
});
