import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { API_TOKEN, openTestApp, type SignedIn } from '../../support/app.ts';
import { callerOf } from '../../support/client/client.ts';
import { columns } from '../../support/columns.ts';
import {
  addPasswordHolder,
  expireInvite,
  givePassword,
  makeInvitation,
  makeInvite,
  newEmail,
  PASSWORD,
} from '../../support/invites.ts';
import { until } from '../../support/process-table.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import { makeResetLink } from '../../support/sign-in.ts';
import { addPerson } from '../../support/team.ts';
import { openPages, openTab, profileOf } from './support.ts';

const service = await openTestApp();
const { base, browser, skip, openIn } = await openPages(service);

const operator = callerOf(service.app, { authorization: `Bearer ${API_TOKEN}` });

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

interface LinkPage {
  path: string;
  title: string;
  /** What the page calls its password and its button. */
  password: string;
  button: string;
  asksName: boolean;
  make: (company: SignedIn) => Promise<{ token: string }>;
}

const LINKS: readonly LinkPage[] = [
  {
    path: '/join',
    title: 'Join your Team',
    password: 'Password',
    button: 'Join the Team',
    asksName: true,
    make: (company) => makeInvite(service, company),
  },
  {
    path: '/accept',
    title: 'Become a Company Admin',
    password: 'Password',
    button: 'Accept the invitation',
    asksName: true,
    make: (company) => makeInvitation(company),
  },
  {
    path: '/accept',
    title: 'Become the Owner of your Company',
    password: 'Password',
    button: 'Accept the invitation',
    asksName: true,
    make: () => operator.api.createCompany({ name: 'Herons', ownerEmail: newEmail(), teamName: 'Waders' }),
  },
  {
    path: '/reset',
    title: 'Set your password',
    password: 'New password',
    button: 'Set the password',
    asksName: false,
    make: (company) => makeResetLink(service, company),
  },
];

