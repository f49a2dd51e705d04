import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { newId } from '../../shared/ids.ts';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import {
  accept,
  expireInvite,
  givePassword,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
} from '../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import {
  focused,
  heading,
  keptSession,
  openPage,
  problemAt,
  sendForm,
  storage,
  type Typed,
} from '../support/pages.ts';
import { addAccount, askSession, outcome, signInBy } from '../support/sign-in.ts';

const PASSWORD = 'a password of this test';
const service = await openTestApp();
const { app } = service;

/** The two pages that accept an invite, and how they differ. */
const PAGES = [
  {
    name: 'join',
    title: 'Join your Team',
    button: 'Join the Team',
    done: 'You have joined the Team',
    route: '**/v1/auth/join',
    shows: ['Company Member', 'Test Team: Team Member, member access'],
    roles: ['member', 'member'],
    invite: (company: SignedIn, email?: string) => makeInvite(service, company, email ? { email } : {}),
    acceptOnce: join,
  },
  {
    name: 'accept',
    title: 'Become a Company Admin',
    button: 'Accept the invitation',
    done: 'You have accepted the invitation',
    route: '**/v1/company/invitations/accept',
    shows: ['Company Admin', 'None is open to you yet'],
    roles: ['admin'],
    invite: (company: SignedIn, email?: string) => makeInvitation(company, email ? { email } : {}),
    acceptOnce: accept,
  },
] as const;

