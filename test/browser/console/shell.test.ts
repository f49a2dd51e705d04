import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { givePassword, newEmail, PASSWORD } from '../../support/invites.ts';
import { focused, heading, openPage, problemAt, storage, title } from '../../support/pages.ts';
import { askSession } from '../../support/sign-in.ts';
import { addPerson, addTeam, type Ties } from '../../support/team.ts';
import { contents, follow, press, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip, at, open: openTab } = await serveConsole(service);

/** Who sees a page, as the guide says it. */
type SeenBy = 'everyone' | 'Full access' | 'Company Owner and Admin';

/** People with their ties, and who of the guide they are. */
const PEOPLE: readonly { who: string; ties: Ties | 'owner'; is: SeenBy[] }[] = [
  { who: 'Owner of the Company', ties: 'owner', is: ['everyone', 'Full access', 'Company Owner and Admin'] },
  {
    who: 'Admin of the Company with a grant to read',
    ties: { companyRole: 'admin', companyGrant: 'read' },
    is: ['everyone', 'Company Owner and Admin'],
  },
  { who: 'Admin of the Team', ties: { teamRole: 'admin' }, is: ['everyone', 'Full access'] },
  { who: 'member of the Team', ties: { teamRole: 'member' }, is: ['everyone'] },
];

