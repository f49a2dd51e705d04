import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { SignedIn } from '../../support/app.ts';
import { openTestApp } from '../../support/app.ts';
import { addPasswordHolder, join, makeInvite, newEmail, PASSWORD } from '../../support/invites.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { focused, title } from '../../support/pages.ts';
import { addClient, addPerson, archiveTeam, type Person, type Ties } from '../../support/team.ts';
import { answerQuestions, assertLooks, assertWeight, hold, openConsole } from './console-tab.ts';

const HOSTILE = ['W'.repeat(300), 'فريق الدعم الفني', '<img src=x onerror=alert(1)>'];
const service = await openTestApp();

describe('the page of people', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

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

  test('the link of an invite that was not copied is not lost without a question', async () => {
    const company = await service.company();
    const { page } = await openConsole(browser, `${base}/`, company.token);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'People' }).first().click();
    const makeLink = async () => {
      await button(page, 'Invite someone').click();
      await page.getByLabel('Email', { exact: true }).fill(newEmail());
      await button(page, 'Make the link').click();
      await page.getByText('The link is shown only now').waitFor();
    };
    await makeLink();
    const link = page.locator('.invite-link code');
    const shown = await link.innerText();
    const asked = answerQuestions(page, 'stay');
    await page.getByLabel('Find by name or email').fill('o');
    await page.waitForURL(/q=o/);
    assert.deepEqual(asked, [], 'a filter loses nothing');
    const question = 'The link is shown only now, and you have not copied it. Leave all the same?';
    await page.getByRole('link', { name: 'Team settings' }).click();
    const leaveBy = async (script: string) => {
      const isAsked = page.waitForEvent('dialog');
      await page.evaluate(`void setTimeout(() => ${script})`);
      await isAsked;
    };
    await leaveBy('history.back()');
    await page.waitForURL(/q=o/);
    await leaveBy('location.reload()');
    assert.deepEqual(asked, [question, question, 'beforeunload']);
    assert.equal(await link.innerText(), shown);

    // Copied with the keyboard, as where the browser does not allow the button.
    await link.selectText();
    await page.keyboard.press('ControlOrMeta+c');
    await page.getByRole('link', { name: 'Team settings' }).click();
    await page.getByText('In this Team').waitFor();
    await page.getByRole('link', { name: 'Members' }).click();
    await makeLink();
    // No mail program opens in the test.
    await page.evaluate(
      `document.addEventListener('click', (event) => event.preventDefault(), { once: true })`,
    );
    await page.getByRole('link', { name: 'Write a mail with it' }).click();
    await page.getByRole('link', { name: 'Team settings' }).click();
    await page.getByText('In this Team').waitFor();
    assert.equal(asked.length, 3);
    await page.context().close();
  });

  test('an invite is revoked, and made again with a new link', async () => {
    const company = await service.company();
    const { invite } = await makeInvite(service, company);
    const { page, refused } = await open(company.token);
    await button(page, `Revoke ${invite.email}`).click();
    await button(page, 'Revoke').click();
    await page.getByText('Its link no longer works.').waitFor();
    assert.match(await row(page, invite.email).innerText(), /Revoked/);
    assert.equal(await focused(page), `again-${invite.id}`);
    await button(page, `New link for ${invite.email}`).click();
    assert.equal(await page.getByLabel('Email', { exact: true }).inputValue(), invite.email);
    await page.getByLabel('Role').selectOption('admin');
    await button(page, 'Make the link').click();
    await page.getByText('The link is shown only now').waitFor();
    await button(page, 'Done').click();
    assert.equal(await focused(page), 'invite');
    const [made] = await company.all.listInvites();
    assert.deepEqual([made?.role, made?.state], ['admin', 'open']);
    await page.getByText('2 invites').waitFor();
    assert.deepEqual(refused, []);
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

  test('the table shows a part of many people and clients, and finds the others', async () => {
    const company = await service.company();
    for (let n = 10; n < 40; n += 1) await addNamed(company, `Person ${n}`);
    for (let n = 10; n < 30; n += 1) await addNamedClient(company, `Client ${n}`);
    const { page, refused } = await open(company.token, 'access');
    await page.getByText('25 of 30 Members').waitFor();
    await page.getByText('Clients 1 to 6 of 20').waitFor();
    await button(page, 'Next clients').click();
    await page.getByRole('combobox', { name: 'Person 10, client Client 16' }).waitFor();
    await button(page, 'Show more').click();
    await page.getByText('30 Members').waitFor();
    await page.getByLabel('Find a client').fill('29');
    await page.getByLabel('Find a person').fill('Person 39');
    await page.getByText('1 Member', { exact: true }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Person' }).count(), 1);
    await page.getByRole('combobox', { name: 'Person 39, client Client 29' }).selectOption('Write');
    await page.getByText('Person 39 can read and write Client 29.').waitFor();
    assert.deepEqual(refused, []);
  });

  const CASES: {
    who: string;
    ties: Ties | 'owner';
    archived?: boolean;
    controls: string[];
    saves: number;
  }[] = [
    { who: 'a member', ties: { teamRole: 'member' }, controls: [], saves: 0 },
    {
      who: 'a Company Admin who reads',
      ties: { companyRole: 'admin', companyGrant: 'read' },
      controls: [],
      saves: 0,
    },
    {
      who: 'an Admin of the Team',
      ties: { teamRole: 'admin' },
      controls: ['Change role of Zoe', 'Invite someone', 'Remove Zoe'],
      saves: 1,
    },
    {
      who: 'an Owner in an archived Team',
      ties: 'owner',
      archived: true,
      controls: ['Remove Zoe'],
      saves: 0,
    },
  ];
  for (const { who, ties, archived = false, controls, saves } of CASES) {
    test(`${who} sees what they can do, and no request is refused`, async () => {
      const company = await service.company();
      await addNamed(company, 'Zoe');
      await addNamedClient(company, 'Acme');
      const { token } = ties === 'owner' ? company : await addPerson(service, company, ties);
      if (archived) await archiveTeam(service, company.teamId);
      const { page, faults, refused } = await open(token);
      await row(page, 'Zoe').waitFor();
      await page.waitForLoadState('networkidle');
      const names = await page
        .getByRole('button', { name: /^(Change role of Zoe|Remove Zoe|Invite someone|New link)/ })
        .all();
      const found = await Promise.all(names.map((found) => found.innerText()));
      assert.deepEqual(found.map((text) => text.replace(/\s+/g, ' ').trim()).sort(), controls);
      const ownerRow = await row(page, 'Owner').getByRole('button').count();
      assert.equal(ownerRow, ties === 'owner' ? 1 : 0, 'only Owners change an Owner');
      await page.getByRole('link', { name: 'Access to clients' }).click();
      await title(page, 'Access to clients · People');
      await page.waitForLoadState('networkidle');
      if (controls.length === 0)
        assert.equal(await page.getByRole('combobox', { name: 'client' }).count(), 0);
      else {
        const cell = page.getByRole('combobox', { name: 'Zoe, client Acme' });
        await cell.waitFor();
        assert.equal(await cell.locator('option').count(), archived ? 1 : 3);
      }
      await page.getByRole('link', { name: 'Team settings' }).click();
      await page.getByText('In this Team').waitFor();
      assert.equal(await button(page, 'Save').count(), saves);
      assert.deepEqual([faults, refused], [[], []]);
    });
  }

  test('the page is not left without a question while a change of access is on its way', async () => {
    const company = await service.company();
    const ann = await addNamed(company, 'Ann');
    const clientId = await addNamedClient(company, 'Acme');
    const { page } = await openConsole(browser, `${base}/people?view=access`, company.token);
    const sending = await hold(page, '**/v1/team/grants/**', ['PUT']);
    const cell = page.getByRole('combobox', { name: 'Ann, client Acme' });
    await cell.selectOption('read');
    await sending.arrived;
    const stayed = answerQuestions(page, 'stay');
    await page.getByRole('link', { name: 'Team settings' }).click();
    await page.getByLabel('Find a person').fill('a');
    await page.waitForURL(/person=a/);
    const question = '1 change of access is not saved yet. Leave all the same?';
    assert.deepEqual(stayed, [question]);
    assert.equal(await cell.inputValue(), 'read');
    // Of two changes, the second is sent after the first.
    await cell.selectOption('write');
    sending.letGo();
    await page.getByText('Ann can read and write Acme.').waitFor();
    await page.getByRole('link', { name: 'Team settings' }).click();
    await page.getByText('In this Team').waitFor();
    assert.equal(stayed.length, 1);
    assert.deepEqual(
      (await grants(company)).map((grant) => [grant.userId, grant.clientId, grant.access]),
      [[ann.userId, clientId, 'write']],
    );
    await page.context().close();
  });

  test('what others have changed in the meantime is said, and the page follows', async () => {
    const company = await service.company();
    const [ann, admin] = [
      await addNamed(company, 'Ann'),
      await addNamed(company, 'Al', { teamRole: 'admin' }),
    ];
    const { page, faults } = await open(company.token);
    await button(page, 'Change role of Owner').click();
    await page.getByLabel('Role of Owner').selectOption('Member');
    await button(page, 'Save').click();
    await page.getByText('Make someone else an Owner first.').waitFor();
    await button(page, 'Cancel').click();
    await company.ask.removeTeamMember(ann.userId);
    await button(page, 'Change role of Ann').click();
    await page.getByLabel('Role of Ann').selectOption('Admin');
    await button(page, 'Save').click();
    await page.getByText('Ann had already left the Team.').waitFor();
    assert.equal(await row(page, 'Ann').count(), 0);
    assert.deepEqual(faults, []);

    const other = await open(admin.token);
    await button(other.page, 'Invite someone').waitFor();
    await company.ask.changeTeamRole(admin.userId, { role: 'member' });
    await button(other.page, 'Invite someone').click();
    await other.page.getByLabel('Email', { exact: true }).fill(newEmail());
    await button(other.page, 'Make the link').click();
    await other.page.getByText('ask one of its Owners or Admins').waitFor();
    assert.equal(await other.page.getByRole('heading', { name: 'Invites' }).count(), 0);
    // Leaving the Team shows why there is nothing left to show.
    const leaving = await addNamed(company, 'Lea', { teamRole: 'admin' });
    const last = await open(leaving.token);
    await button(last.page, 'Leave Lea').click();
    await button(last.page, 'Leave').click();
    await last.page.getByText('You no longer have access to this Team.').waitFor();
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

  test('every view is readable in all looks, with any names, and light', async () => {
    const company = await service.company();
    for (const name of HOSTILE) await addNamed(company, name);
    for (const name of HOSTILE) await addNamedClient(company, name);
    await makeInvite(service, company);
    const paths = ['/people', '/people?view=access', '/people?view=team', '/account'];
    const views = paths.map((path) => ({
      url: `${base}${path}`,
      token: company.token,
      shown: (page: Page) => page.waitForLoadState('networkidle'),
    }));
    for (const view of views) {
      await assertLooks(browser, view, HOSTILE);
    }
    for (let n = 0; n < 50; n += 1) await addNamed(company, `Person ${n}`);
    for (const view of views) await assertWeight(browser, view);
  });
});
