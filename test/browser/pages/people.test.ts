import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { addPasswordHolder, join, newEmail } from '../../support/invites.ts';
import { addPerson, archiveTeam } from '../../support/team.ts';
import { openPages } from './support.ts';

const service = await openTestApp();
const { open, skip } = await openPages(service);

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();
/** Chooses one of the values that stand side by side. */
const choose = (page: Page, group: string | RegExp, value: string) =>
  page.getByRole('radiogroup', { name: group, exact: true }).getByText(value, { exact: true }).click();
const isChosen = (page: Page, group: string, value: string) =>
  page.getByRole('radiogroup', { name: group, exact: true }).getByRole('radio', { name: value, exact: true });
/** Chooses an action of the menu of a row. */
async function act(page: Page, name: string, action: string) {
  await press(page, `Actions for ${name}`);
  await page.getByRole('menuitem', { name: action }).click();
}
/** Copies what is shown only once, so that the window closes without a question. */
const allowCopies = (page: Page) => page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
const copied = (page: Page) => page.evaluate<string>('navigator.clipboard.readText()');

describe('the page of people', { skip }, () => {
  async function addNamed(company: SignedIn, name: string, clients = {}): Promise<string> {
    const { userId } = await addPerson(service, company, { teamRole: 'member', clients });
    await service.database.query('update identity.account set name = $2 where id = $1', [userId, name]);
    return userId;
  }
  const grants = async (company: SignedIn) =>
    (await company.all.listClientGrants()).map(({ userId, clientId, access }) => [userId, clientId, access]);

  test('several people are invited at once to the same clients, and each link works', async () => {
    const company = await service.company();
    const { id: acme } = await company.api.createClient({ name: 'Acme' });
    const { id: globex } = await company.api.createClient({ name: 'Globex' });
    const { page, refused } = await open(company, '/people');
    await allowCopies(page);
    const [ann, ben, { email: owner }] = [newEmail(), newEmail(), (await company.api.getSession()).user];
    await press(page, 'Invite people');
    await page.getByLabel('Email addresses').fill(`Ann Baker <${ann}>, ${ben}\n${owner}`);
    await choose(page, 'Acme', 'Read');
    await choose(page, 'Globex', 'Write');
    await page.getByLabel('The link works for').selectOption('1 day');
    await press(page, 'Make 3 links');
    await said(page, 'You cannot invite yourself');
    await page.keyboard.press('Escape');
    await said(page, 'Close without a copy?');
    await press(page, 'Cancel');
    await press(page, 'Copy all');
    await press(page, 'Copied');
    const lines = (await copied(page)).split('\n').map((line) => line.split('\t'));
    assert.deepEqual(
      lines.map(([email]) => email),
      [ann, ben],
    );
    const joined = await join(service, { token: lines[0]?.[1]?.split('token=')[1] ?? '', name: 'Ann' });
    const { id: userId } = joined.json<{ user: { id: string } }>().user;
    assert.deepEqual(
      (await grants(company)).sort(),
      [
        [userId, acme, 'read'],
        [userId, globex, 'write'],
      ].sort(),
    );
    await press(page, 'Try again');
    assert.equal(await page.getByLabel('Email addresses').inputValue(), owner);
    assert.equal(await page.getByLabel('The link works for').inputValue(), '24');
    assert.equal(refused.splice(0).length, 1, 'the request that was refused');
  });

  test('someone of the Company is found by a part of the name and added at once, with the keyboard', async () => {
    const company = await service.company();
    const { id: acme } = await company.api.createClient({ name: 'Acme' });
    const { userId } = await addPerson(service, company, {});
    await service.database.query('update identity.account set name = $2 where id = $1', [
      userId,
      'Zoë Ångström',
    ]);
    await addNamed(company, 'Zora Member');
    const { page, refused } = await open(company, '/people');
    await press(page, 'Add a person');
    const field = page.getByRole('combobox', { name: 'Name or whole email' });
    await press(page, 'Add to the Team');
    await said(page, 'Type a name, and choose a person.');
    await field.fill('Nobody at all');
    await said(page, 'Nobody of your Company has this name');
    // Only who has no role in the Team is found.
    await field.fill('ZO');
    await page.getByRole('option', { name: 'Zoë Ångström' }).waitFor();
    assert.equal(await page.getByRole('option').count(), 1);
    await field.press('ArrowDown');
    await field.press('Enter');
    await page.getByRole('button', { name: 'Choose another' }).waitFor();
    await choose(page, 'Acme', 'Read');
    await press(page, 'Add to the Team');
    await said(page, 'Zoë Ångström is now a Member of the Team.');
    assert.deepEqual(await grants(company), [[userId, acme, 'read']]);
    await page.getByRole('button', { name: 'Zoë Ångström', exact: true }).waitFor();
    // A search that fails says so, and the next one is tried.
    const isSearch = (url: URL) => url.pathname.endsWith('/team/people');
    await page.route(isSearch, (route) => route.fulfill({ status: 400, json: {} }));
    await press(page, 'Add a person');
    await field.fill('Zoë');
    await said(page, 'The people cannot be found now.');
    await page.unroute(isSearch);
    await field.fill(`person-${userId}@example.com`);
    await said(page, 'Nobody of your Company has this name');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    refused.splice(0);
  });

  test('access is given, copied from someone else and taken back, and what is refused is shown as it was', async () => {
    const company = await service.company();
    const { id: acme } = await company.api.createClient({ name: 'Acme' });
    const { id: globex } = await company.api.createClient({ name: 'Globex' });
    const ann = await addNamed(company, 'Ann');
    await addNamed(company, 'Ben', { [acme]: 'read', [globex]: 'write' });
    const { page, refused } = await open(company, '/people');
    await press(page, 'Ann');
    // The second choice is made while the first is on its way.
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/team/grants/**', (route) => promise.then(() => route.continue()));
    await choose(page, 'Acme', 'Read');
    await choose(page, 'Acme', 'Write');
    resolve();
    await said(page, 'Ann can read and write Acme.');
    await page.unroute('**/team/grants/**');
    await press(page, 'Same access as …');
    await page.getByRole('menuitem', { name: 'Ben' }).click();
    await said(page, 'Ann has the access of Ben.');
    const ofAnn = async () => (await grants(company)).filter(([userId]) => userId === ann).sort();
    assert.deepEqual(
      await ofAnn(),
      [
        [ann, acme, 'read'],
        [ann, globex, 'write'],
      ].sort(),
    );
    await page.getByRole('button', { name: 'Undo' }).first().click();
    await said(page, 'The access is as it was before.');
    assert.deepEqual(await ofAnn(), [[ann, acme, 'write']]);
    await page.route('**/team/grants/**', (route) => route.abort());
    await choose(page, 'Globex', 'Read');
    await said(page, '1 change of access not made.');
    assert.ok(await isChosen(page, 'Globex', 'None').isChecked());
    const isList = (url: URL) => url.pathname.endsWith('/team/grants');
    await page.route(isList, (route) => route.fulfill({ status: 400, json: {} }));
    await page.reload();
    const retry = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
    await retry.waitFor();
    await page.unroute(isList);
    await retry.click();
    await isChosen(page, 'Acme', 'Write').waitFor();
    refused.splice(0);
  });

  test('an invite is made again without a client that was archived', async () => {
    const company = await service.company();
    const { id: clientId } = await company.api.createClient({ name: 'Acme' });
    await company.api.createClient({ name: 'Globex' });
    const [email, access] = [newEmail(), 'read' as const];
    await company.api.createInvite({ email, role: 'member', grants: [{ clientId, access }] });
    await company.api.archiveClient(clientId);
    const { page } = await open(company, '/people?tab=invites');
    await act(page, email, 'Make a new link');
    await choose(page, 'Globex', 'Read');
    await press(page, 'Make the link');
    await page.getByRole('button', { name: 'Copy the link' }).waitFor();
  });

  test('a role is raised with Undo, lowered after a question, and someone is removed', async () => {
    const company = await service.company();
    const ann = await addNamed(company, 'Ann');
    const { page } = await open(company, `/people?person=${ann}`);
    const roleOf = async () =>
      (await company.all.listTeamMembers()).find(({ userId }) => userId === ann)?.role;
    await choose(page, 'Role', 'Admin');
    await said(page, 'Ann is now an Admin.');
    assert.equal(await roleOf(), 'admin');
    await choose(page, 'Role', 'Member');
    await press(page, 'Change the role');
    await said(page, 'Ann is now a Member.');
    assert.equal(await roleOf(), 'member');
    await press(page, 'Remove from the Team');
    await press(page, 'Remove');
    await said(page, 'Ann was removed from the Team.');
    assert.equal(await roleOf(), undefined);
    assert.equal(await page.getByRole('button', { name: 'Ann' }).count(), 0);
  });

  test('an Owner of the Company makes a link to set a new password', async () => {
    const company = await service.company();
    const person = await addPasswordHolder(service, company, { teamRole: 'member' });
    const { page } = await open(company, `/people?person=${person.userId}`);
    await allowCopies(page);
    await press(page, 'Link to set a new password');
    await press(page, 'Make the link');
    await press(page, 'Copy the link');
    await press(page, 'Copied');
    assert.match(await copied(page), /\/reset#token=/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Send this link' }).waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes('/reset#token='));
  });

  test('a Member sees who is in the Team, and nothing to change it', async () => {
    const company = await service.company();
    await addNamed(company, 'Ann');
    const member = await addPerson(service, company, { teamRole: 'member' });
    const { page } = await open({ ...member, teamId: company.teamId }, '/people');
    await page.getByRole('cell', { name: 'Ann' }).waitFor();
    await said(page, 'ask one of its Owners or Admins');
    const main = page.getByRole('main');
    assert.equal(await main.getByRole('button').count(), 0);
    await page.getByRole('searchbox', { name: 'Name or email' }).fill('nobody');
    await said(page, 'Nobody has this in their name or email');
  });

  test('in an archived Team, access is only taken away', async () => {
    const company = await service.company();
    const { id: acme } = await company.api.createClient({ name: 'Acme' });
    const ann = await addNamed(company, 'Ann', { [acme]: 'read' });
    await archiveTeam(service, company.teamId);
    const { page } = await open(company, `/people?person=${ann}`);
    await choose(page, 'Acme', 'None');
    await said(page, 'Ann can no longer open Acme.');
    assert.deepEqual(await grants(company), []);
    assert.equal(await isChosen(page, 'Acme', 'Read').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Invite people' }).count(), 0);
  });
});

describe('the page of clients', { skip }, () => {
  test('an Owner makes, renames, archives and restores clients, and opens one to a Member', async () => {
    const company = await service.company();
    const { userId } = await addPerson(service, company, { teamRole: 'member' });
    const { page, refused } = await open(company, '/clients');
    for (const name of ['Acme', 'Globex']) {
      await page.getByRole('button', { name: 'New client' }).first().click();
      await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name);
      await press(page, 'Create');
      await said(page, `${name} is there.`);
    }
    await act(page, 'Acme', 'Who can open it');
    await choose(page, /^Someone, person-/, 'Read');
    await said(page, 'Someone can read Acme.');
    assert.deepEqual(
      (await company.all.listClientGrants()).map((grant) => grant.userId),
      [userId],
    );
    await page.keyboard.press('Escape');
    await act(page, 'Acme', 'Archive');
    await said(page, 'Acme is archived');
    await act(page, 'Globex', 'Rename');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('acme');
    await press(page, 'Rename');
    await said(page, 'Globex is now called acme.');
    await page.getByRole('link', { name: 'Archived' }).click();
    await act(page, 'Acme', 'Restore');
    await said(page, 'Another active client of the Team has this name.');
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Acme of old');
    await press(page, 'Restore');
    await said(page, 'Acme of old is active again.');
    assert.deepEqual((await company.all.listClients()).map(({ name }) => name).sort(), [
      'Acme of old',
      'acme',
    ]);
    assert.equal(refused.splice(0).length, 1, 'the name that was taken');
  });
});
