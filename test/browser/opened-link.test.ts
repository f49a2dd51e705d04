import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { openTestApp, type SignedIn } from '../support/app.ts';
import { makeInvitation, makeInvite } from '../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { focused, heading, openPage, sendForm } from '../support/pages.ts';
import { makeResetLink } from '../support/sign-in.ts';

const PASSWORD = 'a password of this test';
const service = await openTestApp();

/** The pages of links, and what they show of a link before any input. */
const PAGES = [
  {
    name: 'join',
    title: 'Join your Team',
    done: 'You have joined the Team',
    asks: 'Noor Haddad',
    says: /^Owner invites you to the Team Test Team of Test Company\. The link is for \S+\. Your name and a password /,
    shows: (email: string) => ['Owner', 'Test Team', 'Test Company', email],
    make: async (company: SignedIn) => {
      const { token, invite } = await makeInvite(service, company);
      return { token, email: invite.email };
    },
  },
  {
    name: 'accept',
    title: 'Become a Company Admin',
    done: 'You have accepted the invitation',
    asks: 'Noor Haddad',
    says: /^Owner invites you to help run the Company Test Company as its Admin\. The link is for \S+\. Your name /,
    shows: (email: string) => ['Owner', 'Test Company', email],
    make: async (company: SignedIn) => {
      const { token, invite } = await makeInvitation(company);
      return { token, email: invite.email };
    },
  },
  {
    name: 'reset',
    title: 'Set your password',
    done: 'Your password is set',
    asks: undefined,
    says: /^For \S+ in the Company Test Company\.$/,
    shows: (email: string) => [email, 'Test Company'],
    make: async (company: SignedIn) => ({
      token: (await makeResetLink(service, company)).token,
      email: company.ownerEmail,
    }),
  },
];

describe('a link that is opened in a browser', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  for (const { name, title, done, asks, says, shows, make } of PAGES) {
    test(`/${name} shows what the link is for before any input and ends at the console`, async () => {
      const { token, email } = await make(await service.company());
      const { page, faults } = await openPage(browser, `${base}/${name}#token=${token}`);
      await heading(page, title);
      assert.deepEqual(await page.locator('#about bdi').allTextContents(), shows(email));
      assert.match(await page.locator('#about').innerText(), says);
      const described = await page.locator('form').getAttribute('aria-describedby');
      assert.equal(described, 'about', 'it is read out with the form');
      await sendForm(page, { name: asks, password: PASSWORD });
      await heading(page, done);
      await page.getByRole('link', { name: 'Open the console' }).click();
      await page.waitForURL((url) => url.pathname === '/');
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      assert.deepEqual(faults, []);
      await page.context().close();
    });

    test(`/${name} says when the service does not answer and can try again`, async () => {
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
        await page.goto(`${base}/${name}#token=${token}`);
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
      await page.context().close();
    });
  }
});
