import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newId } from '../../../../shared/ids.ts';
import { openTestApp } from '../../../support/app.ts';
import { addMemories } from '../../../support/memories.ts';
import { launchBrowser, withoutBrowser } from '../../../support/needs/browser.ts';
import { heading, title } from '../../../support/pages.ts';
import { addClient, addPerson, archiveTeam } from '../../../support/team.ts';
import { assertLooks, assertWeight, openConsole } from '../console-tab.ts';
import { current, GATEWAY, listed, named, openReview, press, queue, status } from './review-tab.ts';

const HOSTILE = ['W'.repeat(300), 'فريق الدعم الفني', '<img src=x onerror=alert(1)>'] as const;
const service = await openTestApp();

describe('the page of memories in review', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  test('the filters and the item of a followed link are in the address', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    await queue(company, named(3));
    await addMemories(company, 'review', [{ title: 'Of the client' }], client);
    const { page } = await openReview(browser, base, company);
    await page.getByLabel('Client', { exact: true }).selectOption(client);
    await page.getByRole('button', { name: 'Filter' }).click();
    await title(page, '1 to review');
    await page.getByLabel('Client', { exact: true }).selectOption('');
    await page.getByLabel('Text contains').fill('nowhere');
    await page.keyboard.press('Enter');
    await heading(page, 'No item matches');
    await page.getByRole('link', { name: 'Show all items' }).click();
    await title(page, '4 to review');
    await page.goBack();
    await heading(page, 'No item matches');
    await page.goBack();
    await title(page, '1 to review');
    await page.goBack();
    await title(page, '4 to review');
    await press(page, 'jj');
    await page.getByRole('link', { name: 'Open the memory' }).click();
    await page.goBack();
    await page.locator('#item-heading').waitFor();
    assert.equal(await current(page), 'Item 02');
    await page.context().close();
  });

  test('more clients than one page of their list has are in the filter', async () => {
    const company = await service.company();
    await service.database.query(
      `insert into identity.client (company_id, team_id, id, name, folded_name, state)
       select $1, $2, id, id::text, id::text, 'active' from unnest($3::uuid[]) as id`,
      [company.companyId, company.teamId, Array.from({ length: 201 }, newId)],
    );
    await queue(company, named(1));
    const { page } = await openReview(browser, base, company);
    const options = page.getByLabel('Client', { exact: true }).locator('option');
    await options.nth(201).waitFor({ state: 'attached' });
    assert.equal(await options.count(), 202);
    await page.context().close();
  });

  test('only those with Full access see the page, and nobody can decide in an archived Team', async () => {
    const company = await service.company();
    await queue(company, named(2));
    for (const ties of [{ teamRole: 'member' }, { companyRole: 'admin', companyGrant: 'read' }] as const) {
      const person = await addPerson(service, company, ties);
      const url = `${base}/review?team=${company.teamId}`;
      const { page, refused } = await openConsole(browser, url, person.token);
      await status(page, 'This page is not open to you in this Team.');
      await page.setViewportSize({ width: 1280, height: 800 });
      assert.equal(await page.getByRole('link', { name: 'Review' }).count(), 0);
      assert.deepEqual(refused, []);
      await page.context().close();
    }
    await archiveTeam(service, company.teamId);
    const { page, refused } = await openReview(browser, base, company);
    await page.getByText('This Team is archived').waitFor();
    await press(page, 'pdsuexj');
    assert.equal(await current(page), 'Item 02');
    const buttons = await page.getByRole('main').getByRole('button').allInnerTexts();
    const names = buttons.map((name) => name.split(/\s/)[0]);
    assert.deepEqual(names, ['Filter', 'Keys', 'Item', 'Item', 'Previous', 'Next', 'Go']);
    assert.deepEqual(refused, []);
    await page.context().close();
  });

  test('the page looks well in every look, with names in another direction and without a break', async () => {
    const company = await service.company();
    const long = `${GATEWAY} ${'Some more words. '.repeat(80)}`;
    await addMemories(company, 'published', [{ title: HOSTILE[0], content: long }]);
    const content = `${long} ${HOSTILE.join(' ')}`;
    const client = await addClient(service, company);
    await service.database.query('update identity.client set name = $2 where id = $1', [client, HOSTILE[0]]);
    await addMemories(company, 'review', [{ title: 'Of the client' }], client);
    await queue(company, HOSTILE, { content, tags: ['tag'] });
    const url = `${base}/review?team=${company.teamId}`;
    // The text of the first similar memory is longer than its excerpt, so that it is requested.
    const shown = (page: Page) => page.locator('.review-similar[open] .changes').first().waitFor();
    await assertLooks(browser, { url, token: company.token, shown }, HOSTILE);
    const empty = await service.company();
    await assertLooks(browser, {
      url: `${base}/review?team=${empty.teamId}`,
      token: empty.token,
      shown: (page) => heading(page, 'Nothing waits for review'),
    });
  });

  test('the page is light with fifty items, and more are read on demand', async () => {
    const company = await service.company();
    await queue(
      company,
      named(26).map((name) => `Older ${name}`),
    );
    await queue(company, named(26));
    const url = `${base}/review?team=${company.teamId}`;
    await assertWeight(browser, { url, token: company.token, shown: (page) => title(page, '50+ to review') });
    const { page, faults } = await openReview(browser, base, company);
    await page.getByRole('button', { name: 'Show more' }).click();
    await title(page, '52 to review');
    assert.equal((await listed(page)).at(-1), 'Older Item 26');
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});
