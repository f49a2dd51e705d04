import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { newId } from '../../shared/ids.ts';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { openTestApp } from '../support/app.ts';
import { givePassword, newEmail, PASSWORD } from '../support/invites.ts';
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
import { addAccount, askSession, signInBy } from '../support/sign-in.ts';
import { linkPages } from './links.ts';
import { openBrowser } from './open-browser.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const PAGES = linkPages(service);

for (const {
  name,
  title,
  button,
  done,
  asks,
  says,
  names,
  shows,
  roles,
  advises,
  make,
  use,
  expire,
} of PAGES) {
  const at = (token: string) => `${base}/${name}#token=${token}`;
  const fill = (page: Page, typed: Partial<Typed> = {}) =>
    sendForm(page, { name: asks, password: PASSWORD, ...typed });

  describe(`the page /${name} in a browser`, { skip }, () => {
    test('leads from the link to a session of this tab that the service accepts, and to the console', async () => {
      const { token, url, email } = await make(await service.company());
      assert.equal(new URL(url).pathname + new URL(url).hash, `/${name}#token=${token}`);
      const { page, faults } = await openPage(browser, at(token));
      await heading(page, title);
      assert.equal(page.url(), `${base}/${name}`, 'the token left the address bar');
      assert.equal(await page.title(), title);
      assert.equal(await focused(page), asks === undefined ? 'password' : 'name');
      assert.equal(await page.locator('#submit').innerText(), button);
      for (const [label, completes] of [
        ...(asks === undefined ? [] : [['Your name', 'name'] as const]),
        [/^(New p|P)assword$/, 'new-password'],
        ['The same password again', 'new-password'],
      ] as const) {
        assert.equal(await page.getByLabel(label).getAttribute('autocomplete'), completes);
      }
      assert.deepEqual(await page.locator('#about bdi').allTextContents(), names(email));
      assert.match(await page.locator('#about').innerText(), says);
      const described = await page.locator('form').getAttribute('aria-describedby');
      assert.equal(described, 'about', 'it is read out with the form');
      await fill(page, { name: asks && `  ${asks} ` });
      await heading(page, done);
      assert.equal(await page.title(), done);
      assert.equal(await focused(page), 'heading');
      const text = await page.locator('main').innerText();
      for (const part of [asks ?? 'Owner', email, 'Test Company', ...shows])
        assert.ok(text.includes(part), `${part}: ${text}`);
      const answer = await askSession(service, await keptSession(page));
      const { user, company, teams } = answer.json<SessionInfo>();
      assert.deepEqual([user.name, user.email], [asks ?? 'Owner', email]);
      assert.deepEqual([company.role, ...teams.map(({ role }) => role)], roles);
      assert.ok(!(await page.content()).includes(token));
      assert.equal((await signInBy(service, email, PASSWORD)).statusCode, 200);
      await page.getByRole('link', { name: 'Open the console' }).click();
      await page.waitForURL((opened) => opened.pathname === '/');
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      assert.deepEqual(faults, []);
    });

    test('explains in plain words why a link cannot be used', async () => {
      const [used, expired, revoked] = [
        await make(await service.company()),
        await make(await service.company()),
        await service.company(),
      ];
      await use(used.token, PASSWORD);
      await expire(expired.token);
      const earlier = await make(revoked);
      await make(revoked, earlier.email);
      const others = PAGES.filter((other) => other.name !== name);
      const misled = await Promise.all(others.map(async (other) => other.make(await service.company())));
      const { page, faults } = await openPage(browser, `${base}/${name}`);
      await heading(page, 'The link is incomplete');
      // In the same tab: each further link changes only the fragment.
      for (const [token, problem] of [
        [used.token, 'This link has already been used'],
        [expired.token, 'This link has expired'],
        [earlier.token, 'This link has been revoked'],
        ['of-no-worth', 'This link is not valid'],
        ...misled.map((link) => [link.token, 'This link is not valid'] as const),
        ['long'.repeat(100), 'This link is not valid'],
      ] as const) {
        await page.goto(at(token));
        await heading(page, problem);
        assert.equal(await page.title(), problem);
        assert.equal(await focused(page), 'heading');
        assert.equal(await page.locator('form').isVisible(), false);
        assert.match(await page.locator('#message').innerText(), advises);
        assert.deepEqual(await storage(page), { tab: {}, all: {} });
      }
      assert.deepEqual(faults, []);
    });

    test('says when the service does not answer and can try again', async () => {
      const { token } = await make(await service.company());
      const { page, faults } = await openPage(browser, `${base}/${name}`);
      await heading(page, 'The link is incomplete');
      for (const [answer, why] of [
        [null, /did not answer. Check your connection/],
        [{ status: 503, json: { code: 'unavailable' } }, /is busy/],
      ] as const) {
        await page.route('**/v1/auth/link', (held) =>
          answer === null ? held.abort() : held.fulfill(answer),
        );
        await page.goto(at(token));
        await heading(page, 'The link cannot be checked now');
        await page.getByRole('link', { name: 'Open the console' }).waitFor();
        assert.match(await page.locator('#message').innerText(), why);
        assert.equal(await focused(page), 'heading');
        assert.equal(await page.locator('form').isVisible(), false);
        await page.unroute('**/v1/auth/link');
      }
      await page.getByRole('button', { name: 'Try again' }).click();
      await heading(page, title);
      assert.equal(await focused(page), asks === undefined ? 'password' : 'name');
      assert.equal(await page.getByRole('button').count(), 1, 'nothing is left to be tried again');
      assert.deepEqual(faults, []);
    });

    test('keeps the link of this tab through a reload, and other tabs do not have it', async () => {
      const { token } = await make(await service.company());
      const { page } = await openPage(browser, at(token));
      await heading(page, title);
      await page.reload();
      await heading(page, title);
      assert.deepEqual(await storage(page), { tab: { [`${name}-token`]: token }, all: {} });
      const other = await page.context().newPage();
      await other.goto(`${base}/${name}`);
      await heading(other, 'The link is incomplete');
      await fill(page);
      await heading(page, done);
    });

    test('shows invalid input at its field before it is sent', async () => {
      const { token } = await make(await service.company());
      const { page, faults } = await openPage(browser, at(token));
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST' && !request.url().endsWith('/v1/auth/link')) sent.push(request.url());
      });
      const ofName = [
        [{ name: ' ' }, 'name', /Enter your name/],
        [{ name: '👩'.repeat(301) }, 'name', /longer than 300/],
      ] as const;
      for (const [wrong, field, problem] of [
        ...(asks === undefined ? [] : ofName),
        [{ password: '👩👩👩👩👩👩' }, 'password', /6 of at least 12/],
        [{ password: 'x'.repeat(257) }, 'password', /longer than 256/],
        [{ repeated: `${PASSWORD}!` }, 'repeated', /not the same/],
      ] as const) {
        await fill(page, wrong);
        assert.match(String(await problemAt(page, field)), problem);
        assert.equal(await focused(page), field);
        assert.equal(await page.locator('[aria-invalid]').count(), 1);
        assert.equal(await page.locator('[role="alert"]:not(:empty)').count(), 1);
      }
      assert.deepEqual([sent, faults], [[], []]);
      await fill(page);
      await heading(page, done);
      assert.equal(sent.length, 1);
    });

    test('asks for the current password of an existing account and accepts no other', {
      skip: asks === undefined && 'it sets a new password',
    }, async () => {
      const company = await service.company();
      const [userId, email] = [newId(), newEmail()];
      await addAccount(service, company, { userId, email, role: 'member' });
      await givePassword(service, userId, PASSWORD);
      const { page, faults } = await openPage(browser, at((await make(company, email)).token));
      await heading(page, title);
      assert.equal(await focused(page), 'password');
      assert.deepEqual(
        await page.locator('input:visible').evaluateAll((inputs) => inputs.map(({ id }) => id)),
        ['password', 'shown'],
        'neither a name nor the password again',
      );
      const password = page.getByLabel('Password', { exact: true });
      assert.equal(await password.getAttribute('autocomplete'), 'current-password');
      assert.match(await page.locator('#about').innerText(), /has an account here/);
      const enter = async (text: string) => {
        await password.fill(text);
        await page.getByRole('button').click();
      };
      await enter('not its password');
      const problem = page.locator('#password-problem', { hasText: 'has an account already' });
      await problem.waitFor();
      assert.equal(await problem.getAttribute('role'), 'alert');
      assert.match(String(await problemAt(page, 'password')), /Enter the password you have; your name stays/);
      assert.equal(await focused(page), 'password');
      assert.equal(await password.inputValue(), 'not its password');
      await enter(PASSWORD);
      await heading(page, done);
      const { user } = (await askSession(service, await keptSession(page))).json<SessionInfo>();
      assert.deepEqual(user, { id: userId, email, name: 'Someone' });
      assert.match(await page.locator('main').innerText(), /Someone/);
      assert.deepEqual(faults, []);
    });
  });
}
