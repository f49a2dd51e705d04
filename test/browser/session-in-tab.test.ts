import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { openTestApp } from '../support/app.ts';
import { makeInvitation, makeInvite } from '../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { focused, heading, keptSession, openPage, sendForm, storage } from '../support/pages.ts';
import { askSession, makeResetLink, outcome } from '../support/sign-in.ts';

const PASSWORD = 'a password of this test';
const NOTHING = { tab: {}, all: {} };
const service = await openTestApp();
const { app, database } = service;

describe('the session that a link started', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const join = (page: Page) => sendForm(page, { name: 'Noor Haddad', password: PASSWORD });

  /** A tab in which a new account has joined the Team. */
  async function joined(script = '') {
    const company = await service.company();
    const { token, invite } = await makeInvite(service, company);
    const { page, faults } = await openPage(browser, `${base}/join#token=${token}`, { script });
    await join(page);
    await heading(page, 'You have joined the Team');
    return { company, invite, page, faults };
  }

  const facts = (page: Page) => page.locator('dl').innerText();
  const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click();
  const signOutIn = (token: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/auth/logout',
      headers: { authorization: `Bearer ${token}` },
      payload: {},
    });

  test('every page in this tab shows the session with current data, and no other tab does', async () => {
    const { company, page, faults } = await joined();
    const before = await facts(page);
    const token = await keptSession(page);
    for (const path of ['/join', '/accept', '/reset']) {
      await page.goto(`${base}${path}`);
      await heading(page, 'You are signed in');
      assert.equal(await facts(page), before);
      assert.equal(await focused(page), 'heading');
      assert.equal(await keptSession(page), token);
      const other = await page.context().newPage();
      await other.goto(`${base}${path}`);
      await heading(other, 'The link is incomplete');
      assert.deepEqual(await storage(other), NOTHING);
      await other.close();
    }
    await database.query("update identity.team set state = 'archived' where id = $1", [company.teamId]);
    await page.reload();
    await page.getByText('Test Team: Team Member, member access, archived').waitFor();
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('"Sign out" ends the session on the service and in the tab', async () => {
    const { page, faults } = await joined();
    const token = await keptSession(page);
    let sent = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/v1/auth/logout')) sent += 1;
    });
    await page.getByRole('button', { name: 'Sign out' }).dblclick();
    await heading(page, 'You are signed out');
    assert.equal(sent, 1);
    assert.equal(await focused(page), 'heading');
    assert.equal(await page.locator('dl').count(), 0);
    assert.deepEqual(await storage(page), NOTHING);
    assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    await page.reload();
    await heading(page, 'The link is incomplete');
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('the session remains when "Sign out" does not reach the service, and can be ended again', async () => {
    const { page } = await joined();
    const token = await keptSession(page);
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await signOut(page);
    await page.getByRole('alert').filter({ hasText: 'You are still signed in' }).waitFor();
    assert.equal(await keptSession(page), token);
    await page.unroute('**/v1/auth/logout');
    await signOut(page);
    await heading(page, 'You are signed out');
    assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    await page.context().close();
  });

  test('a session that was ended elsewhere is forgotten by a reload and by "Sign out"', async () => {
    for (const [act, says] of [
      [(page: Page) => page.reload(), 'The link is incomplete'],
      [signOut, 'You are signed out'],
    ] as const) {
      const { page } = await joined();
      await signOutIn(await keptSession(page));
      await act(page);
      await heading(page, says);
      assert.deepEqual(await storage(page), NOTHING);
      await page.context().close();
    }
  });

  test('the session is kept while the service does not answer', async () => {
    const { page } = await joined();
    const token = await keptSession(page);
    for (const [answer, says] of [
      [null, 'did not answer'],
      [{ status: 503, json: { code: 'unavailable' } }, 'is busy'],
    ] as const) {
      await page.route('**/v1/auth/session', (route) => (answer ? route.fulfill(answer) : route.abort()));
      await page.reload();
      await heading(page, 'Your session cannot be shown now');
      assert.ok((await page.locator('#message').innerText()).includes(says));
      assert.equal(await keptSession(page), token);
      await page.unroute('**/v1/auth/session');
    }
    await page.reload();
    await heading(page, 'You are signed in');
    await page.context().close();
  });

  test('another link replaces the session, which is shown again when that link is invalid', async () => {
    const { page, company } = await joined();
    await page.goto(`${base}/join#token=of-no-worth`);
    await heading(page, 'This link is not valid');
    assert.equal(await page.locator('dl').count(), 0);
    await page.reload();
    await heading(page, 'You are signed in');
    const { token, invite } = await makeInvitation(company);
    await page.goto(`${base}/accept#token=${token}`);
    await join(page);
    await heading(page, 'You have accepted the invitation');
    const { user } = (await askSession(service, await keptSession(page))).json<SessionInfo>();
    assert.equal(user.email, invite.email);
    await page.context().close();
  });

  test('a link that is opened while the session is loading replaces it', async () => {
    const { page } = await joined();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/auth/session', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${base}/reset`);
    await heading(page, 'One moment');
    const owner = await service.company();
    const { url } = await makeResetLink(service, owner);
    await page.goto(url);
    await heading(page, 'Set your password');
    const answered = page.waitForResponse('**/v1/auth/session');
    held.resolve();
    await (await answered).finished();
    await page.getByLabel('New password').fill(PASSWORD);
    assert.equal(await page.locator('dl').count(), 0);
    await heading(page, 'Set your password');
    await sendForm(page, { password: PASSWORD });
    await heading(page, 'Your password is set');
    assert.ok((await facts(page)).includes(owner.ownerEmail));
    await page.context().close();
  });

  test('ending a session does not affect the session of the next link', async () => {
    const { page, company } = await joined();
    const first = await keptSession(page);
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/auth/logout', async (route) => {
      await held.promise;
      await route.continue();
    });
    await signOut(page);
    const { token, invite } = await makeInvite(service, company);
    await page.goto(`${base}/join#token=${token}`);
    await join(page);
    await heading(page, 'You have joined the Team');
    const second = await keptSession(page);
    const answered = page.waitForResponse('**/v1/auth/logout');
    held.resolve();
    await (await answered).finished();
    assert.ok((await facts(page)).includes(invite.email));
    await page.reload();
    await heading(page, 'You are signed in');
    assert.equal(await keptSession(page), second);
    assert.deepEqual(
      [await askSession(service, first), await askSession(service, second)].map(
        (answer) => answer.statusCode,
      ),
      [401, 200],
    );
    await page.context().close();
  });

  test('the session works until a reload in a browser that refuses storage', async () => {
    const { page, faults } = await joined(`
      Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('refused'); } })`);
    await signOut(page);
    await heading(page, 'You are signed out');
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});
