import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../support/app.ts';
import { makeInvite, PASSWORD } from '../support/invites.ts';
import { focused, heading, keptSession, openPage, sendForm, storage } from '../support/pages.ts';
import { askSession, outcome } from '../support/sign-in.ts';
import { openBrowser } from './open-browser.ts';

const NOTHING = { tab: {}, all: {} };
const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;

describe('the session that a link started', { skip }, () => {
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
  });

  test('the session works until a reload in a browser that refuses storage', async () => {
    const { page, faults } = await joined(`
      Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('refused'); } })`);
    await signOut(page);
    await heading(page, 'You are signed out');
    assert.deepEqual(faults, []);
  });
});
