import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { title } from '../../support/pages.ts';
import { askSession, outcome } from '../../support/sign-in.ts';
import { addPerson, addTeam, type Ties } from '../../support/team.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { database } = service;
const { open, skip } = await openPages(service);

const dialog = (page: Page) => page.getByRole('dialog').last();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Waits until a toast says this. */
const said = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

/** Takes back what a toast says. */
const undo = (page: Page, text: string) =>
  page.getByRole('dialog').filter({ hasText: text }).getByRole('button', { name: 'Undo' }).click();

async function named(company: SignedIn, name: string, ties: Ties) {
  const person = await addPerson(service, company, ties);
  await database.query('update identity.account set name = $2 where id = $1', [person.userId, name]);
  return { ...person, teamId: company.teamId };
}

describe('the page of the Company', { skip }, () => {
  test('an Owner makes a Team and is in it at once', async () => {
    const company = await service.company();
    const { page } = await open(company, '/company');
    await button(page, 'New Team').click();
    await dialog(page).getByLabel('Name').fill('Sup');
    await page.keyboard.press('Escape');
    await page.locator('button:focus').getByText('New Team').waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).getByLabel('Name').fill('Support');
    await page.keyboard.press('Enter');
    await said(page, 'The Team Support is made.');
    await title(page, 'Home · Support');
    await page.goBack();
    await button(page, 'New Team').waitFor();
    assert.equal(await page.getByRole('dialog').filter({ hasText: 'Make the Team' }).count(), 0);
  });

  test('a Team is renamed, limited, archived with an Undo, and deleted once its name is typed', async () => {
    const company = await service.company();
    const { page } = await open(company, '/company');
    await button(page, 'Test Team').click();
    await dialog(page).getByLabel('Name').fill('Pier');
    await page.keyboard.press('Enter');
    await said(page, 'Name: saved.');
    await dialog(page).getByLabel('Limit of passages').fill('7000');
    await page.keyboard.press('Enter');
    await said(page, 'Limit of passages: saved.');
    const quota = async () => (await company.api.getTeam(company.teamId)).quota;
    assert.deepEqual(await quota(), { chunks: 7000, bytes: null });
    const storage = dialog(page).getByLabel('Limit of storage');
    await storage.fill('5');
    await page.keyboard.press('Enter');
    await said(page, 'Limit of storage (GB): saved.');
    // Each Undo takes back its own limit.
    await Promise.all([
      page.waitForResponse((answer) => answer.request().method() === 'PATCH'),
      undo(page, 'Limit of passages: saved.'),
    ]);
    assert.deepEqual(await quota(), { chunks: null, bytes: 5e9 });
    await storage.fill('');
    await storage.pressSequentially('1e');
    await page.keyboard.press('Enter');
    await said(page, 'Enter a number.');
    assert.deepEqual(await quota(), { chunks: null, bytes: 5e9 });
    await button(page, 'Archive the Team').click();
    await said(page, 'Pier: archived.');
    await undo(page, 'Pier: archived.');
    await said(page, 'Pier: restored.');
    await button(page, 'Archive the Team').click();
    await button(page, 'Delete the Team').click();
    const confirm = dialog(page);
    await confirm.getByLabel('Type the name').fill('Peer');
    await confirm.getByRole('button', { name: 'Delete the Team' }).click();
    await confirm.getByText('This is not the same.').waitFor();
    await confirm.getByLabel('Type the name').fill('Pier');
    await confirm.getByRole('button', { name: 'Delete the Team' }).click();
    await page.getByText('The Company has no Team yet').waitFor();
    assert.equal((await company.all.listTeams()).length, 0);
  });

  test('a link is shown once, and its dialog asks before it is closed without a copy', async () => {
    const company = await service.company();
    const { page } = await open(company, '/company?part=invitations');
    await button(page, 'Invite Admins').click();
    await dialog(page).getByLabel('Email').fill('ada@example.com');
    // While the answer is on its way, nothing closes the dialog: the link would be lost.
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/v1/company/invitations', async (route) => {
      if (route.request().method() === 'POST') await promise;
      await route.continue();
    });
    // The first Escape comes before the form can be shown as busy.
    await button(page, 'Make the link').waitFor();
    await page.evaluate(`
      document.querySelector('[role=dialog] [type=submit]').click();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    `);
    for (let n = 0; n < 3; n += 1) await page.keyboard.press('Escape');
    resolve();
    const link = dialog(page).locator('code');
    await link.waitFor();
    assert.match(await link.innerText(), /\/accept#token=/);
    await page.keyboard.press('Escape');
    await dialog(page).getByText('You have not copied the link').waitFor();
    await dialog(page).getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(page, 'Actions for ada@example.com').click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await said(page, 'The invite to ada@example.com is revoked.');
  });

  test('an Owner opens a Team to an Admin, who can be made a Member and erased', async () => {
    const company = await service.company();
    await addTeam(service, company);
    const ada = await named(company, 'Ada', { companyRole: 'admin' });
    const { page } = await open(company, '/company?part=people');
    await button(page, 'Ada').click();
    await dialog(page).getByRole('radiogroup', { name: 'Another Team' }).getByText('Read').click();
    await said(page, 'Ada can read Another Team.');
    assert.deepEqual(
      (await company.all.listCompanyGrants()).map(({ userId, access }) => [userId, access]),
      [[ada.userId, 'read']],
    );
    await undo(page, 'Ada can read Another Team.');
    await said(page, 'The access is as it was before.');
    // Access cannot be given back, so it asks.
    await dialog(page).getByRole('radiogroup', { name: 'Role' }).getByText('Member').click();
    await dialog(page).getByRole('button', { name: 'Change the role' }).click();
    await said(page, 'Ada is now a Member.');
    await button(page, 'Erase').click();
    await dialog(page).getByLabel('Type the email').fill(`PERSON-${ada.userId}@example.com`);
    await page.keyboard.press('Enter');
    await said(page, `Ada is erased, and is called Former member ${ada.userId.slice(-6)} from now on.`);
    assert.equal(outcome(await askSession(service, ada.token)), '401 unauthenticated');
  });

  test('an Admin asks for access, sees no tokens, and an Owner approves', async () => {
    const company = await service.company();
    const ada = await named(company, 'Ada', { companyRole: 'admin' });
    const { page: asking } = await open(ada, '/company?part=requests');
    await asking.getByText('You have not asked for access').waitFor();
    await button(asking, 'Ask for access').click();
    await dialog(asking).getByLabel('Reason').fill('The audit of May');
    await button(asking, 'Send the request').click();
    await asking.getByText('The audit of May').waitFor();
    assert.equal(await asking.getByRole('navigation', { name: 'Parts' }).getByText('Tokens').count(), 0);
    const { page } = await open(company, '/company?part=requests');
    await button(page, 'Approve').click();
    await said(page, 'The request of Ada is approved.');
    assert.deepEqual(
      (await company.all.listCompanyGrants()).map(({ access }) => access),
      ['read'],
    );
  });
});

