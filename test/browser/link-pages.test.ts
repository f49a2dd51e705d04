import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as sendOnward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { newId } from '../../shared/ids.ts';
import type { SessionInfo } from '../../shared/schemas/accounts.ts';
import { hashToken } from '../../shared/tokens.ts';
import { openTestApp, type SignedIn } from '../support/app.ts';
import {
  accept,
  expireInvite,
  givePassword,
  join,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../support/invites.ts';
import { focused, heading, keptSession, openPage, problemAt, sendForm, storage } from '../support/pages.ts';
import { buildTestedApp } from '../support/schema-compilers.ts';
import { addAccount, askSession, makeResetLink, outcome, useLink } from '../support/sign-in.ts';
import { openBrowser } from './open-browser.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { app, database } = service;
const NOTHING = { tab: {}, all: {} };

/** A page that a one-time link leads to. */
interface LinkPage {
  name: string;
  title: string;
  done: string;
  /** The name that is typed, where the page asks for one. */
  asks?: string;
  /** What the page says about the link. */
  says: RegExp;
  /** What it shows in the end, and the roles in the Company and in its Teams. */
  shows: string[];
  roles: string[];
  /** How a person gets another link. */
  advises: RegExp;
  /** Makes a link, which revokes an earlier one for the same person. */
  make: (company: SignedIn, email?: string) => Promise<{ token: string; url: string }>;
  use: (token: string) => Promise<unknown>;
  expire: (token: string) => Promise<unknown>;
}

const ofInvite = {
  asks: 'Noor Haddad',
  advises: /the person who invited you/,
  expire: (token: string) => expireInvite(service, token),
};
const PAGES: readonly LinkPage[] = [
  {
    ...ofInvite,
    name: 'join',
    title: 'Join your Team',
    done: 'You have joined the Team',
    says: /^Owner invites you to the Team Test Team of Test Company\. The link is for \S+\./,
    shows: ['Company Member', 'Test Team: Team Member, member access'],
    roles: ['member', 'member'],
    make: (company, email = newEmail()) => makeInvite(service, company, { email }),
    use: (token) => join(service, { token, password: PASSWORD }),
  },
  {
    ...ofInvite,
    name: 'accept',
    title: 'Become a Company Admin',
    done: 'You have accepted the invitation',
    says: /^Owner invites you to help run the Company Test Company as its Admin\. The link is for \S+\./,
    shows: ['Company Admin', 'None is open to you yet'],
    roles: ['admin'],
    make: (company, email = newEmail()) => makeInvitation(company, { email }),
    use: (token) => accept(service, { token, password: PASSWORD }),
  },
  {
    name: 'reset',
    title: 'Set your password',
    done: 'Your password is set',
    says: /^For \S+ in the Company Test Company\.$/,
    shows: ['Company Owner', 'Test Team: Team Owner, full access'],
    roles: ['owner', 'owner'],
    advises: /the command owner-reset-link makes one/,
    make: (company) => makeResetLink(service, company),
    use: (token) => useLink(service, token, PASSWORD),
    expire: (token) =>
      database.query('update identity.reset_link set expires_at = now() where token_hash = $1', [
        hashToken(token),
      ]),
  },
];

/** The page and everything that it and its scripts load, by path. */
async function filesOf(name: string) {
  const files = new Map<string, Awaited<ReturnType<typeof app.inject>>>();
  const open = [`/${name}`];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (files.has(path)) continue;
    const answer = await app.inject(path);
    files.set(path, answer);
    const loaded =
      /(?:src=|href=|from ?|import\()["']((?:\.{1,2}|assets|join|accept|reset)\/[^"']+\.(?:js|css))["']/g;
    for (const [, to = ''] of answer.body.matchAll(loaded)) {
      open.push(new URL(to, `http://service${path}`).pathname);
    }
  }
  return files;
}

for (const name of ['jobs', ...PAGES.map((page) => page.name)]) {
  test(`/${name} and its files have strict headers, are not cached, set no cookie and have nothing inline`, async () => {
    const files = await filesOf(name);
    assert.ok(files.size >= 10, [...files.keys()].join());
    for (const [path, { statusCode, headers }] of files) {
      assert.equal(statusCode, 200, path);
      const policy = String(headers['content-security-policy']).split('; ');
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
      ]) {
        assert.ok(policy.includes(rule), `${path}: ${rule}`);
      }
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['set-cookie'], undefined);
    }
    const { body } = await app.inject(`/${name}`);
    assert.doesNotMatch(body, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/i);
  });
}

