import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { openTestApp } from '../../support/app.ts';
import { addPasswordHolder, newEmail, PASSWORD } from '../../support/invites.ts';
import { signInBy } from '../../support/sign-in.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { base, open, skip } = await openPages(service);

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();
const choose = (page: Page, group: string, value: string) =>
  page.getByRole('radiogroup', { name: group, exact: true }).getByText(value, { exact: true }).click();
async function act(page: Page, name: string, action: string) {
  await press(page, `Actions for ${name}`);
  await page.getByRole('menuitem', { name: action }).click();
}
const allowCopies = (page: Page) => page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');
/** The status of a request with this token. */
const statusWith = async (token: string) =>
  (await fetch(`${base}/v1/team`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('the page of tokens', { skip }, () => {
  test('a token is made for some clients, shown once with ready lines, and its first call is seen', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const { page } = await open(company, '/tokens');
    await allowCopies(page);
    await page.getByRole('button', { name: 'New token' }).first().click();
    await page.getByLabel('Name').fill('Laptop');
    await choose(page, 'It can', 'Choose …');
    await page.getByLabel('workspace:read').check();
    await choose(page, 'Reaches', 'Some clients');
    await page.getByLabel('A client').check();
    await page.getByLabel('Works for').selectOption('30 days');
    await press(page, 'Create the token');
    await said(page, 'Waiting for the first call');
    await press(page, 'Close');
    await said(page, 'Close without a copy?');
    await press(page, 'Cancel');
    await press(page, 'Copy: connect Claude Code');
    const line = await copied(page);
    const secret = /Bearer (\w+)/.exec(line)?.[1] ?? '';
    assert.equal(
      line,
      `claude mcp add --transport http team-memory ${base}/v1/mcp --header 'Authorization: Bearer ${secret}'`,
    );
    assert.equal(await statusWith(secret), 200);
    await said(page, 'Connected from 127.0.0.1');
    await press(page, 'Done');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(secret));
    const [made] = await company.all.listTokens();
    assert.deepEqual(
      [made?.permissions, made?.clientIds, made?.teamId],
      [['memory:read', 'workspace:read'], [clientId], company.teamId],
    );
    const days = (Date.parse(String(made?.expiresAt)) - Date.parse(String(made?.createdAt))) / 86_400_000;
    assert.equal(Math.round(days), 30);
  });

  test('the presets are Agent, Read and Consolidate, as far as the access of the person makes them useful', async () => {
    const company = await service.company();
    const reader = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'read' });
    const { page } = await open(company, '/tokens?new=1');
    async function presetsOf(one: Page) {
      await one.getByRole('radio', { name: 'Choose …' }).waitFor();
      const names = ['Agent', 'Read', 'Consolidate'];
      const counts = await Promise.all(names.map((name) => one.getByRole('radio', { name }).count()));
      return names.filter((_, n) => counts[n] === 1);
    }
    assert.deepEqual(await presetsOf(page), ['Agent', 'Read', 'Consolidate']);
    await page.getByLabel('Name').fill('Nightly');
    await choose(page, 'It can', 'Consolidate');
    await press(page, 'Create the token');
    await said(page, 'Waiting for the first call');
    assert.deepEqual((await company.all.listTokens())[0]?.permissions, ['memory:curate']);
    const other = await open({ ...reader, teamId: company.teamId }, '/tokens?new=1');
    assert.deepEqual(await presetsOf(other.page), ['Read']);
  });

  test('a token gets a new secret with an overlap, and revoking ends both', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { name: 'Builder' });
    const { page } = await open(company, '/tokens');
    await allowCopies(page);
    await act(page, 'Builder', 'New secret');
    await page.getByLabel('The old secret works for').selectOption('24 more hours');
    await press(page, 'Make a new secret');
    await press(page, 'Copy: token');
    const secret = await copied(page);
    assert.deepEqual([await statusWith(secret), await statusWith(agent.token)], [200, 200]);
    await press(page, 'Done');
    await act(page, 'Builder', 'Revoke');
    await press(page, 'Revoke');
    await said(page, 'The token Builder is revoked.');
    assert.deepEqual([await statusWith(secret), await statusWith(agent.token)], [401, 401]);
  });

  test('the lines of each program name this service, and the request with curl is accepted', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company);
    const { page } = await open(company, '/tokens?tab=connect');
    const programs = page.getByRole('radiogroup', { name: 'Program' }).locator('label');
    await programs.first().waitFor();
    for (const program of await programs.allInnerTexts()) {
      await choose(page, 'Program', program);
      await page.getByRole('radio', { name: program, checked: true }).waitFor();
      const lines = (await page.getByRole('main').locator('code').allInnerTexts()).join('\n');
      assert.ok(lines.includes(base) && lines.includes('<token>'), program);
    }
    const curl = page.getByRole('main').locator('code').filter({ hasText: 'curl' });
    const line = (await curl.innerText()).replaceAll(' \\\n ', '');
    const answer = await fetch(line.split(' ')[2] ?? '', {
      method: 'POST',
      headers: [...line.replace('<token>', agent.token).matchAll(/-H '([^:]+): ([^']+)'/g)].map(
        ([, name = '', value = '']) => [name, value],
      ),
      body: line.slice(line.indexOf("-d '") + 4, -1),
    });
    assert.equal(answer.status, 200, await answer.text());
  });

  test('with Full access, the tokens of others for the Team are revoked, and get no new secret', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, member, company, {
      name: 'Builder',
      permissions: ['memory:read'],
    });
    const { page } = await open(company, '/tokens?tab=team');
    await page.getByRole('cell', { name: 'Someone' }).waitFor();
    await press(page, 'Actions for Builder');
    await page.getByRole('menuitem', { name: 'Revoke' }).waitFor();
    assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), ['Revoke']);
    await page.getByRole('menuitem').click();
    await press(page, 'Revoke');
    await said(page, 'The token Builder is revoked.');
    assert.equal(await statusWith(agent.token), 401);
  });
});

