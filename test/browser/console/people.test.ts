import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { SignedIn } from '../../support/app.ts';
import { openTestApp } from '../../support/app.ts';
import { addPasswordHolder, join, newEmail, PASSWORD } from '../../support/invites.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, addPerson, type Person, type Ties } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of people', { skip }, () => {
  const open = (token: string, view = '') =>
    openConsole(browser, `${base}/people${view === '' ? '' : `?view=${view}`}`, token);
  const rename = (userId: string, name: string) =>
    service.database.query('update identity.account set name = $2 where id = $1', [userId, name]);
  const renameClient = (id: string, name: string) =>
    service.database.query('update identity.client set name = $2 where id = $1', [id, name]);
  async function addNamed(
    company: SignedIn,
    name: string,
    ties: Ties = { teamRole: 'member' },
  ): Promise<Person> {
    const person = await addPerson(service, company, ties);
    await rename(person.userId, name);
    return person;
  }
  async function addNamedClient(company: SignedIn, name: string): Promise<string> {
    const id = await addClient(service, company);
    await renameClient(id, name);
    return id;
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  const grants = (company: SignedIn) => company.all.listClientGrants();

  test('an Owner invites someone by a link, changes the role and removes the person', async () => {
    const company = await service.company();
    const acme = await addNamedClient(company, 'Acme');
    await addNamed(company, 'Zoe');
    const { page, faults, refused } = await open(company.token);
    await title(page, '2 members · People');
    const email = newEmail();
    await button(page, 'Invite someone').click();
    await button(page, 'Make the link').click();
    await page.getByText('Enter the email of the person.').waitFor();
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Acme').selectOption('Read and write');
    await button(page, 'Make the link').click();
    await page.getByText('The link is shown only now').waitFor();
    assert.equal(await focused(page), 'link-heading');
    const link = await page.locator('.invite-link code').innerText();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await button(page, 'Copy the line: invite').click();
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), link);
    const mail = String(await page.getByRole('link', { name: 'Write a mail with it' }).getAttribute('href'));
    assert.ok(decodeURIComponent(mail).includes(link) && mail.startsWith('mailto:'));
    assert.match(await row(page, email).innerText(), /Member, with 1 client\s+Open/);

    const joined = await join(service, { token: link.split('token=')[1] ?? '', name: 'Ann' });
    assert.equal(joined.statusCode, 201);
    const userId = joined.json<{ user: { id: string } }>().user.id;
    assert.deepEqual(
      (await grants(company)).map((grant) => [grant.userId, grant.clientId, grant.access]),
      [[userId, acme, 'write']],
    );
    await page.reload();
    assert.match(await row(page, email).innerText(), /Accepted/);
    await button(page, 'Change role of Ann').click();
    await page.getByLabel('Role of Ann').selectOption('Admin');
    await button(page, 'Save').click();
    await page.getByText('Ann is now an Admin.').waitFor();
    const roles = await company.all.listTeamMembers();
    assert.equal(roles.find(({ name }) => name === 'Ann')?.role, 'admin');

    await button(page, 'Remove Ann').click();
    await page.getByRole('dialog').getByText('needs a new invite').waitFor();
    await button(page, 'Cancel').click();
    assert.equal(await row(page, 'Ann').count(), 1);
    await button(page, 'Remove Ann').click();
    await button(page, 'Remove').click();
    await page.getByText('Ann was removed from the Team.').waitFor();
    assert.equal(await row(page, 'Ann').count(), 0);
    assert.match(await focused(page), /^remove-/);
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('grants are given and revoked in the table, and what is refused is shown as it was', async () => {
    const company = await service.company();
    const [ann, ben] = [await addNamed(company, 'Ann'), await addNamed(company, 'Ben')];
    const [acme, globex] = [await addNamedClient(company, 'Acme'), await addNamedClient(company, 'Globex')];
    const { page, faults } = await open(company.token, 'access');
    const cell = (name: string) => page.getByRole('combobox', { name });
    await cell('Ann, client Acme').selectOption('Read');
    await page.getByText('Ann can read Acme.').waitFor();
    // The second choice is made while the first is on its way.
    const held = Promise.withResolvers<void>();
    await page.route('**/team/grants/**', (route) => held.promise.then(() => route.continue()));
    await cell('Ben, client Globex').selectOption('Read');
    await cell('Ben, client Globex').selectOption('Write');
    held.resolve();
    await page.getByText('Ben can read and write Globex.').waitFor();
    await page.unroute('**/team/grants/**');
    const list = async () =>
      (await grants(company)).map(({ userId, clientId, access }) => [userId, clientId, access]).sort();
    assert.deepEqual(
      await list(),
      [
        [ann.userId, acme, 'read'],
        [ben.userId, globex, 'write'],
      ].sort(),
    );
    await cell('Ann, client Acme').selectOption('None');
    await page.getByText('Ann has no access to Acme.').waitFor();
    assert.deepEqual(await list(), [[ben.userId, globex, 'write']]);

    await page.getByLabel('Find a person').fill('ben');
    await page.waitForURL(/person=ben/);
    assert.equal(await cell('Ann, client Acme').count(), 0);
    await page.getByLabel('Find a person').fill('');

    await page.route('**/team/grants/**', (route) => route.abort());
    await cell('Ben, client Globex').selectOption('None');
    await page.getByText('Not changed: Ben, client Globex.').waitFor();
    assert.equal(await cell('Ben, client Globex').inputValue(), 'write');
    await page.unroute('**/team/grants/**');
    await company.ask.archiveClient(acme);
    await cell('Ann, client Acme').selectOption('Write');
    await page.getByText('Acme is archived. The table was read again.').waitFor();
    await cell('Ann, client Acme').waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  test('the settings of the Team are changed, and its new name is shown at once', async () => {
    const company = await service.company();
    await company.ask.createTeam({ name: 'Taken' });
    const { page, faults } = await open(company.token, `team&team=${company.teamId}`);
    await page.getByLabel('Name').fill('Taken');
    await page.getByLabel('Who can publish').selectOption('review');
    await button(page, 'Save').click();
    await page.getByText('Another Team of the Company has this name').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Taken');
    await page.getByLabel('Name').fill('Customer support');
    await page.getByLabel('Passwords, keys').selectOption('redact');
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await title(page, 'Team settings · People · Customer support');
    const team = await company.api.getSelectedTeam();
    assert.deepEqual(
      [team['name'], team['publish'], team['redaction']],
      ['Customer support', 'review', 'redact'],
    );
    assert.deepEqual(faults, []);
  });

  test('a person changes their name, email and password, and ends other sessions', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    await service.signIn(company.companyId, person.userId);
    await service.signIn(company.companyId, person.userId);
    const { page, faults } = await openConsole(browser, `${base}/account`, person.token);
    await page.getByLabel('Your name').fill('Ann Baker');
    await button(page, 'Save the name').click();
    await page.getByText('Signed in as Ann Baker').waitFor();

    await page.getByText('3 sessions').waitFor();
    await page.getByRole('button', { name: 'End Unknown program' }).first().click();
    await page.getByText('The session has ended.').waitFor();
    await page.getByText('2 sessions').waitFor();

    const email = newEmail();
    await page.getByLabel('Your email').fill(email);
    await page.getByLabel('Your password, to confirm').fill('not my password');
    // A wrong password is 401, but the session goes on, so that nothing asks for it again.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await button(page, 'Save the email').click();
    await page.getByText('The password is wrong.').waitFor();
    assert.equal(await page.getByLabel('Your email').inputValue(), email);
    assert.deepEqual(asked, ['/v1/auth/account']);
    await page.getByLabel('Your password, to confirm').fill(PASSWORD);
    await button(page, 'Save the email').click();
    await page.getByText('Sign in with it from now on.').waitFor();
    await page.getByText('1 session', { exact: true }).waitFor();

    const next = 'another password of this test';
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password, 12').fill(next);
    await page.getByLabel('The new password again').fill(`${next}!`);
    await button(page, 'Change the password').click();
    await page.getByText('The two new passwords differ.').waitFor();
    await page.getByLabel('The new password again').fill(next);
    await button(page, 'Change the password').click();
    await page.getByText('Changed. Your other sessions have ended.').waitFor();
    const login = await service.app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      payload: { email, password: next },
    });
    assert.equal(login.statusCode, 200);
    assert.deepEqual(faults, []);
  });
});
