import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { type Body } from '../../support/client/client.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { focused } from '../../support/pages.ts';
import {
  companyToSearch,
  found,
  hitTitles,
  LONG_TEXT,
  queryField,
  searchFor,
  storeText,
} from '../../support/search-page.ts';
import { addPerson, type Caller } from '../../support/team.ts';
import { assertLooks, assertWeight, openConsole } from './console-tab.ts';

const NAMES = ['فريق الدعم الفني', 'W'.repeat(300), '<img src=x onerror=alert(1)>'] as const;
const service = await openTestApp();

describe('the page of the search, whatever its state', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const store = (caller: Caller, body: Body<'ingestSource'>) => storeText(caller, body);
  const company = () => companyToSearch(service);
  const url = ({ teamId }: Pick<SignedIn, 'teamId'>, query: Record<string, string> = {}) =>
    `${base}/search?${String(new URLSearchParams({ team: teamId, ...query }))}`;
  const open = (owner: SignedIn, query: Record<string, string>, token = owner.token) =>
    openConsole(browser, url(owner, query), token);

  test('the answer to an earlier search is not shown after a newer one, and a failed search can be repeated', async () => {
    const owner = await company();
    const { page, faults } = await open(owner, {});
    await page.getByText('not by meaning').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/memory/search', async (route) => {
      if (String(route.request().postData()).includes('passport')) await held;
      await route.continue();
    });
    await searchFor(page, 'passport');
    await found(page, 'Searching');
    await searchFor(page, 'yellow lanyard');
    await found(page, '1 passage');
    const late = page.waitForResponse((answer) => String(answer.request().postData()).includes('passport'));
    release();
    await (await late).finished();
    assert.deepEqual(await hitTitles(page), ['Visitors']);
    await page.unroute('**/v1/memory/search');

    await page.route('**/v1/memory/search', (route) => route.abort());
    await searchFor(page, 'hall closes');
    await page.getByRole('alert').filter({ hasText: 'The service did not answer.' }).waitFor();
    assert.equal(await queryField(page).inputValue(), 'hall closes');
    await page.unroute('**/v1/memory/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await found(page, '\\d+ passage');
    await page.locator('.hit mark', { hasText: 'closes' }).first().waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('an empty Team says what to do first, to those who can do it and to those who cannot', async () => {
    const owner = await service.company();
    const reader = await addPerson(service, owner, { companyRole: 'admin', companyGrant: 'read' });
    for (const [token, advice, links] of [
      [owner.token, 'Import files first.', ['Import files']],
      [reader.token, 'Ask an Owner or Admin of the Team', []],
    ] as const) {
      for (const q of ['', 'lanyard']) {
        const { page, faults, refused } = await open(owner, { q }, token);
        await page.getByRole('heading', { name: 'Nothing is stored here yet' }).waitFor();
        if (q !== '') await found(page, 'No passage found');
        const main = page.getByRole('main');
        await main.getByText(advice).waitFor();
        assert.deepEqual(await main.getByRole('link').allInnerTexts(), links);
        assert.deepEqual([faults, refused], [[], []]);
        await page.context().close();
      }
    }
  });

  test('a service that makes vectors is asked to, and the page says when it cannot', async () => {
    const owner = await company();
    const { page, faults } = await openConsole(browser, `${base}/livez`, owner.token);
    const asked: string[] = [];
    await page.route('**/v1/memory/status', async (route) => {
      const reply = await route.fetch();
      const status = (await reply.json()) as { embedder: object };
      await route.fulfill({ json: { ...status, embedder: { ...status.embedder, serverModeEnabled: true } } });
    });
    // This service has no model: the answer is the one of a service whose model is not ready.
    await page.route('**/v1/memory/search', async (route) => {
      const body = route.request().postDataJSON() as { query: string; embeddingMode: string };
      asked.push(body.embeddingMode);
      const reply = await route.fetch({ postData: JSON.stringify({ ...body, embeddingMode: 'keyword' }) });
      const answer = (await reply.json()) as object;
      await route.fulfill({ json: { ...answer, degraded: body.query === 'lanyard' } });
    });
    const notice = page.getByText(/only words and codes are searched|not by meaning/);
    await page.goto(url(owner, { q: 'passport' }));
    await found(page, '1 passage');
    assert.equal(await notice.count(), 0);
    await searchFor(page, 'lanyard');
    await page.getByText('The search by meaning is not available now').waitFor();
    assert.equal(await notice.count(), 1, 'said once');
    assert.deepEqual([asked, faults], [['auto', 'auto'], []]);
    await page.context().close();
  });

  test('more passages are shown on demand, and a long one around what was found', async () => {
    const owner = await service.company();
    await store(owner, { title: 'Desk', text: LONG_TEXT });
    for (let n = 0; n < 24; n += 1)
      await store(owner, { title: `Note ${n}`, text: `The tapir number ${n}.` });
    const { page, faults, refused } = await open(owner, { q: 'form HR-2210' });
    await found(page, '1 passage');
    const shown = await page.locator('.passage p').innerText();
    assert.match(shown, /^… .*Guests sign form HR-2210\. .* …$/s);
    assert.ok(shown.length < LONG_TEXT.length / 2, shown);
    await searchFor(page, 'tapir');
    await found(page, '10 passages');
    await page.getByRole('button', { name: 'Show more passages' }).click();
    await found(page, '20 passages');
    const eleventh = await page.locator('.hit h2').nth(10).innerText();
    assert.equal((await focused(page)).trim(), eleventh);
    await queryField(page).fill('typed in between');
    await page.getByRole('button', { name: 'Show more passages' }).click();
    await found(page, '24 passages');
    assert.equal(await queryField(page).inputValue(), 'typed in between');
    assert.equal(await page.getByRole('button', { name: 'Show more passages' }).count(), 0);
    assert.deepEqual([faults, refused], [[], []]);

    // There is no such day, so it is left out.
    await page.goto(url(owner, { q: 'tapir', from: '2026-02-31' }));
    await found(page, '10 passages');
    await page.route('**/v1/memory/search', (route) => route.abort());
    await page.getByRole('button', { name: 'Show more passages' }).click();
    await page.getByRole('alert').filter({ hasText: 'did not answer' }).waitFor();
    assert.equal(await page.locator('.hit').count(), 10, 'those that are there stay');
    await page.unroute('**/v1/memory/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await found(page, '20 passages');
    await page.context().close();
  });

  test('it suits every screen, with names in any direction, and is light', async () => {
    const owner = await company();
    await service.database.query('update identity.client set name = $2 where id = $1', [
      owner.client,
      NAMES[1],
    ]);
    const given = { scope: { clientId: owner.client }, tags: ['w'.repeat(50), 'وسم'] };
    for (const name of NAMES) await store(owner, { ...given, title: name, text: `The capybara. ${name}` });
    const page = {
      url: url(owner, { q: `capybara ${NAMES[0]}`, tag: 'وسم' }),
      token: owner.token,
      shown: async (shown: Page) => {
        await found(shown, '3 passages');
        const why = shown.locator('.why').first();
        await why.getByText('Why this place').click();
        await why.getByRole('table').waitFor();
      },
    };
    await assertLooks(browser, page, NAMES);
    for (let n = 0; n < 50; n += 1) {
      const text = Array.from({ length: 60 }, (_, i) => `okapi${(n * 61 + i * 7919) % 9973}`).join(' ');
      await store(owner, { title: `Record ${n}`, text: `The okapi. ${text}` });
    }
    const shown = (opened: Page) => found(opened, '50 passages');
    await assertWeight(browser, { url: url(owner, { q: 'okapi', top: '50' }), token: owner.token, shown });
  });
});