describe('the pages of one-time links', { skip }, () => {
  const openLink = async (path: string, token: string) =>
    openIn(await profileOf(browser, base, null), `${path}#token=${token}`);

  for (const { path, title, password, button, asksName, make } of LINKS) {
    test(`${path} sets a password and leads into the console, and the link works once: ${title}`, async () => {
      const company = await service.company();
      const { token } = await make(company);
      const { page } = await openLink(path, token);
      await heading(page, title);
      assert.equal(new URL(page.url()).hash, '', 'the token leaves the address');
      await page.reload();
      if (asksName) await page.getByLabel('Your name').fill('Noor Haddad');
      await page.getByLabel(password, { exact: true }).fill('short');
      await page.getByRole('button', { name: button }).click();
      await page.getByText('The password has 5 of at least 12 characters.').waitFor();
      await page.getByLabel(password, { exact: true }).fill('1qaz2wsx3edc');
      await page.getByRole('button', { name: button }).click();
      await page.getByText('one of the most common ones. Choose another').waitFor();
      assert.equal(await page.locator('input:focus').getAttribute('autocomplete'), 'new-password');
      await page.getByLabel(password, { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: button }).click();
      await heading(page, /^(Home|Teams)$/);
      assert.equal(await page.evaluate(`JSON.stringify(sessionStorage).includes('${token}')`), false);
      const again = await openLink(path, token);
      await heading(again.page, 'This link has already been used');
      await again.page.getByRole('link', { name: 'Open the console' }).click();
      await heading(again.page, 'Sign in');
    });
  }

  for (const { path, title, password, button, asksName, make } of LINKS)
    test(`no address, Referer or log line has a secret of ${path}, from the link to the end of the session: ${title}`, async (t) => {
      const lines: string[] = [];
      // Without the redaction of the service's logger: the pages must not depend on it.
      const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
      const logged = await buildTestedApp({ ...service, logger });
      t.after(() => logged.close());
      const asked: string[] = [];
      logged.server.on('request', ({ method, url, headers }) => {
        const { cookie: _, ...others } = headers;
        asked.push(`${method} ${url} ${JSON.stringify(others)}`);
      });
      const address = await logged.listen({ host: '127.0.0.1', port: 0 });
      const { token } = await make(await service.company());
      const context = await profileOf(browser, address, null);
      t.after(() => context.close());
      const { page, faults } = await openTab(context, `${address}${path}#token=${token}`);
      await heading(page, title);
      if (asksName) await page.getByLabel('Your name').fill('Noor Haddad');
      await page.getByLabel(password, { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: button }).click();
      await heading(page, /^(Home|Teams)$/);
      const [session] = await context.cookies();
      assert.deepEqual([session?.httpOnly, session?.sameSite], [true, 'Strict']);
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await heading(page, 'Sign in');
      // A line is written after its answer is sent.
      await until(t.signal, () => lines.some((line) => line.includes('/v1/auth/logout')));
      const [wire, log] = [asked.join('\n'), lines.join('')];
      assert.match(wire, /POST \/v1\/auth\/logout/);
      assert.doesNotMatch(wire, /"referer"/i);
      for (const secret of [token, session!.value, PASSWORD])
        assert.ok(!wire.includes(secret) && !log.includes(secret));
      assert.deepEqual(faults, []);
    });

  for (const keep of [false, true])
    test(`/reset ${keep ? 'keeps the agent tokens if the box is ticked' : 'revokes the agent tokens'}`, async () => {
      const company = await service.company();
      const owner = await addPasswordHolder(service, company, { companyRole: 'owner', teamRole: 'owner' });
      const agent = await createAgent(service, owner, company);
      const { token } = await makeResetLink(service, company, { email: owner.email });
      const { page } = await openLink('/reset', token);
      const box = page.getByRole('checkbox', { name: 'Keep my agent tokens' });
      assert.equal(await box.isChecked(), false);
      if (keep) await box.check();
      await page.getByLabel('New password', { exact: true }).fill('another password of this test');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await heading(page, 'Home');
      assert.equal((await agent.ask.getSelectedTeam()).statusCode, keep ? 200 : 401);
    });

  test('an account that is there already is asked for its password, and keeps the link if it is wrong', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { companyRole: 'member' });
    await givePassword(service, member.userId, PASSWORD);
    const { token } = await makeInvite(service, company, { email: `person-${member.userId}@example.com` });
    const { page } = await openLink('/join', token);
    await heading(page, 'Join your Team');
    assert.equal(await page.getByLabel('Your name').count(), 0);
    for (const [password, then] of [
      ['another password', () => page.getByText('this is not its password').waitFor()],
      [PASSWORD, () => heading(page, 'Home')],
    ] as const) {
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Join the Team' }).click();
      await then();
    }
  });

  test('a link that has expired, that is for another page or that is not whole says what to do', async () => {
    const company = await service.company();
    const { token } = await makeInvite(service, company);
    await heading((await openLink('/accept', token)).page, 'This link is not valid');
    await heading((await openLink('/join', token.slice(1))).page, 'This link is not valid');
    await expireInvite(service, token);
    const { page } = await openLink('/join', token);
    await heading(page, 'This link has expired');
    await page.getByText('ask the person who invited you for a new one').waitFor();
    const nothing = await openIn(await profileOf(browser, base, null), '/join');
    await heading(nothing.page, 'The link is incomplete');
  });

  test('a wrong value is shown at its field, which gets the focus, and a form is sent once', async () => {
    const { token } = await makeInvite(service, await service.company());
    const { page } = await openLink('/join', token);
    const password = page.getByLabel('Password', { exact: true });
    const join = page.getByRole('button', { name: 'Join the Team' });
    await join.click();
    await page.getByText('Enter your name').waitFor();
    await page.keyboard.type('Noor Haddad');
    await password.fill('short');
    await password.press('Enter');
    await page.getByText('has 5 of at least 12 characters').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(PASSWORD);
    let sent = 0;
    await page.route('**/v1/auth/join', (route) => {
      sent += 1;
      return route.continue();
    });
    await join.dblclick();
    await heading(page, 'Home');
    assert.equal(sent, 1);
  });

  test('a service that does not answer is told, and asked again', async () => {
    const { token } = await makeInvite(service, await service.company());
    const context = await profileOf(browser, base, null);
    await context.route('**/v1/auth/link', (route) => route.abort());
    const { page } = await openIn(context, `/join#token=${token}`);
    await heading(page, 'The link cannot be checked now');
    await context.unroute('**/v1/auth/link');
    await page.getByRole('button', { name: 'Try again' }).click();
    await heading(page, 'Join your Team');
  });

  for (const { path, button, make } of [
    {
      path: '/join',
      button: 'Join the Team',
      make: (company: SignedIn, email: string) => makeInvite(service, company, { email }),
    },
    {
      path: '/accept',
      button: 'Accept the invitation',
      make: (company: SignedIn, email: string) => makeInvitation(company, { email }),
    },
  ])
    test(`${path} needs one press and no password from the person who is signed in`, async () => {
      const company = await service.company();
      const person = await addPasswordHolder(service, company, {});
      const { token } = await make(company, person.email);
      const { page } = await openIn(await profileOf(browser, base, person.token), `${path}#token=${token}`);
      const use = page.getByRole('button', { name: button });
      await use.waitFor();
      assert.equal(await page.getByLabel('Password', { exact: true }).count(), 0);
      await use.click();
      await page.waitForURL((url) => url.pathname === '/');
      const { company: of, teams } = await person.api.getSession();
      if (path === '/join') assert.deepEqual(columns(teams, 'id', 'role'), [[company.teamId, 'member']]);
      else assert.equal(of.role, 'admin');
    });

  test('says so if somebody else is signed in, and asks for the password once they have signed out', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, {});
    const { token } = await makeInvite(service, company, { email: person.email });
    const { page } = await openIn(await profileOf(browser, base, company.token), `/join#token=${token}`);
    await page.getByText(`you are signed in as ${company.ownerEmail}`).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Join the Team' }).count(), 0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Join the Team' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    assert.deepEqual(columns((await person.api.getSession()).teams, 'id', 'role'), [
      [company.teamId, 'member'],
    ]);
  });

  test('says so if who is signed in has the same address in another Company', async () => {
    const [company, other] = [await service.company(), await service.company()];
    await other.api.renameCompany({ name: 'Harbour & Sons' });
    const { token } = await makeInvite(service, company, { email: other.ownerEmail });
    const { page } = await openIn(await profileOf(browser, base, other.token), `/join#token=${token}`);
    await page.getByText(`you are signed in as ${other.ownerEmail} in the Company Harbour & Sons.`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Join the Team' }).waitFor();
    await page.getByLabel('Your name').waitFor();
  });
});