describe('the pages that accept an invite in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  /** The link, changed to the port of this test. */
  function here(url: string): string {
    const { pathname, hash } = new URL(url);
    return `${base}${pathname}${hash}`;
  }

  const fill = (page: Page, typed: Partial<Typed> = {}) =>
    sendForm(page, { name: 'Noor Haddad', password: PASSWORD, ...typed });

  const values = (page: Page) =>
    page.evaluate<string[]>(
      "['name', 'password', 'repeated'].map((id) => document.getElementById(id).value)",
    );

  for (const { name, title, button, done, route, shows, roles, invite, acceptOnce } of PAGES) {
    describe(`/${name}`, () => {
      test('leads from the link to a session of this tab that the service accepts', async () => {
        const { token, url, invite: made } = await invite(await service.company());
        const { page, faults } = await openPage(browser, here(url));
        await heading(page, title);
        assert.equal(page.url(), `${base}/${name}`, 'the token left the address bar');
        assert.equal(await page.title(), title);
        assert.equal(await focused(page), 'name');
        assert.equal(await page.locator('#submit').innerText(), button);
        for (const [field, completes] of [
          ['name', 'name'],
          ['password', 'new-password'],
          ['repeated', 'new-password'],
        ] as const) {
          assert.equal(await page.locator(`#${field}`).getAttribute('autocomplete'), completes);
        }
        await fill(page, { name: '  Noor Haddad ' });
        await heading(page, done);
        assert.equal(await page.title(), done);
        assert.equal(await focused(page), 'heading');
        const text = await page.locator('main').innerText();
        for (const part of ['Noor Haddad', made.email, 'Test Company', ...shows]) {
          assert.ok(text.includes(part), `${part}: ${text}`);
        }
        const answer = await askSession(service, await keptSession(page));
        const { user, company, teams } = answer.json<SessionInfo>();
        assert.deepEqual([user.name, user.email], ['Noor Haddad', made.email]);
        assert.deepEqual([company.role, ...teams.map(({ role }) => role)], roles);
        assert.ok(!(await page.content()).includes(token));
        assert.equal((await signInBy(service, made.email, PASSWORD)).statusCode, 200);
        assert.deepEqual(faults, []);
        await page.context().close();
      });

      test('asks for the current password of an existing account and accepts no other', async () => {
        const company = await service.company();
        const [userId, email] = [newId(), newEmail()];
        await addAccount(service, company, { userId, email, role: 'member' });
        await givePassword(service, userId, PASSWORD);
        const { page, faults } = await openPage(browser, here((await invite(company, email)).url));
        await heading(page, title);
        assert.equal(await focused(page), 'password');
        assert.deepEqual(
          await page.locator('input:visible').evaluateAll((inputs) => inputs.map(({ id }) => id)),
          ['password', 'shown'],
          'neither a name nor the password again',
        );
        assert.equal(await page.locator('#password').getAttribute('autocomplete'), 'current-password');
        assert.match(await page.locator('#about').innerText(), /has an account here/);
        const enter = async (password: string) => {
          await page.getByLabel('Password', { exact: true }).fill(password);
          await page.getByRole('button').click();
        };
        await enter('not its password');
        const problem = page.locator('#password-problem', { hasText: 'has an account already' });
        await problem.waitFor();
        assert.equal(await problem.getAttribute('role'), 'alert');
        assert.match(
          String(await problemAt(page, 'password')),
          /Enter the password you have; your name stays/,
        );
        assert.equal(await focused(page), 'password');
        assert.deepEqual(await values(page), ['', 'not its password', '']);
        await enter(PASSWORD);
        await heading(page, done);
        const { user } = (await askSession(service, await keptSession(page))).json<SessionInfo>();
        assert.deepEqual(user, { id: userId, email, name: 'Someone' });
        assert.match(await page.locator('main').innerText(), /Someone/);
        assert.deepEqual(faults, []);
        await page.context().close();
      });

      test('explains in plain words why a link cannot be used', async () => {
        const company = await service.company();
        const [used, expired, revoked] = [
          await invite(company),
          await invite(company),
          await invite(company),
        ];
        await acceptOnce(service, { token: used.token, password: PASSWORD });
        await expireInvite(service, expired.token);
        await invite(company, revoked.invite.email);
        const elsewhere = PAGES.find((other) => other.name !== name);
        const misled = await elsewhere?.invite(company);
        const { page, faults } = await openPage(browser, `${base}/${name}`);
        await heading(page, 'The link is incomplete');
        // In the same tab: each further link changes only the fragment.
        for (const [url, says] of [
          [here(used.url), 'This link has already been used'],
          [here(expired.url), 'This link has expired'],
          [here(revoked.url), 'This link has been revoked'],
          [`${base}/${name}#token=of-no-worth`, 'This link is not valid'],
          [`${base}/${name}#token=${misled?.token}`, 'This link is not valid'],
          [`${base}/${name}#token=${'long'.repeat(100)}`, 'This link is not valid'],
        ] as const) {
          await page.goto(url);
          await heading(page, says);
          assert.equal(await page.title(), says);
          assert.equal(await focused(page), 'heading');
          assert.equal(await page.locator('form').isVisible(), false);
          assert.match(await page.locator('#message').innerText(), /the person who invited you/);
          assert.deepEqual(await storage(page), { tab: {}, all: {} });
        }
        assert.deepEqual(faults, []);
        await page.context().close();
      });

      test('shows invalid input at its field before it is sent', async () => {
        const { url, token } = await invite(await service.company());
        const { page, faults } = await openPage(browser, here(url));
        let sent = 0;
        await page.route(route, (held) => {
          sent += 1;
          return held.continue();
        });
        for (const [wrong, field, says] of [
          [{ name: ' ' }, 'name', /Enter your name/],
          [{ name: '👩'.repeat(301) }, 'name', /longer than 300/],
          [{ password: '👩👩👩👩👩👩' }, 'password', /6 of at least 12/],
          [{ password: 'x'.repeat(257) }, 'password', /longer than 256/],
          [{ repeated: `${PASSWORD}!` }, 'repeated', /not the same/],
        ] as const) {
          await fill(page, wrong);
          assert.match(String(await problemAt(page, field)), says);
          assert.equal(await focused(page), field);
          assert.equal(await page.locator('[aria-invalid]').count(), 1);
          assert.equal(await page.locator('[role="alert"]:not(:empty)').count(), 1);
        }
        assert.equal(sent, 0);
        assert.equal(outcome(await acceptOnce(service, { token, password: PASSWORD })), '201');
        assert.deepEqual(faults, []);
        await page.context().close();
      });

      test('keeps the link of this tab through a reload, and other tabs do not have it', async () => {
        const { url, token } = await invite(await service.company());
        const { page } = await openPage(browser, here(url));
        await heading(page, title);
        await page.reload();
        await heading(page, title);
        assert.deepEqual(await storage(page), { tab: { [`${name}-token`]: token }, all: {} });
        const other = await page.context().newPage();
        await other.goto(`${base}/${name}`);
        await heading(other, 'The link is incomplete');
        await fill(page);
        await heading(page, done);
        await page.context().close();
      });
    });
  }
});
