import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openTestApp } from '../support/app.ts';
import { openDashboard } from '../support/dashboard.ts';
import { givePassword } from '../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { focused, heading, openPage, problemAt, storage } from '../support/pages.ts';
import { askSession } from '../support/sign-in.ts';
import { addPerson, addTeam, archiveTeam } from '../support/team.ts';

const PASSWORD = 'a password of this test';
const service = await openTestApp();
const { app, database } = service;

/** The page and everything that it and its scripts load, by path. */
async function filesOfDashboard(): Promise<Map<string, Awaited<ReturnType<typeof app.inject>>>> {
  const files = new Map<string, Awaited<ReturnType<typeof app.inject>>>();
  const open = ['/dashboard'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    const answer = await app.inject(path);
    files.set(path, answer);
    for (const [, to = ''] of answer.body.matchAll(
      /(?:src=|href=|from ?|import\()["']((?:\.{1,2}|assets)\/[^"']+\.(?:js|css))["']/g,
    )) {
      open.push(new URL(to, `http://service${path}`).pathname);
    }
  }
  return files;
}

test('/dashboard and its assets have strict headers, are not cached and set no cookie', async () => {
  const files = await filesOfDashboard();
  assert.ok(files.size >= 20, [...files.keys()].join());
  for (const [path, { statusCode, headers, body }] of files) {
    assert.equal(statusCode, 200, path);
    const policy = String(headers['content-security-policy']).split('; ');
    for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]) {
      assert.ok(policy.includes(rule), `${path}: ${rule}`);
    }
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
    assert.equal(headers['cache-control'], 'no-store', path);
    assert.equal(headers['set-cookie'], undefined, path);
    const type = path.endsWith('.js') ? /javascript/ : path.endsWith('.css') ? /^text\/css/ : /^text\/html/;
    assert.match(String(headers['content-type']), type, path);
    if (!path.startsWith('/assets/'))
      assert.doesNotMatch(body, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
  }
  for (const path of [
    '/dashboard/',
    '/jobs/',
    '/assets/',
    '/assets/console/console.html',
    '/assets/tsconfig.json',
  ]) {
    assert.equal((await app.inject(path)).statusCode, 404, path);
  }
});

describe('the session of the dashboard', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const submit = (page: Page) => page.getByRole('button', { name: 'Sign in' }).click();
  const teamShown = (page: Page) => page.getByLabel('Team', { exact: true }).inputValue();
  const figures = (page: Page) => page.locator('#updated[datetime]').waitFor();

  test('a sign-in lasts through a reload, and signing out ends the session on the service', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const { page, faults } = await openPage(browser, `${base}/dashboard`);
    await page.getByLabel('Email').fill(` ${company.ownerEmail.toUpperCase()} `);
    await page.getByLabel('Password').fill(PASSWORD);
    await submit(page);
    await figures(page);
    assert.equal(await focused(page), 'page-heading');
    assert.equal(await teamShown(page), company.teamId, 'the only Team is shown at once');
    assert.ok(page.url().endsWith(`?team=${company.teamId}`));
    const { tab, all } = await storage(page);
    assert.deepEqual([Object.keys(tab).sort(), all], [['session-token', 'team'], {}]);
    assert.ok(!(await page.content()).includes(tab['session-token']!));
    await page.reload();
    await figures(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    assert.equal((await askSession(service, tab['session-token']!)).statusCode, 401);
    assert.equal((await storage(page)).tab['session-token'], undefined);
    assert.equal(await page.locator('#board').isVisible(), false);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('a failed sign-in shows the reason at the field concerned', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const { page } = await openPage(browser, `${base}/dashboard`);
    await submit(page);
    assert.equal(await problemAt(page, 'email'), 'Enter your email.');
    await page.getByLabel('Email').fill(company.ownerEmail);
    await submit(page);
    assert.equal(await problemAt(page, 'password'), 'Enter your password.');
    assert.equal(await focused(page), 'password');
    await page.getByLabel('Password').fill('not the password');
    for (let failures = 1; failures <= 10; failures += 1) {
      await submit(page);
      await page.locator('#sign-in:not([aria-busy])').waitFor();
      assert.match(String(await problemAt(page, 'password')), /^The email or the password is wrong\./);
    }
    await submit(page);
    await page.locator('#sign-in-problem', { hasText: 'tried too often. Try again in 15 minutes' }).waitFor();
    for (const [answer, says] of [
      [null, 'did not answer'],
      [{ status: 503, json: { code: 'unavailable' } }, 'is busy'],
    ] as const) {
      await page.route('**/v1/auth/login', (route) => (answer ? route.fulfill(answer) : route.abort()));
      await submit(page);
      await page.locator('#sign-in-problem', { hasText: says }).waitFor();
      await page.unroute('**/v1/auth/login');
    }
    await page.context().close();
  });

  test('the chosen Team is kept through a reload and can be chosen by the address', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    await archiveTeam(service, other);
    const { page } = await openDashboard(browser, base, company.token);
    await page.getByText('Choose a Team to see how it is.').waitFor();
    assert.equal(await page.locator('#figures').isVisible(), false);
    await page.getByLabel('Team', { exact: true }).selectOption(company.teamId);
    await figures(page);
    assert.equal(await page.locator('#archived').isVisible(), false);
    await page.reload();
    await figures(page);
    assert.equal(await teamShown(page), company.teamId);
    await page.goto(`${base}/dashboard?team=${other}`);
    await page.getByText('This Team is archived').waitFor();
    await figures(page);
    assert.equal(await teamShown(page), other);
    await page.goto(`${base}/dashboard`);
    await figures(page);
    assert.equal(await teamShown(page), other, 'the tab remembers it too');
    // From another page, so that the dashboard is loaded with both a remembered Team and one in its address.
    await page.goto('about:blank');
    await page.goto(`${base}/dashboard?team=${company.teamId}`);
    await figures(page);
    assert.equal(await teamShown(page), company.teamId, 'the address counts more');
    await page.context().close();
  });

  test('the page says when the user has no Team, loses access to a Team or loses the session', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const { page } = await openDashboard(browser, base, person.token);
    await figures(page);
    await database.query('delete from identity.team_member where user_id = $1', [person.userId]);
    await page.getByText('You no longer have access to this Team.').waitFor();
    assert.equal(await focused(page), 'team');
    await page.reload();
    await page.getByText('No Team is open to you yet.').waitFor();
    await database.query(
      `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'member')`,
      [company.companyId, company.teamId, person.userId],
    );
    await page.reload();
    await figures(page);
    await database.query('delete from identity.session where user_id = $1', [person.userId]);
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor();
    await heading(page, 'Sign in');
    assert.equal(await focused(page), 'email');
    assert.equal((await storage(page)).tab['session-token'], undefined);
    await page.context().close();
  });

  test('the dashboard works without browser storage until a reload', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const { page, faults } = await openPage(browser, `${base}/dashboard`, {
      script: `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('refused'); } })`,
    });
    await page.getByLabel('Email').fill(company.ownerEmail);
    await page.getByLabel('Password').fill(PASSWORD);
    await submit(page);
    await figures(page);
    assert.deepEqual(faults, []);
    await page.context().close();
  });
});
