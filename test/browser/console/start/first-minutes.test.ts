import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../../support/app.ts';
import { type Caller } from '../../../support/client/client.ts';
import { newEmail, PASSWORD } from '../../../support/invites.ts';
import { focused, heading, openPage, sendForm, title } from '../../../support/pages.ts';
import { makeResetLink } from '../../../support/sign-in.ts';
import { openBrowser } from '../../open-browser.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the first minutes of an Owner', { skip }, () => {
  const done = (page: Page) => page.locator('.steps li[data-done] h3').allInnerTexts();

  async function post(company: Caller, url: string, body: object) {
    const answer = await company.send('POST', url, body);
    assert.ok(answer.statusCode < 300, answer.body);
  }

  test('an Owner gets from the reset link to the console, where each step is ticked off when it is done', async () => {
    const company = await service.company();
    const { token } = await makeResetLink(service, company);
    const { page, faults } = await openPage(browser, `${base}/reset#token=${token}`);
    await sendForm(page, { password: PASSWORD });
    await heading(page, 'Your password is set');
    await page.getByRole('link', { name: 'Open the console' }).click();
    await heading(page, 'First steps');
    await title(page, '3 to do · Home · Test Team');
    assert.equal(await focused(page), 'page-heading');
    assert.deepEqual(await done(page), ['Make a Team Done']);
    assert.equal(new URL(page.url()).searchParams.get('team'), company.teamId);

    // The new password has ended the earlier sessions.
    const session = await service.signIn(company.companyId, company.ownerId);
    const owner = company.with({ authorization: `Bearer ${session}` });
    await post(owner, '/v1/team/invites', { email: newEmail(), role: 'member' });
    await page.reload();
    await title(page, '2 to do');
    assert.deepEqual(await done(page), ['Make a Team Done', 'Invite people Done']);

    await post(owner, '/v1/memory/ingest', { title: 'A note', text: 'The tapir swims.', scope: {} });
    await post(owner, '/v1/auth/tokens', {
      name: 'An agent',
      teamId: company.teamId,
      permissions: ['memory:read'],
    });
    await page.reload();
    await title(page, 'All set · Home · Test Team');
    assert.equal((await done(page)).length, 4);
    await page.getByRole('main').getByRole('link', { name: 'Jobs' }).click();
    await page.getByRole('heading', { name: 'Jobs', exact: true, level: 1 }).waitFor();
    await page.locator('#updated[datetime]').waitFor();
    assert.deepEqual(faults, []);
  });

  test('the home page has the line that installs the terminal client, with its SHA-256 or with https first', async () => {
    const company = await service.company();
    const sha256 = '5'.repeat(64);
    const shown = async (digest: string | null, isSecure = true) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.route('**/assets/console/client-package.js', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          body: `export const CLIENT_SHA256 = ${JSON.stringify(digest)};`,
        }),
      );
      // Tests use a loopback address, which is always secure.
      await page.addInitScript(`Object.defineProperty(window, 'isSecureContext', { value: ${isSecure} })`);
      await page.goto(base);
      await page.evaluate(`sessionStorage.setItem('session-token', ${JSON.stringify(company.token)})`);
      await page.reload();
      const text = await page.locator('section', { hasText: 'In a terminal' }).last().innerText();
      await context.close();
      return text;
    };

    const built = await shown(sha256);
    assert.ok(built.includes(`npm install -g ${base}/cli.tgz`), built);
    assert.ok(built.includes(sha256), built);
    assert.ok(!built.includes('https'), built);

    assert.match(await shown(sha256, false), /at an address with https[^]*npm install -g/);

    const missing = await shown(null);
    assert.match(missing, /npm run build/);
    assert.ok(!missing.includes('npm install'), missing);
  });
});
