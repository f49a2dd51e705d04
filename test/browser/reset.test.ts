import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, type Page } from 'playwright-core';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp } from '../support/app.ts';
import { launchBrowser, withoutBrowser } from '../support/browser.ts';
import { makeResetLink, signInBy, useLink } from '../support/sign-in.ts';

const PASSWORD = 'a password of this test';
const service = await openTestApp();
const { app, database } = service;

describe('the reset page as it is sent', () => {
  const paths = ['/reset', '/reset/reset.js', '/reset/page.css'];

  test('page and assets are strict, never kept, and set no cookie', async () => {
    for (const path of paths) {
      const { statusCode, headers } = await app.inject(path);
      assert.equal(statusCode, 200, path);
      const policy = String(headers['content-security-policy']).split('; ');
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]) {
        assert.ok(policy.includes(rule), `${path}: ${rule}`);
      }
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['set-cookie'], undefined);
    }
  });

  test('each is sent as what it is, and nothing else of the folder is sent', async () => {
    const types = await Promise.all(
      paths.map(async (path) => (await app.inject(path)).headers['content-type']),
    );
    assert.match(String(types[0]), /^text\/html; charset=utf-8/);
    assert.match(String(types[1]), /javascript/);
    assert.match(String(types[2]), /^text\/css/);
    for (const path of [
      '/reset/reset.ts',
      '/reset/serve-page.ts',
      '/reset/..%2fapp.ts',
      '/reset.html',
      '/pages/reset.ts',
    ]) {
      assert.equal((await app.inject(path)).statusCode, 404, path);
    }
  });

  test('it holds no script or style of its own', async () => {
    const { body } = await app.inject('/reset');
    assert.doesNotMatch(body, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
  });
});

describe('the reset page in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  /** A page in a profile of its own, the size of a phone. What its console says against it is kept in `faults`. */
  async function open(url: string, colorScheme: 'light' | 'dark' = 'light') {
    const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 640 } });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource')) {
        faults.push(message.text());
      }
    });
    await page.goto(url);
    return { page, faults };
  }

  async function fill(page: Page, password: string, repeated = password) {
    await page.getByLabel('New password').fill(password);
    await page.getByLabel('The same password again').fill(repeated);
    await page.getByRole('button', { name: 'Set password' }).click();
  }

  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
  // Scripts for the page are texts: this program's own types know no document.
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.id');
  const kept = (page: Page) =>
    page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');

  test('a link to the real port sets the password and says who is signed in', async () => {
    const company = await service.company();
    const { url, token } = await makeResetLink(service, company);
    assert.ok(url.startsWith(`${base}/reset#`), url);
    const { page, faults } = await open(url);
    await heading(page, 'Set your password');
    assert.equal(page.url(), `${base}/reset`, 'the token left the address bar');
    assert.equal(await focused(page), 'password');
    await fill(page, PASSWORD);
    await heading(page, 'Your password is set');
    const text = await page.locator('main').innerText();
    assert.ok(text.includes(company.ownerEmail) && text.includes('Test Company'), text);
    assert.equal(await focused(page), 'heading');
    assert.equal(await kept(page), '[{},{}]', 'neither token is kept');
    assert.deepEqual(await page.context().cookies(), []);
    assert.ok(!(await page.content()).includes(token));
    assert.equal((await signInBy(service, company.ownerEmail, PASSWORD)).statusCode, 200);
    assert.deepEqual(faults, []);
    await page.reload();
    await heading(page, 'The link is incomplete');
    await page.context().close();
  });

  test('a reload keeps the link in this tab, and another tab does not have it', async () => {
    const { url } = await makeResetLink(service, await service.company());
    const { page } = await open(url);
    await page.reload();
    await heading(page, 'Set your password');
    const other = await page.context().newPage();
    await other.goto(`${base}/reset`);
    await heading(other, 'The link is incomplete');
    await fill(page, PASSWORD);
    await heading(page, 'Your password is set');
    await page.context().close();
  });

  test('a password that will not do is refused before it is sent, at the field it is about', async () => {
    const { url, token } = await makeResetLink(service, await service.company());
    const { page, faults } = await open(url);
    const alert = page.getByRole('alert');
    await fill(page, 'eleven char');
    assert.match(await alert.innerText(), /11 of at least 12/);
    assert.equal(await focused(page), 'password');
    assert.equal(await page.locator('#password').getAttribute('aria-invalid'), 'true');
    await fill(page, PASSWORD, `${PASSWORD}!`);
    assert.match(await alert.innerText(), /not the same/);
    assert.equal(await focused(page), 'repeated');
    assert.equal(await page.locator('#password').getAttribute('aria-invalid'), null);
    assert.equal((await useLink(service, token, PASSWORD)).statusCode, 200, 'the link is unused');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('it says in plain words what is wrong with a link', async () => {
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
    const { page, faults } = await open(`${base}/reset`);
    await heading(page, 'The link is incomplete');
    // In one tab: each further link changes only the fragment.
    for (const [url, title] of [
      [used.url, 'This link was used already'],
      [expired.url, 'This link has expired'],
      [revoked.url, 'This link was withdrawn'],
      [`${base}/reset#token=of-no-worth`, 'This link is not valid'],
    ] as const) {
      await page.goto(url);
      await fill(page, PASSWORD);
      await heading(page, title);
      assert.equal(await page.title(), title);
      assert.equal(await page.locator('form').isVisible(), false);
      assert.equal(await kept(page), '[{},{}]');
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('a name is shown as text, whatever is in it', async () => {
    const company = await service.company();
    const name = '<img src=x onerror="document.title=1">';
    await database.query('update identity.account set name = $2 where id = $1', [company.ownerId, name]);
    const { page } = await open((await makeResetLink(service, company)).url);
    await fill(page, PASSWORD);
    await heading(page, 'Your password is set');
    assert.ok((await page.locator('main').innerText()).includes(name));
    assert.equal(await page.locator('img').count(), 0);
    await page.context().close();
  });

  test('a service that does not answer leaves the form to be sent again', async () => {
    const { url } = await makeResetLink(service, await service.company());
    const { page } = await open(url);
    await page.route('**/v1/auth/reset', (route) => route.abort());
    await fill(page, PASSWORD);
    await page.getByText('did not answer').waitFor();
    await page.unroute('**/v1/auth/reset');
    await page.getByRole('button', { name: 'Set password' }).click();
    await heading(page, 'Your password is set');
    await page.context().close();
  });

  test('it fits a phone, shows the passwords on demand, and follows the colours of the device', async () => {
    const { url } = await makeResetLink(service, await service.company());
    const grounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(url, colorScheme);
      grounds.add(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
      assert.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
      await page.getByLabel('Show the passwords').check();
      assert.equal(await page.getByLabel('New password').getAttribute('type'), 'text');
      await page.context().close();
    }
    assert.equal(grounds.size, 2);
  });
});
