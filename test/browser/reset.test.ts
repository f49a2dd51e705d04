import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp } from '../support/app.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { focused, heading, keptSession, openPage, sendForm, storage } from '../support/pages.ts';
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
});
