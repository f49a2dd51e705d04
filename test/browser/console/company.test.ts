import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { CompanyGrant, Invite, Member } from '../../../shared/schemas/people.ts';
import type { Team } from '../../../shared/schemas/teams.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { focused, heading, title } from '../../support/pages.ts';
import { askSession, outcome } from '../../support/sign-in.ts';
import { addPerson, addTeam, type Caller, type Person } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { assertStaysOpen, hold, openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;

describe('the page of the Company', { skip }, () => {
  const url = (part: string) => `${base}/company?part=${part}`;
  const open = (part: string, token: string) => openConsole(browser, url(part), token);
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const dialog = (page: Page) => page.getByRole('dialog');
  const said = (page: Page, text: string) => page.locator('.said').filter({ hasText: text }).waitFor();
  const row = (page: Page, name: string) => page.locator('.records > li').filter({ hasText: name });
  const rows = (page: Page) => page.locator('.records > li h3').allInnerTexts();
  const contents = (page: Page) => page.evaluate<string>('document.documentElement.outerHTML');
  const list = <T>(company: Caller, path: string) => company.readAll<T>(`/v1/company/${path}`);

  async function rename({ userId }: Person, name: string) {
    await database.query('update identity.account set name = $2 where id = $1', [userId, name]);
  }
  async function admin(company: SignedIn, name = 'Ada') {
    const person = await addPerson(service, company, { companyRole: 'admin' });
    await rename(person, name);
    return person;
  }

  test('an Owner without a Team makes the first one, and enters it', async () => {
    const company = await service.company();
    await database.query(
      `update identity.team set state = 'archived', deleted_at = now() where company_id = $1`,
      [company.companyId],
    );
    const { page, faults, refused } = await openConsole(browser, base, company.token);
    await page.getByRole('link', { name: 'Make one on the page of the Company' }).click();
    await page.getByText('The Company has no Team yet. Make the first one').waitFor();
    await title(page, 'Teams · Company');
    await button(page, 'Make a Team').click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Support');
    await page.keyboard.press('Enter');
    await button(page, 'Open the Team').click();
    await heading(page, 'First steps');
    assert.equal(
      await page.getByLabel('Team', { exact: true }).locator('option:checked').innerText(),
      '\u2068Support\u2069',
    );
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a new Team is in the list and in the choice of the Team, and the link for its Owner is shown once', async () => {
    const company = await service.company();
    const { page, faults } = await open('teams', company.token);
    await button(page, 'Make a Team').click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('test team');
    await dialog(page).getByLabel('Owner', { exact: true }).selectOption('invited');
    await dialog(page).getByLabel('Email of its Owner').fill('newcomer@example.com');
    await button(page, 'Make the Team').click();
    await dialog(page)
      .getByRole('alert')
      .filter({ hasText: 'Another Team of the Company has this name' })
      .waitFor();
    assert.equal(await dialog(page).getByLabel('Email of its Owner').inputValue(), 'newcomer@example.com');
    await dialog(page).getByLabel('Name', { exact: true }).fill('Sales');
    await button(page, 'Make the Team').click();
    const link = await dialog(page).locator('code').innerText();
    assert.match(link, /\/join#token=/);
    await button(page, 'Close').click();
    await said(page, 'The Team Sales is made.');
    assert.ok(!(await contents(page)).includes(link.slice(link.indexOf('='))));
    assert.deepEqual(await rows(page), ['Sales', 'Test Team']);
    assert.equal(await page.getByLabel('Team', { exact: true }).locator('option').count(), 2);
    assert.match(await focused(page), /^row-/);
    assert.deepEqual(faults, []);
  });

  test('an Owner changes the names and a quota, and archives, restores and deletes a Team', async () => {
    const company = await service.company();
    const { page, faults, refused } = await open('teams', company.token);
    await button(page, 'Rename the Company').click();
    await dialog(page).getByLabel('Name').fill('Harbour');
    await page.keyboard.press('Enter');
    await said(page, 'The Company is renamed.');
    assert.equal(await page.locator('#company').innerText(), 'Harbour');

    await button(page, 'Name and quota – Test Team').click();
    await dialog(page).getByLabel('Most passages').fill('7000');
    await dialog(page).getByLabel('Name', { exact: true }).fill('Pier');
    await button(page, 'Save').click();
    await said(page, 'The Team Pier is changed.');
    await title(page, 'Teams · Company · Pier');
    const one = await company.ask.getTeam(company.teamId);
    assert.deepEqual(one.json<Team>().quota, { chunks: 7000, bytes: null });

    await button(page, 'Archive – Pier').click();
    await button(page, 'Archive the Team').click();
    await said(page, 'The Team Pier is archived.');
    assert.equal(await focused(page), `row-${company.teamId}`);
    assert.deepEqual(await rows(page), ['Pier archived']);
    await button(page, 'Restore – Pier').click();
    await button(page, 'Restore the Team').click();
    await said(page, 'The Team Pier is restored.');
    await button(page, 'Archive – Pier').click();
    await button(page, 'Archive the Team').click();
    await said(page, 'The Team Pier is archived.');

    await button(page, 'Delete – Pier').click();
    await dialog(page).getByLabel('Type the name').fill('Peer');
    await button(page, 'Delete the Team').click();
    await dialog(page).getByRole('alert').filter({ hasText: 'not the name of the Team' }).waitFor();
    await dialog(page).getByLabel('Type the name').fill('Pier');
    await button(page, 'Delete the Team').click();
    await said(page, 'The Team Pier is deleted.');
    assert.equal(await focused(page), 'part-heading');
    assert.deepEqual(await list(company, 'teams'), []);
    await page.getByText('The Company has no Team yet. Make the first one').waitFor();
    await page.getByRole('option', { name: 'No Team yet' }).waitFor({ state: 'attached' });
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a dialog stays open while it sends, so that the link is shown', async () => {
    const company = await service.company();
    const ann = await addPerson(service, company, { teamRole: 'member' });
    await rename(ann, 'Ann');
    const { page } = await open('people', company.token);
    const reset = await hold(page, '**/reset-link', ['POST']);
    await button(page, 'Reset link – Ann').click();
    await button(page, 'Make the link').click();
    await reset.arrived;
    await assertStaysOpen(page);
    reset.letGo();
    assert.match(await dialog(page).locator('code').innerText(), /\/reset#token=/);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Invitations' }).first().click();
    const invitation = await hold(page, '**/v1/company/invitations', ['POST']);
    await button(page, 'Invite an Admin').click();
    await dialog(page).getByLabel('Email').fill('ada@example.com');
    await page.keyboard.press('Enter');
    await invitation.arrived;
    await assertStaysOpen(page);
    invitation.letGo();
    assert.match(await dialog(page).locator('code').innerText(), /\/accept#token=/);
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    const made = await hold(page, '**/v1/company/teams', ['POST']);
    await button(page, 'Make a Team').click();
    await dialog(page).getByLabel('Name', { exact: true }).fill('Sales');
    await dialog(page).getByLabel('Owner', { exact: true }).selectOption('invited');
    await dialog(page).getByLabel('Email of its Owner').fill('newcomer@example.com');
    await page.keyboard.press('Enter');
    await made.arrived;
    await assertStaysOpen(page);
    made.letGo();
    assert.match(await dialog(page).locator('code').innerText(), /\/join#token=/);
  });

  test('an Owner changes a role, makes a reset link and removes a person', async () => {
    const company = await service.company();
    const ann = await addPerson(service, company, { teamRole: 'member' });
    await rename(ann, 'Ann');
    const { page, faults, refused } = await open('people', company.token);
    await button(page, 'Change role – Ann').click();
    await dialog(page).getByLabel('Role', { exact: true }).selectOption('admin');
    await button(page, 'Change the role').click();
    await said(page, 'Ann is an Admin of the Company now.');
    await row(page, 'Ann').getByText('Admin', { exact: true }).waitFor();

    await button(page, 'Reset link – Ann').click();
    await button(page, 'Make the link').click();
    const link = await dialog(page).locator('code').innerText();
    assert.match(link, /\/reset#token=/);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    assert.ok(!(await contents(page)).includes(link.slice(link.indexOf('='))));

    await button(page, 'Remove – Ann').click();
    await button(page, 'Remove the person').click();
    await said(page, 'Ann is removed from the Company.');
    assert.equal(await focused(page), `row-${company.ownerId}`);
    assert.deepEqual(
      (await list<Member>(company, 'members')).map(({ userId }) => userId),
      [company.ownerId],
    );
    assert.deepEqual([faults, refused], [[], []]);

    await button(page, /^Change role/).click();
    await dialog(page).getByLabel('Role', { exact: true }).selectOption('member');
    await button(page, 'Change the role').click();
    await dialog(page).getByRole('alert').filter({ hasText: 'The last Owner cannot be' }).waitFor();
    assert.equal(await dialog(page).getByLabel('Role', { exact: true }).inputValue(), 'member');
  });

  test('an Owner erases a person after the email was typed', async () => {
    const company = await service.company();
    const ann = await addPerson(service, company, { teamRole: 'member' });
    await rename(ann, 'Ann');
    const { page, faults, refused } = await open('people', company.token);
    await button(page, 'Erase – Ann').click();
    await dialog(page).getByLabel('Type the email').fill('Ann');
    await button(page, 'Erase the person').click();
    await dialog(page).getByRole('alert').filter({ hasText: 'This is not the email' }).waitFor();
    assert.equal((await list<Member>(company, 'members')).length, 2);
    await dialog(page).getByLabel('Type the email').fill(`PERSON-${ann.userId}@example.com`);
    await button(page, 'Erase the person').click();
    await said(page, `Ann is erased, and is called Former member ${ann.userId.slice(-6)} from now on.`);
    assert.equal(await focused(page), `row-${company.ownerId}`);
    assert.equal(outcome(await askSession(service, ann.token)), '401 unauthenticated');
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('an Owner invites an Admin with a link, and revokes an invitation that was not used', async () => {
    const company = await service.company();
    const { page, faults } = await open('invitations', company.token);
    await page.getByText('Nobody was invited yet.').waitFor();
    await button(page, 'Invite an Admin').click();
    await dialog(page).getByLabel('Email').fill('ada@example.com');
    await dialog(page).getByLabel('The link works for').selectOption('1 day');
    await button(page, 'Make the invitation').click();
    const link = await dialog(page).locator('code').innerText();
    assert.match(link, /\/accept#token=/);
    await button(page, 'Close').click();
    await row(page, 'ada@example.com').getByText('open').waitFor();
    assert.ok(!(await contents(page)).includes(link.slice(link.indexOf('='))));
    const [invitation] = await list<Invite>(company, 'invitations');
    const hours =
      (Date.parse(String(invitation?.expiresAt)) - Date.parse(String(invitation?.createdAt))) / 3_600_000;
    assert.equal(Math.round(hours), 24);

    await button(page, 'Revoke – ada@example.com').click();
    await button(page, 'Revoke the invitation').click();
    await said(page, 'The invitation of ada@example.com is revoked.');
    assert.deepEqual(await rows(page), ['ada@example.com revoked']);
    assert.equal(await focused(page), `row-${invitation?.id}`);
    assert.deepEqual(faults, []);
  });

  test('grants are a table of Admins and Teams, whose changes are saved together', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    const [ada, bob] = [await admin(company, 'Ada'), await admin(company, 'Bob')];
    const { page, faults, refused } = await open('grants', company.token);
    await page.setViewportSize({ width: 1280, height: 800 });
    const cell = (team: string, person: string) => page.getByLabel(`${team} for ${person}`);
    await page.getByRole('table').waitFor();
    assert.deepEqual(await page.getByRole('columnheader').allInnerTexts(), [
      'Admin',
      'Another Team',
      'Test Team',
    ]);
    for (const width of [320, 640, 800, 1280]) {
      await page.setViewportSize({ width, height: 1200 });
      const isShown = `[...document.querySelectorAll('.matrix bdi')].some((name) => {
        const { x, y, width, height } = name.getBoundingClientRect();
        return name.textContent === 'Test Team' && document.elementFromPoint(x + width / 2, y + height / 2) === name;
      })`;
      assert.ok(await page.evaluate(isShown), `the name of the Team at ${width} px`);
    }
    await cell('Test Team', 'Ada').selectOption('read');
    await cell('Another Team', 'Bob').selectOption('full');
    await page.getByText('2 changes not saved').waitFor();
    assert.deepEqual(await list(company, 'grants'), []);
    await button(page, 'Save the changes').click();
    await said(page, '2 grants changed.');
    const grants = await list<CompanyGrant>(company, 'grants');
    assert.deepEqual(
      grants.map(({ userId, teamId, access }) => [userId, teamId, access]).sort(),
      [
        [ada.userId, company.teamId, 'read'],
        [bob.userId, other, 'full'],
      ].sort(),
    );
    assert.equal(await focused(page), 'part-heading');

    await cell('Test Team', 'Ada').selectOption('none');
    await button(page, 'Discard').click();
    assert.equal(await cell('Test Team', 'Ada').inputValue(), 'read');
    await cell('Test Team', 'Ada').selectOption('none');
    await button(page, 'Save the changes').click();
    await said(page, '1 grant changed.');
    assert.equal((await list(company, 'grants')).length, 1);
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('an Admin asks for access, and an Owner approves it', async () => {
    const company = await service.company();
    const ada = await admin(company);
    const asking = await open('teams', ada.token);
    await button(asking.page, 'Ask for access – Test Team').click();
    await dialog(asking.page).getByLabel('Access', { exact: true }).selectOption('read');
    await dialog(asking.page).getByLabel('Reason').fill('The audit of May');
    await button(asking.page, 'Send the request').click();
    await said(asking.page, 'Your request is sent.');
    await asking.page.goto(url('requests'));
    await row(asking.page, 'Ada asks for Read in Test Team').getByText('open').waitFor();

    const { page, faults, refused } = await open('requests', company.token);
    await page.getByText('The audit of May').waitFor();
    await button(page, 'Approve – Ada').click();
    await said(page, 'The request of Ada is approved.');
    assert.match(await focused(page), /^row-/);
    assert.equal(await button(page, 'Deny').count(), 0);
    assert.deepEqual(
      (await list<CompanyGrant>(company, 'grants')).map(({ access }) => access),
      ['read'],
    );
    assert.deepEqual([faults, refused, asking.faults, asking.refused], [[], [], [], []]);
    await asking.page.reload();
    await asking.page
      .getByLabel('Team', { exact: true })
      .locator('option', { hasText: 'Test Team' })
      .waitFor({ state: 'attached' });
  });

  test('what cannot be read says why, and can be tried again', async () => {
    const { token } = await service.company();
    const { page } = await open('teams', token);
    await page.route('**/v1/company/grants?*', (route) => route.abort());
    await page.route('**/v1/company/invitations', (route) => route.abort());
    await page.goto(url('invitations'));
    await page.getByRole('alert').filter({ hasText: 'The service did not answer' }).waitFor();
    await page.unroute('**/v1/company/invitations');
    await button(page, 'Try again').click();
    await page.getByText('Nobody was invited yet.').waitFor();
    await page.goto(url('grants'));
    await page.getByRole('alert').filter({ hasText: 'The service did not answer' }).waitFor();
    await page.unroute('**/v1/company/grants?*');
    await button(page, 'Try again').click();
    await page.getByText('The Company has no Admin.').waitFor();
  });
});
