import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { addPasswordHolder, join, newEmail, PASSWORD } from '../../support/invites.ts';
import { title } from '../../support/pages.ts';
import { signInBy } from '../../support/sign-in.ts';
import { addPerson } from '../../support/team.ts';
import { button, confirm, dialog, press, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

describe('the page of people', { skip }, () => {
  async function addNamed(company: SignedIn, name: string): Promise<string> {
    const { userId } = await addPerson(service, company, { teamRole: 'member' });
    await service.database.query('update identity.account set name = $2 where id = $1', [userId, name]);
    return userId;
  }
  const row = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
  const grants = async (company: SignedIn) =>
    (await company.all.listClientGrants())
      .map(({ userId, clientId, access }) => [userId, clientId, access])
      .sort();

  test('an Owner invites someone by a link, changes the role and removes the person', async () => {
    const company = await service.company();
    const { id: acme } = await company.api.createClient({ name: 'Acme' });
    const { page, refused } = await open(company, '/people');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const email = newEmail();
    await press(page, 'Invite someone');
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('Acme').selectOption('Read and write');
    await press(page, 'Make the link');
    await page.getByText('The link is shown only now').waitFor();
    const link = await page.locator('.invite-link code').innerText();
    await press(page, 'Copy the line: invite');
    await page.getByText('Copied').waitFor();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), link);
    assert.match(await row(page, email).innerText(), /Member, with 1 client\s+Open/);

    const joined = await join(service, { token: link.split('token=')[1] ?? '', name: 'Ann' });
    const { id: userId } = joined.json<{ user: { id: string } }>().user;
    assert.deepEqual(await grants(company), [[userId, acme, 'write']]);
    await page.reload();
    await press(page, 'Change role of Ann');
    await page.getByLabel('Role of Ann').selectOption('Admin');
    await press(page, 'Save');
    await page.getByText('Ann is now an Admin.').waitFor();
    await press(page, 'Remove Ann');
    await dialog(page).getByText('needs a new invite').waitFor();
    await confirm(page, 'Remove');
    await page.getByText('Ann was removed from the Team.').waitFor();
    assert.deepEqual([await row(page, 'Ann').count(), refused], [0, []]);
  });

  test('grants are given and revoked in the table, and what is refused is shown as it was', async () => {
    const company = await service.company();
    const [ann, ben] = [await addNamed(company, 'Ann'), await addNamed(company, 'Ben')];
    const { id: acme } = await company.api.createClient({ name: 'Acme' });
    const { page } = await open(company, '/people?view=access');
    const cell = (name: string) => page.getByRole('combobox', { name: `${name}, client Acme` });
    await cell('Ann').selectOption('Read');
    await page.getByText('Ann can read Acme.').waitFor();
    // The second choice is made while the first is on its way.
    const held = Promise.withResolvers<void>();
    await page.route('**/team/grants/**', (route) => held.promise.then(() => route.continue()));
    await cell('Ben').selectOption('Read');
    await cell('Ben').selectOption('Write');
    held.resolve();
    await page.getByText('Ben can read and write Acme.').waitFor();
    assert.deepEqual(
      await grants(company),
      [
        [ann, acme, 'read'],
        [ben, acme, 'write'],
      ].sort(),
    );
    await page.unroute('**/team/grants/**');
    await cell('Ann').selectOption('None');
    await page.getByText('Ann has no access to Acme.').waitFor();
    assert.deepEqual(await grants(company), [[ben, acme, 'write']]);
    await page.route('**/team/grants/**', (route) => route.abort());
    await cell('Ben').selectOption('None');
    await page.getByText('Not changed: Ben, client Acme.').waitFor();
    assert.equal(await cell('Ben').inputValue(), 'write');
  });

  test('the settings of the Team are changed, and its new name is shown at once', async () => {
    const company = await service.company();
    const { page, refused } = await open(company, '/people?view=team');
    await page.getByLabel('Name').fill('Customer support');
    await page.getByLabel('Who can publish').selectOption('review');
    await page.getByLabel('Passwords, keys').selectOption('redact');
    await press(page, 'Save');
    await page.getByText('Saved.').waitFor();
    await title(page, 'Team settings · People · Customer support');
    const { name, publish, redaction } = await company.api.getSelectedTeam();
    assert.deepEqual([name, publish, redaction, refused], ['Customer support', 'review', 'redact', []]);
  });

  test('a person changes their name, email and password, and ends other sessions', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    for (let n = 0; n < 2; n += 1) await service.signIn(company.companyId, person.userId);
    const { page } = await open({ ...person, teamId: company.teamId }, '/account');
    await page.getByLabel('Your name').fill('Ann Baker');
    await press(page, 'Save the name');
    await page.getByText('Signed in as Ann Baker').waitFor();
    await page.getByText('3 sessions').waitFor();
    await button(page, /^End Unknown program/)
      .first()
      .click();
    await page.getByText('2 sessions').waitFor();

    const email = newEmail();
    await page.getByLabel('Your email').fill(email);
    await page.getByLabel('Your password, to confirm').fill('not my password');
    await press(page, 'Save the email');
    await page.getByText('The password is wrong.').waitFor();
    await page.getByLabel('Your password, to confirm').fill(PASSWORD);
    await press(page, 'Save the email');
    await page.getByText('Sign in with it from now on.').waitFor();
    await page.getByText('1 session', { exact: true }).waitFor();

    const next = 'another password of this test';
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password, 12').fill(next);
    await page.getByLabel('The new password again').fill(next);
    await press(page, 'Change the password');
    await page.getByText('Changed. Your other sessions have ended.').waitFor();
    assert.equal((await signInBy(service, email, next)).statusCode, 200);
  });
});