/** The pages with who sees them, as the guide lists them. */
function pagesInGuide(): { name: string; address: string; seenBy: SeenBy }[] {
  const guide = readFileSync(new URL('../../../docs/guide/console.md', import.meta.url), 'utf8');
  return [
    ...guide.matchAll(/^\| (\w+) \| `(\/\w*)`.*?\| \[?(everyone|Full access|Company Owner and Admin)\b/gm),
  ].map(([, name, address, seenBy]) => ({ name: name!, address: address!, seenBy: seenBy as SeenBy }));
}

describe('the shell of the console', { skip }, () => {
  /** On a wide screen: on a narrow one, the navigation is a menu. */
  async function open(company: { token: string; teamId: string }, path: string) {
    const opened = await openTab(company, path);
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    return opened;
  }
  const links = (page: Page) => page.getByRole('navigation').getByRole('link');

  test('each user sees the pages that the guide names for them, and no request of a page is refused', async () => {
    const pages = pagesInGuide();
    assert.ok(pages.length > 10);
    for (const { who, ties, is } of PEOPLE) {
      const company = await service.company();
      const { token } = ties === 'owner' ? company : await addPerson(service, company, ties);
      const { page, refused } = await open({ token, teamId: company.teamId }, '/');
      await heading(page, 'In a terminal');
      const seen = pages.filter(({ seenBy }) => is.includes(seenBy));
      assert.deepEqual(
        await links(page).allInnerTexts(),
        seen.map(({ name }) => name),
        who,
      );
      for (const { name, address } of seen) {
        await links(page).getByText(name, { exact: true }).click();
        await page.waitForLoadState('networkidle');
        assert.equal(new URL(page.url()).pathname, address);
        assert.equal(await page.getByText('This page is not open to you').count(), 0, `${who}: ${name}`);
      }
      for (const { address } of pages.filter((other) => !seen.includes(other))) {
        await page.goto(`${base}${address}`);
        await page.getByText('This page is not open to you').waitFor();
      }
      assert.deepEqual(refused, [], who);
    }
  });

  test('an Owner sees the first steps, each of which is ticked off when it is done', async () => {
    const company = await service.company();
    const { page, refused } = await open(company, '/');
    await title(page, '3 to do · Home · Test Team');
    await company.api.createInvite({ email: newEmail(), role: 'member' });
    await page.reload();
    await title(page, '2 to do');
    const done = await page.locator('.steps li[data-done] h3').allInnerTexts();
    assert.deepEqual([done, refused], [['Make a Team Done', 'Invite people Done'], []]);
  });

  test('the line that installs the terminal client has its SHA-256, or https first', async () => {
    const company = await service.company();
    for (const [digest, isSecure, says] of [
      ['5'.repeat(64), true, /npm install -g http:[^]*5{64}/],
      ['5'.repeat(64), false, /at an address with https[^]*npm install -g/],
      [null, true, /npm run build/],
    ] as const) {
      const { page } = await open(company, '/livez');
      const body = `export const CLIENT_SHA256 = ${JSON.stringify(digest)};`;
      await page.route('**/assets/console/client-package.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body }),
      );
      // Tests use a loopback address, which is always secure.
      await page.addInitScript(`Object.defineProperty(window, 'isSecureContext', { value: ${isSecure} })`);
      await page.goto(base);
      await heading(page, 'In a terminal');
      assert.match(await page.getByRole('main').innerText(), says);
    }
  });

  test('a failed sign-in shows the reason at the field concerned', async () => {
    const { ownerEmail } = await service.company();
    const { page } = await openPage(browser, base);
    await press(page, 'Sign in');
    assert.equal(await problemAt(page, 'email'), 'Enter your email.');
    await page.getByLabel('Email').fill(ownerEmail);
    await page.getByLabel('Password').fill('not the password');
    await press(page, 'Sign in');
    await page.locator('#password-problem', { hasText: 'The email or the password is wrong.' }).waitFor();
    assert.equal(await focused(page), 'password');
    for (const [answer, says] of [
      [{ status: 429, headers: { 'retry-after': '900' }, json: { code: 'rate_limited' } }, 'tried too often'],
      [{ status: 503, json: { code: 'unavailable' } }, 'is busy'],
    ] as const) {
      await page.route('**/v1/auth/login', (route) => route.fulfill(answer));
      await press(page, 'Sign in');
      await page.locator('#sign-in-problem', { hasText: says }).waitFor();
      await page.unroute('**/v1/auth/login');
    }
  });

  test('a link opens what it names after the sign-in, in a new tab too', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const url = at('/jobs', await addTeam(service, company));
    const { page, faults } = await openPage(browser, url);
    await heading(page, 'Sign in');
    assert.equal(await page.title(), 'Sign in · Jobs');
    await page.getByLabel('Email').fill(company.ownerEmail);
    await page.getByLabel('Password').fill(PASSWORD);
    await press(page, 'Sign in');
    await title(page, ' · Jobs · Another Team');
    assert.equal(page.url(), url);
    const tab = await page.context().newPage();
    await tab.goto(url);
    await heading(tab, 'Sign in');
    assert.deepEqual(faults, []);
  });

  test('going back and forward shows the pages again, with the Team of their address', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    const { page } = await open(company, '/');
    const team = page.getByLabel('Team', { exact: true });
    await links(page).getByText('Jobs').click();
    await page.locator('#updated[datetime]').waitFor();
    assert.equal(await focused(page), 'page-heading');
    await team.selectOption(other);
    await title(page, 'Jobs · Another Team');
    await page.goBack();
    await title(page, 'Jobs · Test Team');
    assert.equal(await team.inputValue(), company.teamId);
    await page.goBack();
    await heading(page, 'In a terminal');
    await page.goForward();
    await page.locator('#updated[datetime]').waitFor();
  });

  test('signing out empties the document, and going back shows the form', async () => {
    const company = await service.company();
    const { page } = await open(company, '/');
    await links(page).getByText('Jobs').click();
    await page.locator('#updated[datetime]').waitFor();
    await press(page, 'Sign out');
    await page.getByText('You are signed out.').waitFor();
    await page.goBack();
    await heading(page, 'Sign in');
    const left = await contents(page);
    for (const shown of ['Test Team', 'Test Company', company.token, 'Figures of']) {
      assert.ok(!left.includes(shown), shown);
    }
    assert.equal((await storage(page)).tab['session-token'], undefined);
    assert.equal((await askSession(service, company.token)).statusCode, 401);
  });

  test('signing out empties the document without an answer too, and the session can be ended later', async () => {
    const company = await service.company();
    const { page } = await open(company, '/');
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await press(page, 'Sign out');
    await heading(page, 'The session is not ended');
    assert.ok(!(await contents(page)).includes('Test Team'));
    assert.equal((await storage(page)).tab['session-token'], undefined);
    await page.unroute('**/v1/auth/logout');
    await press(page, 'End the session');
    await page.getByText('You are signed out.').waitFor();
    assert.equal((await askSession(service, company.token)).statusCode, 401);
  });

  test('a session that has ended in between leads to the form', async () => {
    const company = await service.company();
    const { page } = await open(company, '/search');
    await page.waitForLoadState('networkidle');
    await company.ask.logout({});
    await links(page).getByText('Home').click();
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor();
  });

  test('a Team that is out of reach reads as one that does not exist, and the page links on', async () => {
    const company = await service.company();
    const foreign = await service.company();
    for (const teamId of [foreign.teamId, '00000000-0000-7000-8000-000000000000', 'x']) {
      const { page, refused } = await open({ ...company, teamId }, '/jobs');
      await page
        .getByText('There is no such Team, or you do not have access to it. Choose another.')
        .waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Test Team' }).click();
      await title(page, 'Jobs · Test Team');
      assert.deepEqual(refused, [], 'nothing was asked about the other');
    }
  });

  test('an address without a page shows the navigation, and leads home', async () => {
    const company = await service.company();
    for (const path of ['/somewhere', '/sources/1/2/3']) {
      const { page } = await open(company, path);
      await heading(page, 'Page not found');
      await follow(page, 'go to the home page');
      await heading(page, 'In a terminal');
    }
  });

  test('the page shows that the session cannot be read, and tries again', async () => {
    const { page } = await open(await service.company(), '/livez');
    await page.route('**/v1/auth/session', (route) => route.abort());
    await page.goto(base);
    await heading(page, 'Your session cannot be shown now');
    await page.unroute('**/v1/auth/session');
    await heading(page, 'In a terminal');
  });

  test('the keyboard is sufficient to sign in, to go to a page and to sign out', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const { page } = await openPage(browser, base);
    const { keyboard } = page;
    await page.locator('#email:focus').waitFor();
    await keyboard.type(company.ownerEmail);
    await keyboard.press('Tab');
    await keyboard.type(PASSWORD);
    await keyboard.press('Enter');
    await page.locator('#page-heading:focus').waitFor();
    /** Presses a key until the focus is there. */
    const reach = async (place: string, key: string) => {
      let there = '';
      for (let n = 0; n < 30 && there !== place; n += 1) {
        await keyboard.press(key);
        there = (await focused(page)).trim();
      }
      assert.equal(there, place);
    };
    await reach('Menu', 'Shift+Tab');
    await keyboard.press('Enter');
    await reach('Search', 'Tab');
    await keyboard.press('Escape');
    assert.equal((await focused(page)).trim(), 'Menu');
    await keyboard.press('Enter');
    await reach('Jobs', 'Tab');
    await keyboard.press('Enter');
    await page.locator('#updated[datetime]').waitFor();
    assert.equal(await focused(page), 'page-heading');
    assert.equal(await links(page).count(), 0);
    await reach('sign-out', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
    assert.equal(await focused(page), 'email');
  });
});
