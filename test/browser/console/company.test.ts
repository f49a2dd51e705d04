import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { focused, heading, title } from '../../support/pages.ts';
import { askSession, outcome } from '../../support/sign-in.ts';
import { addPerson, addTeam, type Ties } from '../../support/team.ts';
import {
  alarmed,
  button,
  contents,
  dialog,
  follow,
  hold,
  press,
  row,
  said,
  serveConsole,
} from './console-tab.ts';

const service = await openTestApp();
const { database } = service;
const { open, skip } = await serveConsole(service);

describe('the page of the Company', { skip }, () => {
  async function named(company: SignedIn, name: string, ties: Ties) {
    const person = await addPerson(service, company, ties);
    await database.query('update identity.account set name = $2 where id = $1', [person.userId, name]);
    return { ...person, teamId: company.teamId };
  }

  test('an Owner without a Team makes the first one, and enters it', async () => {
    const company = await service.company();
    await company.api.archiveTeam(company.teamId);
    await company.api.deleteTeam(company.teamId);
    const { page } = await open(company, '/');
    await page.getByRole('link', { name: 'Make one on the page of the Company' }).click();
    await press(page, 'Make a Team');
    await dialog(page).getByLabel('Name', { exact: true }).fill('Support');
    await page.keyboard.press('Enter');
    await press(page, 'Open the Team');
    await heading(page, 'First steps');
    await title(page, 'Support');
  });

  test('an Owner changes the names and a quota, and archives, restores and deletes a Team', async () => {
    const company = await service.company();
    const { page, refused } = await open(company, '/company?part=teams');
    await press(page, 'Rename the Company');
    await dialog(page).getByLabel('Name').fill('Harbour');
    await page.keyboard.press('Enter');
    await said(page, 'The Company is renamed.');
    await press(page, 'Name and quota – Test Team');
    await dialog(page).getByLabel('Most passages').fill('7000');
    await dialog(page).getByLabel('Name', { exact: true }).fill('Pier');
    await press(page, 'Save');
    await said(page, 'The Team Pier is changed.');
    await title(page, 'Teams · Company · Pier');
    assert.equal((await company.api.getTeam(company.teamId)).quota?.chunks, 7000);
    for (const [act, done] of [
      ['Archive', 'archived'],
      ['Restore', 'restored'],
      ['Archive', 'archived'],
    ] as const) {
      await press(page, `${act} – Pier`);
      await press(page, `${act} the Team`);
      await said(page, `The Team Pier is ${done}.`);
    }
    await press(page, 'Delete – Pier');
    await dialog(page).getByLabel('Type the name').fill('Peer');
    await press(page, 'Delete the Team');
    await alarmed(page, 'not the name of the Team');
    await dialog(page).getByLabel('Type the name').fill('Pier');
    await press(page, 'Delete the Team');
    await said(page, 'The Team Pier is deleted.');
    assert.equal(await focused(page), 'part-heading');
    await page.getByText('The Company has no Team yet. Make the first one').waitFor();
    assert.deepEqual(refused, []);
  });

  test('a link is shown once, in a dialog that stays open until the link is there', async () => {
    const company = await service.company();
    await named(company, 'Ann', { teamRole: 'member' });
    const { page, refused } = await open(company, '/company?part=people');
    for (const { part, begin, path, link } of [
      {
        part: 'People',
        begin: async () => {
          await press(page, 'Reset link – Ann');
          await press(page, 'Make the link');
        },
        path: '**/reset-link',
        link: /\/reset#token=/,
      },
      {
        part: 'Invitations',
        begin: async () => {
          await press(page, 'Invite an Admin');
          await dialog(page).getByLabel('Email').fill('ada@example.com');
          await page.keyboard.press('Enter');
        },
        path: '**/v1/company/invitations',
        link: /\/accept#token=/,
      },
      {
        part: 'Teams',
        begin: async () => {
          await press(page, 'Make a Team');
          await dialog(page).getByLabel('Name', { exact: true }).fill('Sales');
          await dialog(page).getByLabel('Owner', { exact: true }).selectOption('invited');
          await dialog(page).getByLabel('Email of its Owner').fill('newcomer@example.com');
          await page.keyboard.press('Enter');
        },
        path: '**/v1/company/teams',
        link: /\/join#token=/,
      },
    ]) {
      await page.getByRole('link', { name: part, exact: true }).last().click();
      const sent = await hold(page, path);
      await begin();
      await sent.arrived;
      await button(page, 'Cancel').click({ force: true });
      for (let n = 0; n < 3; n += 1) await page.keyboard.press('Escape');
      await page.getByText('Wait for the answer: it is on its way.').waitFor();
      sent.letGo();
      const shown = await dialog(page).locator('code').innerText();
      assert.match(shown, link);
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      assert.ok(!(await contents(page)).includes(shown.slice(shown.indexOf('='))));
    }
    await said(page, 'The Team Sales is made.');
    await follow(page, 'Invitations');
    await press(page, 'Revoke – ada@example.com');
    await press(page, 'Revoke the invitation');
    await said(page, 'The invitation of ada@example.com is revoked.');
    assert.deepEqual(refused, []);
  });

  test('an Owner changes a role, removes a person, and erases one after the email was typed', async () => {
    const company = await service.company();
    const [, ben] = [
      await named(company, 'Ann', { teamRole: 'member' }),
      await named(company, 'Ben', { teamRole: 'member' }),
    ];
    const { page, refused } = await open(company, '/company?part=people');
    const members = async () => (await company.all.listCompanyMembers()).length;
    await press(page, 'Change role – Ann');
    await dialog(page).getByLabel('Role', { exact: true }).selectOption('admin');
    await press(page, 'Change the role');
    await said(page, 'Ann is an Admin of the Company now.');
    await press(page, 'Remove – Ann');
    await press(page, 'Remove the person');
    await said(page, 'Ann is removed from the Company.');
    assert.match(await focused(page), /^row-/);
    await press(page, 'Erase – Ben');
    await dialog(page).getByLabel('Type the email').fill('Ben');
    await press(page, 'Erase the person');
    await alarmed(page, 'This is not the email');
    assert.equal(await members(), 2);
    await dialog(page).getByLabel('Type the email').fill(`PERSON-${ben.userId}@example.com`);
    await press(page, 'Erase the person');
    await said(page, `Ben is erased, and is called Former member ${ben.userId.slice(-6)} from now on.`);
    assert.equal(outcome(await askSession(service, ben.token)), '401 unauthenticated');
    assert.deepEqual([await members(), refused], [1, []]);
    await press(page, /^Change role/);
    await dialog(page).getByLabel('Role', { exact: true }).selectOption('member');
    await press(page, 'Change the role');
    await alarmed(page, 'The last Owner cannot be');
  });

  test('grants are a table of Admins and Teams, whose changes are saved together', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    const ada = await named(company, 'Ada', { companyRole: 'admin' });
    const bob = await named(company, 'Bob', { companyRole: 'admin' });
    const { page, refused } = await open(company, '/company?part=grants');
    const cell = (team: string, person: string) => page.getByLabel(`${team} for ${person}`);
    await cell('Test Team', 'Ada').selectOption('read');
    await cell('Another Team', 'Bob').selectOption('full');
    await page.getByText('2 changes not saved').waitFor();
    await press(page, 'Save the changes');
    await said(page, '2 grants changed.');
    await cell('Test Team', 'Ada').selectOption('none');
    await press(page, 'Discard');
    assert.equal(await cell('Test Team', 'Ada').inputValue(), 'read');
    const grants = await company.all.listCompanyGrants();
    assert.deepEqual(
      grants.map(({ userId, teamId, access }) => [userId, teamId, access]).sort(),
      [
        [ada.userId, company.teamId, 'read'],
        [bob.userId, other, 'full'],
      ].sort(),
    );
    assert.deepEqual(refused, []);
  });

  test('an Admin asks for access, and an Owner approves it', async () => {
    const company = await service.company();
    const ada = await named(company, 'Ada', { companyRole: 'admin' });
    const { page: asking } = await open(ada, '/company?part=teams');
    await press(asking, 'Ask for access – Test Team');
    await dialog(asking).getByLabel('Access', { exact: true }).selectOption('read');
    await dialog(asking).getByLabel('Reason').fill('The audit of May');
    await press(asking, 'Send the request');
    await said(asking, 'Your request is sent.');
    const { page } = await open(company, '/company?part=requests');
    await row(page, 'Ada asks for Read in Test Team').getByText('The audit of May').waitFor();
    await press(page, 'Approve – Ada');
    await said(page, 'The request of Ada is approved.');
    assert.deepEqual(
      (await company.all.listCompanyGrants()).map(({ access }) => access),
      ['read'],
    );
  });
});
