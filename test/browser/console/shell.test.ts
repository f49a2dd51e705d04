import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { givePassword } from '../../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { focused, heading, openPage, storage, title } from '../../support/pages.ts';
import { askSession } from '../../support/sign-in.ts';
import { addPerson, addTeam, type Ties } from '../../support/team.ts';

const PASSWORD = 'a password of this test';
const UNKNOWN = 'There is no such Team, or you do not have access to it. Choose another.';
const service = await openTestApp();

/** What each user sees in the navigation, and which parts of the page at `/`. */
const SEEN: readonly { who: string; ties: Ties | 'owner'; sections: string[]; parts: string[] }[] = [
  {
    who: 'the Owner of the Company',
    ties: 'owner',
    sections: ['Home', 'Jobs'],
    parts: ['First steps', 'Pages', 'In a terminal'],
  },
  {
    who: 'an Admin of the Company with a grant to read',
    ties: { companyRole: 'admin', companyGrant: 'read' },
    sections: ['Home', 'Jobs'],
    parts: ['Pages', 'In a terminal'],
  },
  {
    who: 'an Admin of the Team',
    ties: { teamRole: 'admin' },
    sections: ['Home', 'Jobs'],
    parts: ['Pages', 'In a terminal'],
  },
  {
    who: 'a member of the Team',
    ties: { teamRole: 'member' },
    sections: ['Home', 'Jobs'],
    parts: ['Pages', 'In a terminal'],
  },
];

describe('the shell of the console', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  /** A tab in which someone is signed in already. */
  async function open(path: string, token: string) {
    const script = `sessionStorage.setItem('session-token', ${JSON.stringify(token)})`;
    return openPage(browser, `${base}${path}`, { script: `if (sessionStorage.length === 0) ${script}` });
  }

  async function signIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  const signOut = (page: Page) => page.getByRole('button', { name: 'Sign out' }).click();
  const text = (page: Page) => page.evaluate<string>('document.documentElement.outerHTML + document.title');

  test('each user sees the sections that they can read, and no request is refused', async () => {
    for (const { who, ties, sections, parts } of SEEN) {
      const company = await service.company();
      const { token } = ties === 'owner' ? company : await addPerson(service, company, ties);
      const { page } = await open('/', token);
      const refused: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`);
      });
      await heading(page, 'In a terminal');
      assert.deepEqual(await page.getByRole('navigation').getByRole('link').allInnerTexts(), sections, who);
      assert.deepEqual(await page.getByRole('heading', { level: 2 }).allInnerTexts(), parts, who);
      await page.reload({ waitUntil: 'networkidle' });
      assert.deepEqual(refused, [], who);
      await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
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
    await page.context().close();
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
        await page.context().close();
      }
    }
  });

  test('an Owner without a Team is told how to make one, and others whom to ask', async () => {
    const company = await service.company();
    await service.database.query(
      `update identity.team set state = 'archived', deleted_at = now() where company_id = $1`,
      [company.companyId],
    );
    const admin = await addPerson(service, company, { companyRole: 'admin' });
    for (const [token, advice] of [
      [company.token, 'The Company has no Team yet. Make one'],
      [admin.token, 'An Owner of the Company can open one to you.'],
    ] as const) {
      const { page, faults } = await open('/', token);
      await page.getByText(advice).waitFor();
      assert.deepEqual(faults, []);
      await page.context().close();
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
    await page.context().close();
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
    for (const place of ['Jobs', 'Home', 'sign-out']) {
      await keyboard.press('Shift+Tab');
      assert.equal((await focused(page)).trim(), place);
    }
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.locator('#updated[datetime]').waitFor();
    assert.equal(await focused(page), 'page-heading');
    for (let n = 0; n < 3; n += 1) await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
    assert.equal(await focused(page), 'email');
    await page.context().close();
  });
});
