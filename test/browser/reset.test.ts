import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp } from '../support/app.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import {
  fitsScreen,
  focused,
  heading,
  keptSession,
  openPage,
  problemAt,
  sendForm,
  storage,
} from '../support/pages.ts';
import { askSession, makeResetLink, signInBy, useLink } from '../support/sign-in.ts';

const PASSWORD = 'a password of this test';
const service = await openTestApp();
const { app, database } = service;

describe('the reset page in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const fill = (page: Page, password: string, repeated?: string) => sendForm(page, { password, repeated });

  test('a link sets the password and signs this tab in', async () => {
    const company = await service.company();
    const { url, token } = await makeResetLink(service, company);
    assert.ok(url.startsWith(`${base}/reset#`), url);
    const { page, faults } = await openPage(browser, url);
    await heading(page, 'Set your password');
    assert.equal(page.url(), `${base}/reset`, 'the token left the address bar');
    assert.equal(await focused(page), 'password');
    assert.deepEqual(await page.locator('#about bdi').allTextContents(), [
      company.ownerEmail,
      'Test Company',
    ]);
    await fill(page, PASSWORD);
    await heading(page, 'Your password is set');
    const text = await page.locator('main').innerText();
    for (const part of [
      company.ownerEmail,
      'Test Company',
      'Company Owner',
      'Test Team: Team Owner, full access',
    ]) {
      assert.ok(text.includes(part), `${part}: ${text}`);
    }
    assert.equal(await focused(page), 'heading');
    const answer = await askSession(service, await keptSession(page));
    assert.equal(answer.json<SessionInfo>().user.email, company.ownerEmail);
    assert.ok(!(await page.content()).includes(token));
    assert.equal((await signInBy(service, company.ownerEmail, PASSWORD)).statusCode, 200);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('a reload keeps the link in this tab, and other tabs do not have it', async () => {
    const { url, token } = await makeResetLink(service, await service.company());
    const { page } = await openPage(browser, url);
    await page.reload();
    await heading(page, 'Set your password');
    assert.deepEqual(await storage(page), { tab: { 'reset-token': token }, all: {} });
    const other = await page.context().newPage();
    await other.goto(`${base}/reset`);
    await heading(other, 'The link is incomplete');
    await fill(page, PASSWORD);
    await heading(page, 'Your password is set');
    await page.context().close();
  });

  test('an invalid password is shown at its field before it is sent', async () => {
    const { url, token } = await makeResetLink(service, await service.company());
    const { page, faults } = await openPage(browser, url);
    await fill(page, 'eleven char');
    assert.match(String(await problemAt(page, 'password')), /11 of at least 12/);
    assert.equal(await focused(page), 'password');
    await fill(page, PASSWORD, `${PASSWORD}!`);
    assert.match(String(await problemAt(page, 'repeated')), /not the same/);
    assert.equal(await focused(page), 'repeated');
    assert.equal(await problemAt(page, 'password'), null);
    assert.equal((await useLink(service, token, PASSWORD)).statusCode, 200, 'the link is unused');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('the page explains in plain words why a link cannot be used', async () => {
    const company = await service.company();
    const [used, expired, revoked] = [
      await makeResetLink(service, await service.company()),
      await makeResetLink(service, await service.company()),
      await makeResetLink(service, company),
    ];
    await useLink(service, used.token, PASSWORD);
    await database.query('update identity.reset_link set expires_at = now() where token_hash = $1', [
      hashToken(expired.token),
    ]);
    await makeResetLink(service, company);
    const { page, faults } = await openPage(browser, `${base}/reset`);
    await heading(page, 'The link is incomplete');
    // In the same tab: each further link changes only the fragment.
    for (const [url, title] of [
      [used.url, 'This link has already been used'],
      [expired.url, 'This link has expired'],
      [revoked.url, 'This link has been revoked'],
      [`${base}/reset#token=of-no-worth`, 'This link is not valid'],
      [`${base}/reset#token=${'long'.repeat(100)}`, 'This link is not valid'],
    ] as const) {
      await page.goto(url);
      await heading(page, title);
      assert.equal(await page.title(), title);
      await page.getByText('the command owner-reset-link makes one').waitFor();
      assert.equal(await page.locator('form').isVisible(), false);
      assert.deepEqual(await storage(page), { tab: {}, all: {} });
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('a name is shown as text and never as HTML', async () => {
    const company = await service.company();
    const name = '<img src=x onerror="document.title=1">';
    await database.query('update identity.account set name = $2 where id = $1', [company.ownerId, name]);
    const { page, faults } = await openPage(browser, (await makeResetLink(service, company)).url);
    await fill(page, PASSWORD);
    await heading(page, 'Your password is set');
    assert.ok((await page.locator('main').innerText()).includes(name));
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('the form can be sent again when the service does not answer', async () => {
    const { url } = await makeResetLink(service, await service.company());
    const { page } = await openPage(browser, url);
    await page.route('**/v1/auth/reset', (route) => route.abort());
    await fill(page, PASSWORD);
    await page.getByText('did not answer').waitFor();
    await page.unroute('**/v1/auth/reset');
    await page.getByRole('button', { name: 'Set password' }).click();
    await heading(page, 'Your password is set');
    await page.context().close();
  });

  test('the page fits a phone, can show the passwords and follows the colour scheme', async () => {
    const { url } = await makeResetLink(service, await service.company());
    const grounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await openPage(browser, url, { colorScheme });
      grounds.add(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
      assert.ok(await fitsScreen(page));
      await page.getByLabel('Show the passwords').check();
      assert.equal(await page.getByLabel('New password').getAttribute('type'), 'text');
      await page.context().close();
    }
    assert.equal(grounds.size, 2);
  });
});
