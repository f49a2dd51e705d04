import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../support/app.ts';
import { makeInvite, PASSWORD } from '../support/invites.ts';
import { focused, heading, openPage, problemAt, sendForm, type Typed } from '../support/pages.ts';
import { openBrowser } from './open-browser.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;

describe('the form of an invite in a browser', { skip }, () => {
  const address = (token: string) => `${base}/join#token=${token}`;
  const fill = (page: Page, typed: Partial<Typed> = {}) =>
    sendForm(page, { name: 'Noor Haddad', password: PASSWORD, ...typed });
  const send = (page: Page) => page.getByRole('button', { name: 'Join the Team' }).click();

  test('names are shown as text and never as HTML', async () => {
    const company = await service.company();
    const [mine, ofCompany, ofTeam] = ['me', 'company', 'team'].map(
      (what) => `<img src=x onerror="document.title='${what}'">\u202e`,
    );
    await database.query('update identity.company set name = $2 where id = $1', [
      company.companyId,
      ofCompany,
    ]);
    await database.query('update identity.team set name = $2 where id = $1', [company.teamId, ofTeam]);
    const { token, invite } = await makeInvite(service, company);
    const { page, faults } = await openPage(browser, address(token));
    await heading(page, 'Join your Team');
    const about = await page.locator('#about bdi').allTextContents();
    assert.deepEqual(about, ['Owner', ofTeam, ofCompany, invite.email]);
    await fill(page, { name: mine });
    await heading(page, 'You have joined the Team');
    const shown = await page.locator('bdi').allTextContents();
    assert.deepEqual([shown[0], ...shown.slice(2)], [mine, ofCompany, ofTeam]);
    assert.equal(await page.locator('img').count(), 0);
    assert.deepEqual(faults, []);
  });

  test('an error that only the service detects is shown at its field', async () => {
    const { token } = await makeInvite(service, await service.company());
    const { page } = await openPage(browser, address(token));
    await heading(page, 'Join your Team');
    await page.locator('#password').fill(PASSWORD);
    await page.locator('#repeated').fill(PASSWORD);
    await page.evaluate("document.getElementById('name').value = 'No\\u0000or'");
    await send(page);
    await page.locator('#name-problem', { hasText: 'was not accepted' }).waitFor();
    assert.match(String(await problemAt(page, 'name')), /NUL/);
    assert.equal(await focused(page), 'name');
    await fill(page);
    await heading(page, 'You have joined the Team');
  });

  test('the form is sent once, however often it is submitted before the answer', async () => {
    const { token } = await makeInvite(service, await service.company());
    const { page } = await openPage(browser, address(token));
    const held = Promise.withResolvers<void>();
    let sent = 0;
    await page.route('**/v1/auth/join', async (route) => {
      sent += 1;
      await held.promise;
      await route.continue();
    });
    await fill(page);
    await send(page);
    await page.keyboard.press('Enter');
    held.resolve();
    await heading(page, 'You have joined the Team');
    assert.equal(sent, 1);
  });
});