describe('the settings of a Team', { skip }, () => {
  test('are saved in place, with an Undo; what is refused stays in its field', async () => {
    const company = await service.company();
    await company.api.createTeam({ name: 'Quay' });
    const { page } = await open(company, '/settings');
    await page.getByLabel('Memories are published by').selectOption('review');
    await said(page, 'Publishing: saved.');
    assert.equal((await company.api.getSelectedTeam()).publish, 'review');
    await undo(page, 'Publishing: saved.');
    await page
      .locator('option:checked')
      .getByText('Everyone who consolidates')
      .waitFor({ state: 'attached' });
    await page.getByLabel('Name').fill('Quay');
    await page.keyboard.press('Enter');
    await page.locator('[aria-invalid=true]').waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Quay');
    await page.getByLabel('Name').fill('Pier');
    await page.keyboard.press('Enter');
    await title(page, 'Settings · Pier');
  });

  test('cannot be changed in an archived Team, which a Team Admin cannot restore', async () => {
    const company = await service.company();
    const carl = await named(company, 'Carl', { teamRole: 'admin' });
    await company.api.archiveTeam(company.teamId);
    const { page } = await open(carl, '/settings');
    await page.getByLabel('Name').waitFor();
    assert.ok(await page.getByLabel('Name').isDisabled());
    assert.equal(await button(page, 'Restore the Team').count(), 0);
  });
});