for (const { name, title, done, asks, says, shows, roles, advises, make, use, expire } of PAGES) {
  const at = (token: string) => `${base}/${name}#token=${token}`;
  const fill = (page: Page) => sendForm(page, { name: asks, password: PASSWORD });

  describe(`the page /${name} in a browser`, { skip }, () => {
    test('leads from the link to a session of this tab that the service accepts, and to the console', async () => {
      const { token, url } = await make(await service.company());
      assert.equal(new URL(url).pathname + new URL(url).hash, `/${name}#token=${token}`);
      const { page, faults } = await openPage(browser, at(token));
      await heading(page, title);
      assert.equal(page.url(), `${base}/${name}`, 'the token left the address bar');
      assert.equal(await focused(page), asks === undefined ? 'password' : 'name');
      assert.match(await page.locator('#about').innerText(), says);
      await page.reload();
      await heading(page, title);
      assert.deepEqual(await storage(page), { tab: { [`${name}-token`]: token }, all: {} });
      const other = await page.context().newPage();
      await other.goto(`${base}/${name}`);
      await heading(other, 'The link is incomplete');
      await fill(page);
      await heading(page, done);
      assert.equal(await focused(page), 'heading');
      const text = await page.locator('main').innerText();
      for (const part of [asks ?? 'Owner', 'Test Company', ...shows]) assert.ok(text.includes(part), text);
      const answer = await askSession(service, await keptSession(page));
      const { user, company, teams } = answer.json<SessionInfo>();
      assert.equal(user.name, asks ?? 'Owner');
      assert.deepEqual([company.role, ...teams.map(({ role }) => role)], roles);
      assert.ok(!(await page.content()).includes(token));
      await page.getByRole('link', { name: 'Open the console' }).click();
      await page.waitForURL((opened) => opened.pathname === '/');
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      assert.deepEqual(faults, []);
    });

    test('explains in plain words why a link cannot be used', async () => {
      const [used, expired] = [await make(await service.company()), await make(await service.company())];
      await use(used.token);
      await expire(expired.token);
      const [revoked, email] = [await service.company(), newEmail()];
      const earlier = await make(revoked, email);
      await make(revoked, email);
      const others = PAGES.filter((other) => other.name !== name);
      const misled = await Promise.all(others.map(async (other) => other.make(await service.company())));
      const { page, faults } = await openPage(browser, `${base}/${name}`);
      await heading(page, 'The link is incomplete');
      // In the same tab: each further link changes only the fragment.
      for (const [token, problem] of [
        [used.token, 'This link has already been used'],
        [expired.token, 'This link has expired'],
        [earlier.token, 'This link has been revoked'],
        ...misled.map((link) => [link.token, 'This link is not valid'] as const),
      ] as const) {
        await page.goto(at(token));
        await heading(page, problem);
        assert.equal(await page.locator('form').isVisible(), false);
        assert.match(await page.locator('#message').innerText(), advises);
        assert.deepEqual(await storage(page), NOTHING);
      }
      assert.deepEqual(faults, []);
    });

    test('no address, Referer or log line contains a token, from the link to the end of the session', async (t) => {
      const lines: string[] = [];
      // Without the redaction of the service's logger: the pages must not depend on it.
      const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
      const logged = await buildTestedApp({ ...service, logger });
      t.after(() => logged.close());
      const asked: string[] = [];
      logged.server.on('request', ({ method, url, headers }) => {
        const { authorization: _, ...others } = headers;
        asked.push(`${method} ${url} ${JSON.stringify(others)}`);
      });
      const address = await logged.listen({ host: '127.0.0.1', port: 0 });
      const { token } = await make(await service.company());
      const { page, faults } = await openPage(browser, `${address}/${name}#token=${token}`);
      await fill(page);
      await heading(page, done);
      const session = await keptSession(page);
      await page.reload();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await heading(page, 'You are signed out');
      const [wire, log] = [asked.join('\n'), lines.join('')];
      assert.match(wire, /POST \/v1\/auth\/logout/);
      assert.match(log, /\/v1\/auth\/logout/);
      assert.doesNotMatch(wire, /"referer"/i);
      for (const secret of [token, session, PASSWORD]) {
        assert.ok(!wire.includes(secret) && !log.includes(secret));
      }
      assert.deepEqual(faults, []);
    });

    test('works behind a proxy that adds a prefix', async (t) => {
      const proxy = createServer((request, response) => {
        const { method, headers, url = '' } = request;
        const path = url.startsWith('/memory/') ? url.slice('/memory'.length) : '/outside';
        const onward = sendOnward(base + path, { method, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        request.pipe(onward);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      t.after(() => {
        proxy.closeAllConnections();
        proxy.close();
      });
      const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/memory/${name}`;
      const { token } = await make(await service.company());
      const { page, faults } = await openPage(browser, `${address}#token=${token}`);
      await fill(page);
      await heading(page, done);
      await page.reload();
      await heading(page, 'You are signed in');
      assert.deepEqual(faults, []);
    });
  });
}

describe('the pages of links in a browser', { skip }, () => {
  /** The page of an invite of the Company, or of a new one. */
  async function invited(company?: SignedIn) {
    const { token } = await makeInvite(service, company ?? (await service.company()));
    const opened = await openPage(browser, `${base}/join#token=${token}`);
    await heading(opened.page, 'Join your Team');
    return opened;
  }
  const fill = (page: Page, typed: object = {}) =>
    sendForm(page, { name: 'Noor Haddad', password: PASSWORD, ...typed });

  test('a service that does not answer is told, and can be asked again', async () => {
    const { token } = await makeInvite(service, await service.company());
    const { page } = await openPage(browser, `${base}/join`);
    await page.route('**/v1/auth/link', (held) => held.abort());
    await page.goto(`${base}/join#token=${token}`);
    await heading(page, 'The link cannot be checked now');
    await page.unroute('**/v1/auth/link');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Join your Team');
  });

  test('invalid input is shown at its field before it is sent, and the form is sent once', async () => {
    const { page } = await invited();
    const sent: string[] = [];
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/auth/join', async (route) => {
      sent.push(route.request().url());
      await held.promise;
      await route.continue();
    });
    for (const [wrong, field, problem] of [
      [{ name: ' ' }, 'name', /Enter your name/],
      [{ password: '👩👩👩👩👩👩' }, 'password', /6 of at least 12/],
      [{ repeated: `${PASSWORD}!` }, 'repeated', /not the same/],
    ] as const) {
      await fill(page, wrong);
      assert.match(String(await problemAt(page, field)), problem);
      assert.equal(await focused(page), field);
      assert.equal(await page.locator('[aria-invalid]').count(), 1);
    }
    assert.deepEqual(sent, []);
    await fill(page);
    await page.getByRole('button', { name: 'Join the Team' }).click();
    held.resolve();
    await heading(page, 'You have joined the Team');
    assert.equal(sent.length, 1);
  });

  test('an existing account is asked for its password, and no other is accepted', async () => {
    const company = await service.company();
    const [userId, email] = [newId(), newEmail()];
    await addAccount(service, company, { userId, email, role: 'member' });
    await givePassword(service, userId, PASSWORD);
    const { token } = await makeInvite(service, company, { email });
    const { page, faults } = await openPage(browser, `${base}/join#token=${token}`);
    await heading(page, 'Join your Team');
    assert.deepEqual(
      await page.locator('input:visible').evaluateAll((inputs) => inputs.map(({ id }) => id)),
      ['password', 'shown'],
      'neither a name nor the password again',
    );
    const enter = async (text: string) => {
      await page.getByLabel('Password', { exact: true }).fill(text);
      await page.getByRole('button').click();
    };
    await enter('not its password');
    await page.locator('#password-problem', { hasText: 'has an account already' }).waitFor();
    await enter(PASSWORD);
    await heading(page, 'You have joined the Team');
    const { user } = (await askSession(service, await keptSession(page))).json<SessionInfo>();
    assert.deepEqual(user, { id: userId, email, name: 'Someone' });
    assert.deepEqual(faults, []);
  });

  test('names are shown as text and never as HTML', async () => {
    const company = await service.company();
    const [mine, ofCompany, ofTeam] = ['me', 'company', 'team'].map(
      (what) => `<img src=x onerror="document.title='${what}'">\u202e`,
    );
    for (const [table, id, name] of [
      ['company', company.companyId, ofCompany],
      ['team', company.teamId, ofTeam],
    ])
      await database.query(`update identity.${table} set name = $2 where id = $1`, [id, name]);
    const { page, faults } = await invited(company);
    assert.deepEqual((await page.locator('#about bdi').allTextContents()).slice(0, 3), [
      'Owner',
      ofTeam,
      ofCompany,
    ]);
    await fill(page, { name: mine });
    await heading(page, 'You have joined the Team');
    const shown = await page.locator('bdi').allTextContents();
    assert.deepEqual([shown[0], ...shown.slice(2)], [mine, ofCompany, ofTeam]);
    assert.deepEqual([await page.locator('img').count(), faults], [0, []]);
  });

  test('every page in the tab shows the session until "Sign out" ends it, and no other tab does', async () => {
    const { page } = await invited();
    await fill(page);
    await heading(page, 'You have joined the Team');
    const token = await keptSession(page);
    for (const path of ['/join', '/accept', '/reset']) {
      await page.goto(`${base}${path}`);
      await heading(page, 'You are signed in');
      const other = await page.context().newPage();
      await other.goto(`${base}${path}`);
      await heading(other, 'The link is incomplete');
      assert.deepEqual(await storage(other), NOTHING);
    }
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await page.route('**/v1/auth/logout', (route) => route.abort());
    await signOut.click();
    await page.getByRole('alert').filter({ hasText: 'You are still signed in' }).waitFor();
    assert.equal(await keptSession(page), token);
    await page.unroute('**/v1/auth/logout');
    await signOut.click();
    await heading(page, 'You are signed out');
    assert.deepEqual([await storage(page), await page.locator('dl').count()], [NOTHING, 0]);
    assert.equal(outcome(await askSession(service, token)), '401 unauthenticated');
    await page.reload();
    await heading(page, 'The link is incomplete');
  });
});
