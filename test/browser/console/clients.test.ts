import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, addPerson, archiveTeam, type Ties } from '../../support/team.ts';
import { assertLooks, assertWeight, openConsole } from './console-tab.ts';

const HOSTILE = ['W'.repeat(300), 'فريق الدعم الفني', '<img src=x onerror=alert(1)>'];
const service = await openTestApp();

describe('the page of clients', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const open = (token: string, query = '') => openConsole(browser, `${base}/clients${query}`, token);
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const client = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
  async function create(page: Page, name: string): Promise<void> {
    await page.getByLabel('Name', { exact: true }).fill(name);
    await button(page, 'Create').click();
    await page.getByText(`${name} was created.`).waitFor();
  }

  test('an Owner creates, renames, archives and restores clients', async () => {
    const company = await service.company();
    const { page, faults, refused } = await open(company.token);
    await page.getByText('The Team has no clients yet.').waitFor();
    await button(page, 'Create').click();
    await page.getByText('Enter a name for the client.').waitFor();
    await create(page, 'Acme');
    assert.equal(await focused(page), 'client-name');
    await create(page, 'Globex');
    await title(page, '2 clients · Clients');
    for (const [link, filter] of [
      ['Sources of Acme', '#filter-client'],
      ['Search in Acme', '#search-in'],
    ] as const) {
      await page.getByRole('link', { name: link }).click();
      await page
        .locator(`${filter} option:checked`)
        .filter({ hasText: 'Acme' })
        .waitFor({ state: 'attached' });
      await page.goBack();
    }
    assert.deepEqual(refused, []);

    await button(page, 'Rename Globex').click();
    await page.getByRole('dialog').getByLabel('Name').fill('acme');
    await button(page, 'Rename').click();
    await page.getByText('Another active client of the Team has this name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('Initech');
    await button(page, 'Rename').click();
    await page.getByText('Globex is now called Initech.').waitFor();

    await button(page, 'Archive Acme').click();
    await page.getByText('Nothing is deleted').waitFor();
    await button(page, 'Archive').click();
    await page.getByText('Acme is archived.').waitFor();
    assert.equal(await client(page, 'Acme').count(), 0);
    assert.match(await focused(page), /^client-/);
    await create(page, 'Acme');

    await page.getByRole('link', { name: 'Archived' }).click();
    await page.waitForURL(/state=archived/);
    await button(page, 'Restore Acme').click();
    await button(page, 'Restore').click();
    await page.getByText('Another active client of the Team has this name.').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme of old');
    await button(page, 'Restore').click();
    await page.getByText('Acme of old is active again').waitFor();
    await page.getByText('No client is archived.').waitFor();
    assert.equal(await focused(page), 'clients-heading');
    await page.goBack();
    await client(page, 'Acme of old').waitFor();
    await page.getByLabel('Find by name').fill('old');
    await page.waitForURL(/q=old/);
    assert.equal(await client(page, 'Initech').count(), 0);
    await page.reload();
    await page.getByText('1 client', { exact: true }).waitFor();
    assert.equal(await page.getByLabel('Find by name').inputValue(), 'old');
    assert.deepEqual(faults, []);
  });

  test('a client that someone else has archived leaves the list, and the page says so', async () => {
    const company = await service.company();
    const { page, faults } = await open(company.token);
    for (const name of ['Acme', 'Globex']) {
      await create(page, name);
      const { items } = await company.api.listClients();
      await company.ask.archiveClient(items[0]?.id);
    }
    await button(page, 'Archive Globex').click();
    await button(page, 'Archive').click();
    await page.getByText('Globex was already archived by someone else.').waitFor();
    await button(page, 'Rename Acme').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Other');
    await button(page, 'Rename').click();
    await page.getByText('Acme was archived by someone else.').waitFor();
    assert.equal(await client(page, 'Acme').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('each user sees the clients that they can open, and only what they can do', async () => {
    const company = await service.company();
    const [seen, hidden] = [await addClient(service, company), await addClient(service, company)];
    await service.database.query('update identity.client set name = $2 where id = $1', [seen, 'Seen']);
    await service.database.query('update identity.client set name = $2 where id = $1', [hidden, 'Hidden']);
    const cases: { ties: Ties; names: string[]; creates: number }[] = [
      { ties: { teamRole: 'member' }, names: [], creates: 0 },
      { ties: { teamRole: 'member', clients: { [seen]: 'read' } }, names: ['Seen'], creates: 0 },
      { ties: { companyRole: 'admin', companyGrant: 'read' }, names: ['Hidden', 'Seen'], creates: 0 },
      { ties: { teamRole: 'admin' }, names: ['Hidden', 'Seen'], creates: 1 },
    ];
    for (const { ties, names, creates } of cases) {
      const { token } = await addPerson(service, company, ties);
      // Without Full access, the archive is not requested.
      const { page, faults, refused } = await open(token, creates === 0 ? '?state=archived' : '');
      if (names.length === 0) await page.getByText('No client is open to you.').waitFor();
      else await client(page, 'Seen').waitFor();
      assert.deepEqual(await page.getByRole('heading', { level: 3 }).allInnerTexts(), names);
      assert.equal(await button(page, 'Create').count(), creates);
      assert.equal(await button(page, 'Archive Seen').count(), creates);
      assert.equal(await page.getByRole('navigation', { name: 'Clients' }).count(), creates);
      assert.deepEqual([faults, refused], [[], []]);
      await page.context().close();
    }
    await archiveTeam(service, company.teamId);
    const { page, refused } = await open(company.token);
    await client(page, 'Seen').waitFor();
    await page.getByText('This Team is archived').waitFor();
    for (const name of ['Create', 'Archive Seen', 'Rename Seen'])
      assert.equal(await button(page, name).count(), 0);
    assert.deepEqual(refused, []);
  });

  test('the page is readable in all looks, with any names, and light', async () => {
    const company = await service.company();
    for (let n = 0; n < 51; n += 1) {
      const id = await addClient(service, company, n === 0 ? 'archived' : 'active');
      await service.database.query('update identity.client set name = $2 where id = $1', [
        id,
        HOSTILE[n % 3],
      ]);
    }
    for (const query of ['', '?state=archived']) {
      const page = {
        url: `${base}/clients${query}`,
        token: company.token,
        shown: (tab: Page) => tab.getByRole('heading', { level: 3 }).first().waitFor(),
      };
      await assertLooks(browser, page, HOSTILE);
      await assertWeight(browser, page);
    }
  });
});
