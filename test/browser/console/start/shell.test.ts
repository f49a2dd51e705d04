import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../../support/app.ts';
import { givePassword, PASSWORD } from '../../../support/invites.ts';
import { focused, heading, openPage, problemAt, storage, title } from '../../../support/pages.ts';
import { askSession } from '../../../support/sign-in.ts';
import { addPerson, addTeam, type Ties } from '../../../support/team.ts';
import { openBrowser } from '../../open-browser.ts';
import { openConsole } from '../console-tab.ts';

const UNKNOWN = 'There is no such Team, or you do not have access to it. Choose another.';
const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

/** Who sees a page, as the guide says it, and whether that holds for a person. */
type SeenBy = 'everyone' | 'Full access' | 'Company Owner and Admin';

/** People with their ties, who of the guide they are, and the parts of the page at `/` that they see. */
const PEOPLE: readonly { who: string; ties: Ties | 'owner'; is: SeenBy[]; parts: string[] }[] = [
  {
    who: 'the Owner of the Company',
    ties: 'owner',
    is: ['everyone', 'Full access', 'Company Owner and Admin'],
    parts: ['First steps', 'Pages', 'In a terminal'],
  },
  {
    who: 'an Admin of the Company with a grant of Full access',
    ties: { companyRole: 'admin', companyGrant: 'full' },
    is: ['everyone', 'Full access', 'Company Owner and Admin'],
    parts: ['Pages', 'In a terminal'],
  },
  {
    who: 'an Admin of the Company with a grant to read',
    ties: { companyRole: 'admin', companyGrant: 'read' },
    is: ['everyone', 'Company Owner and Admin'],
    parts: ['Pages', 'In a terminal'],
  },
  {
    who: 'an Admin of the Team',
    ties: { teamRole: 'admin' },
    is: ['everyone', 'Full access'],
    parts: ['Pages', 'In a terminal'],
  },
  {
    who: 'a member of the Team',
    ties: { teamRole: 'member' },
    is: ['everyone'],
    parts: ['Pages', 'In a terminal'],
  },
];