describe('the page of the account', { skip }, () => {
  test('a person changes name, email and password', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const { page, refused } = await open({ ...person, teamId: company.teamId }, '/account');
    await page.getByLabel('Your name').fill('Ann Baker');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Account of Ann Baker' }).waitFor();
    const email = newEmail();
    await press(page, 'Change the email');
    await page.getByLabel('New email').fill(email);
    await page.getByLabel('Your password, to confirm').fill('not my password');
    await press(page, 'Change');
    await said(page, 'The password is wrong.');
    await page.getByLabel('Your password, to confirm').fill(PASSWORD);
    await press(page, 'Change');
    await said(page, 'Sign in with the new email from now on.');
    const next = 'another password of this test';
    await press(page, 'Change the password');
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('baker baker 2026');
    await press(page, 'Change');
    await said(page, 'made of your name or email. Choose another');
    assert.equal(await page.locator('input:focus').getAttribute('autocomplete'), 'new-password');
    await page.getByLabel('New password').fill(next);
    await press(page, 'Change');
    await said(page, 'Your password is changed.');
    assert.equal((await signInBy(service, email, next)).statusCode, 200);
    assert.equal(refused.splice(0).length, 2, 'the wrong password, and the one that is easily guessed');
  });

  test('all other sessions are ended at once, and tokens stay', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, person, company, { permissions: ['memory:read'] });
    const others = [];
    for (let n = 0; n < 2; n += 1) others.push(await service.signIn(company.companyId, person.userId));
    const { page } = await open({ ...person, teamId: company.teamId }, '/account');
    await press(page, 'End the others');
    await said(page, 'Ended: 2 other sessions.');
    const tokens = [...others, agent.token, person.token];
    assert.deepEqual(await Promise.all(tokens.map(statusWith)), [401, 401, 200, 200]);
  });

  test('one session is ended, and then everything that acts for the person but this session', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { teamRole: 'member' });
    const agent = await createAgent(service, person, company, { permissions: ['memory:read'] });
    const others = [];
    for (let n = 0; n < 3; n += 1) others.push(await service.signIn(company.companyId, person.userId));
    const { page } = await open({ ...person, teamId: company.teamId }, '/account');
    await page.getByRole('button', { name: 'End Unknown program' }).first().click();
    await said(page, 'The session has ended.');
    assert.deepEqual((await Promise.all(others.map(statusWith))).sort(), [200, 200, 401]);
    await press(page, 'End all sessions and tokens');
    await said(page, 'This ends 2 other sessions and 1 token at once.');
    await page.getByRole('dialog').getByRole('button', { name: 'End all' }).click();
    await said(page, 'Ended: 2 other sessions and 1 token.');
    assert.deepEqual(await Promise.all([...others, agent.token].map(statusWith)), [401, 401, 401, 401]);
    assert.equal(await statusWith(person.token), 200);
  });
});