/** The pages with who sees them, as the guide lists them. */
function pagesInGuide(): { name: string; address: string; seenBy: SeenBy }[] {
  const guide = readFileSync(new URL('../../../../docs/guide/console.md', import.meta.url), 'utf8');
  return [
    ...guide.matchAll(/^\| (\w+) \| `(\/\w*)`.*?\| \[?(everyone|Full access|Company Owner and Admin)\b/gm),
  ].map(([, name, address, seenBy]) => ({ name: name!, address: address!, seenBy: seenBy as SeenBy }));
}

describe('the shell of the console', { skip }, () => {
  /** A tab in which someone is signed in already, on a wide screen: on a narrow one, the navigation is a menu. */
  async function open(path: string, token: string) {
    const opened = await openConsole(browser, `${base}${path}`, token);
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    return opened;
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click();
  const text = (page: Page) => page.evaluate<string>('document.documentElement.outerHTML + document.title');

  test('each user sees the pages that the guide names for them, and no request of a page is refused', async () => {
    const pages = pagesInGuide();
    assert.ok(pages.length > 10);
    for (const { who, ties, is, parts } of PEOPLE) {
      const company = await service.company();
      const { token } = ties === 'owner' ? company : await addPerson(service, company, ties);
      const { page, refused } = await open('/', token);
      await heading(page, 'In a terminal');
      const seen = pages.filter(({ seenBy }) => is.includes(seenBy));
      const links = page.getByRole('navigation').getByRole('link');
      assert.deepEqual(
        await links.allInnerTexts(),
        seen.map(({ name }) => name),
        who,
      );
      assert.deepEqual(await page.getByRole('heading', { level: 2 }).allInnerTexts(), parts, who);
      for (const { name, address } of seen) {
        await links.getByText(name, { exact: true }).click();
        await page.waitForLoadState('networkidle');
        assert.equal(new URL(page.url()).pathname, address);
        assert.equal(await page.getByText('This page is not open to you').count(), 0, `${who}: ${name}`);
      }
      assert.deepEqual(refused, [], who);
      for (const { name, address } of pages.filter((other) => !seen.includes(other))) {
        await page.goto(`${base}${address}`);
        await page.getByText('This page is not open to you').waitFor();
        assert.deepEqual(refused, [], `${who}: ${name}`);
      }
    }
  });

  test('a failed sign-in shows the reason at the field concerned', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const { page } = await openPage(browser, base);
    const submit = () => page.getByRole('button', { name: 'Sign in' }).click();
    await submit();
    assert.equal(await problemAt(page, 'email'), 'Enter your email.');
    await page.getByLabel('Email').fill(company.ownerEmail);
    await submit();
    assert.equal(await problemAt(page, 'password'), 'Enter your password.');
    assert.equal(await focused(page), 'password');
    await page.getByLabel('Password').fill('not the password');
    for (let failures = 1; failures <= 10; failures += 1) {
      await submit();
      await page.locator('#sign-in:not([aria-busy])').waitFor();
      assert.match(String(await problemAt(page, 'password')), /^The email or the password is wrong\./);
    }
    await submit();
    await page.locator('#sign-in-problem', { hasText: 'tried too often. Try again in 15 minutes' }).waitFor();
    for (const [answer, says] of [
      [null, 'did not answer'],
      [{ status: 503, json: { code: 'unavailable' } }, 'is busy'],
    ] as const) {
      await page.route('**/v1/auth/login', (route) => (answer ? route.fulfill(answer) : route.abort()));
      await submit();
      await page.locator('#sign-in-problem', { hasText: says }).waitFor();
      await page.unroute('**/v1/auth/login');
    }
  });

  test('a link opens what it names after the sign-in, in a new tab too', async () => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    const other = await addTeam(service, company);
    const url = `${base}/jobs?team=${other}`;
    const { page, faults } = await openPage(browser, url);
    await heading(page, 'Sign in');
    assert.equal(await page.title(), 'Sign in · Jobs');
    assert.equal(await focused(page), 'email');
    await signIn(page, company.ownerEmail);
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
    const { page } = await open(`/?team=${company.teamId}`, company.token);
    const team = page.getByLabel('Team', { exact: true });
    await heading(page, 'In a terminal');
    await page.getByRole('navigation').getByRole('link', { name: 'Jobs' }).click();
    await page.locator('#updated[datetime]').waitFor();
    assert.equal(await focused(page), 'page-heading');
    await team.selectOption(other);
    await title(page, 'Jobs · Another Team');
    await page.goBack();
    await title(page, 'Jobs · Test Team');
    assert.equal(await team.inputValue(), company.teamId);
    await page.goBack();
    await heading(page, 'In a terminal');
    assert.equal(await page.getByRole('navigation').locator('[aria-current]').innerText(), 'Home');
    await page.goForward();
    await page.locator('#updated[datetime]').waitFor();
  });

  test('signing out empties the document, and going back shows the form', async () => {
    const company = await service.company();
    const { page, faults } = await open('/', company.token);
    await heading(page, 'In a terminal');
    await page.getByRole('navigation').getByRole('link', { name: 'Jobs' }).click();
    await page.locator('#updated[datetime]').waitFor();
    await signOut(page);
    await page.getByText('You are signed out.').waitFor();
    await page.goBack();
    await heading(page, 'Sign in');
    for (const shown of ['Test Team', 'Test Company', company.token, 'Figures of']) {
      assert.ok(!(await text(page)).includes(shown), shown);
    }
    assert.equal(await page.title(), 'Sign in · Home');
    assert.equal((await storage(page)).tab['session-token'], undefined);
    assert.equal((await askSession(service, company.token)).statusCode, 401);
    assert.deepEqual(faults, []);
  });

  test('signing out empties the document without an answer too, and the session can be ended later', async () => {
    const company = await service.company();
    const { page } = await open('/', company.token);
    await heading(page, 'In a terminal');
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await signOut(page);
    await heading(page, 'The session is not ended');
    await page.getByText('the session is still open on the service. The service did not answer.').waitFor();
    assert.ok(!(await text(page)).includes('Test Team'));
    assert.equal((await storage(page)).tab['session-token'], undefined);
    await page.unroute('**/v1/auth/logout');
    await page.getByRole('button', { name: 'End the session' }).click();
    await page.getByText('You are signed out.').waitFor();
    assert.equal((await askSession(service, company.token)).statusCode, 401);
  });

  test('a session that has ended in between leads from the page at / to the form', async () => {
    const company = await service.company();
    const { page } = await open(`/search?team=${company.teamId}`, company.token);
    await page.waitForLoadState('networkidle');
    await company.ask.logout({});
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.getByText('Your session has ended. Sign in again to go on.').waitFor();
  });

  test('a Team that is out of reach reads as one that does not exist, and the page links on', async () => {
    const company = await service.company();
    const foreign = await service.company();
    const asked: string[] = [];
    for (const id of [foreign.teamId, '00000000-0000-7000-8000-000000000000', 'x']) {
      for (const path of ['/', '/jobs']) {
        const { page } = await open(`${path}?team=${id}`, company.token);
        page.on('request', (request) => asked.push(request.url()));
        await page.getByText(UNKNOWN).waitFor();
        await page.getByRole('main').getByRole('link', { name: 'Test Team' }).click();
        await title(page, 'Test Team');
        assert.equal(new URL(page.url()).pathname, path);
        assert.ok(asked.every((url) => !url.includes('/v1/') || !url.includes(id === 'x' ? 'team=x' : id)));
      }
    }
  });

  test('the page shows that the session cannot be read, and tries again', async () => {
    const { token } = await service.company();
    const { page } = await openPage(browser, `${base}/livez`);
    await page.evaluate(`sessionStorage.setItem('session-token', ${JSON.stringify(token)})`);
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
    await heading(page, 'In a terminal');
    /** Presses a key until the focus is there. */
    const reach = async (place: string, key: string) => {
      let at = '';
      for (let n = 0; n < 30 && at !== place; n += 1) {
        await keyboard.press(key);
        at = (await focused(page)).trim();
      }
      assert.equal(at, place);
    };
    await reach('sign-out', 'Shift+Tab');
    await reach('Menu', 'Tab');
    await keyboard.press('Enter');
    await reach('Search', 'Tab');
    await keyboard.press('Escape');
    assert.equal(await page.getByRole('navigation').getByRole('link').count(), 0);
    assert.equal((await focused(page)).trim(), 'Menu');
    await keyboard.press('Enter');
    await reach('Jobs', 'Tab');
    await keyboard.press('Enter');
    await page.locator('#updated[datetime]').waitFor();
    assert.equal(await focused(page), 'page-heading');
    assert.equal(await page.getByRole('navigation').getByRole('link').count(), 0);
    // The link to this page leads nowhere else, so the menu has the focus again.
    await reach('Menu', 'Shift+Tab');
    await keyboard.press('Enter');
    await reach('Jobs', 'Tab');
    await keyboard.press('Enter');
    assert.equal((await focused(page)).trim(), 'Menu');
    await reach('sign-out', 'Shift+Tab');
    await keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
    assert.equal(await focused(page), 'email');
  });
});
