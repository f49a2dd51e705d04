import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { AUDIT_KINDS } from '../../../shared/schemas/audit.ts';
import type { ErasedMember } from '../../../shared/schemas/people.ts';
import { NOBODY } from '../../../shared/scope.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import type { SignedIn } from '../../support/app.ts';
import { readEventIds, recordEvents, sealAll, tamper } from '../../support/audit-chain.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { focused, title } from '../../support/pages.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson, addTeam, inTeam } from '../../support/team.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { assertIsolates, assertLooks, assertWeight, openConsole } from './console-tab.ts';

// The audit is changed with its triggers disabled.
const service = await openOwnTestApp();
const { database } = service;
const VERIFY = 'Verify the audit';

describe('the page of audit events', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const open = (company: SignedIn, query = '', token = company.token) =>
    openConsole(browser, `${base}/audit?team=${company.teamId}${query}`, token);
  const row = (page: Page, kind: string) => page.getByRole('row').filter({ hasText: kind }).first();
  const kinds = (page: Page) => page.locator('tbody th code').allInnerTexts();
  const count = (page: Page, text: string) =>
    page.getByRole('status').getByText(text, { exact: true }).waitFor();

  test('who did what to which record is told in words, with a link to it', async () => {
    const company = await service.company();
    await database.query(`update identity.account set name = 'Ann' where id = $1`, [company.ownerId]);
    const client = await addClient(service, company);
    const source = await addSource(company);
    const path = `clients/${client}/rates.md`;
    await workspaceOf(service.app, company.headers).push([file(path, 'x')]);
    const agent = await createAgent(service, company, company);
    await agent.ask.searchMemory({ query: 'x', embeddingMode: 'keyword', scope: {} });
    await company.ask.createInvite({ email: 'carl@example.com', role: 'member' });
    const { page, faults, refused } = await open(company);

    await row(page, 'team.invite').getByText('An invite to a Team was made.').waitFor();
    await row(page, 'team.invite').getByText('carl@example.com').waitFor();
    await row(page, 'memory.search').getByText('with an agent token').waitFor();
    await row(page, 'memory.ingest').getByText('Ann', { exact: true }).waitFor();
    const about = row(page, 'memory.ingest').getByRole('link', { name: 'source' });
    assert.equal(await about.getAttribute('href'), `/sources/${source.id}?team=${company.teamId}`);
    await row(page, 'workspace.write').getByText('in the client A client').waitFor();
    await row(page, 'workspace.write').getByRole('link', { name: 'file rates.md' }).click();
    await title(page, 'rates.md · Files');
    await page.goBack();

    const details = row(page, 'memory.search');
    await details.locator('summary').click();
    await details
      .getByText('scope', { exact: true })
      .or(details.getByText('top k', { exact: true }))
      .first()
      .waitFor();
    await details.getByText('Id of the agent token').waitFor();
    await details.getByText(agent.record.id).waitFor();
    assert.deepEqual([faults, refused], [[], []]);
    await page.context().close();
  });

  test('events are filtered by kind and by record, in the address', async () => {
    const company = await service.company();
    const first = await addSource(company);
    await addSource(company);
    await company.ask.archiveSource(first.id);
    const { page, refused } = await open(company);
    await page.getByLabel('Kind').focus();
    await page.getByLabel('Kind').selectOption('memory.ingest');
    await count(page, '2 events');
    await title(page, 'memory.ingest · Audit · Test Team');
    await page.getByText(AUDIT_KINDS['memory.ingest'].meaning).last().waitFor();
    assert.equal(await focused(page), 'audit-kind');
    await page.goBack();
    await row(page, 'memory.archive').locator('summary').click();
    await page.getByRole('link', { name: 'All events about this record' }).click();
    await count(page, '2 events');
    assert.deepEqual(await kinds(page), ['memory.archive', 'memory.ingest']);
    assert.equal(await page.getByLabel('Id of the record').inputValue(), first.id);
    await page.reload();
    await count(page, '2 events');
    await page.getByLabel('Id of the record').fill('no id');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await count(page, 'No event matches.');
    await addSource(company);
    await page.getByRole('link', { name: 'Show all events' }).click();
    await row(page, 'memory.ingest').waitFor();
    assert.equal(await focused(page), 'audit-kind', 'the link is gone');
    const before = (await kinds(page)).length;
    await addSource(company);
    await page.getByRole('button', { name: 'Look for newer events' }).click();
    await count(page, `${before + 1} events`);
    const offered = await page.getByLabel('Kind').locator('option').allInnerTexts();
    assert.deepEqual(offered, ['All kinds', ...Object.keys(AUDIT_KINDS)]);
    assert.deepEqual(refused, []);
    await page.context().close();
  });

  test('an Owner sees the events of the Company too, also those of a deleted Team', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    await addSource(inTeam(company, other));
    const gone = await addTeam(service, company);
    await company.ask.archiveTeam(gone);
    await company.ask.deleteTeam(gone);
    const { page, refused } = await open(company);
    await page.getByLabel('Events of').selectOption('The whole Company');
    await title(page, 'The Company · Audit');
    await row(page, 'company.create').waitFor();
    const source = row(page, 'memory.ingest').getByRole('link', { name: 'source' });
    assert.match(String(await source.getAttribute('href')), new RegExp(`team=${other}$`), 'in its own Team');
    await row(page, 'memory.ingest').getByRole('link', { name: 'the Team Another Team' }).click();
    await title(page, 'Another Team · Audit · Test Team');
    await page.getByText('1 event', { exact: true }).waitFor();
    assert.deepEqual(await kinds(page), ['memory.ingest']);
    await page.goBack();
    await row(page, 'team.delete').getByRole('link', { name: 'a deleted Team' }).click();
    await title(page, 'A deleted Team · Audit');
    await page.getByText('2 events', { exact: true }).waitFor();
    assert.deepEqual(await kinds(page), ['team.delete', 'team.archive']);
    await page.getByLabel('Events of').selectOption({ value: '' });
    await title(page, 'Audit · Test Team');
    assert.deepEqual(refused, []);
    await page.context().close();
  });

  test('only those with Full access see it, and only an Owner what is of the Company', async () => {
    const company = await service.company();
    const other = await addTeam(service, company);
    const member = await addPerson(service, company, { teamRole: 'member' });
    const first = await open(company, '', member.token);
    await first.page.getByText('This page is not open to you in this Team.').waitFor();
    await first.page.setViewportSize({ width: 1280, height: 800 });
    assert.equal(await first.page.getByRole('navigation').getByRole('link', { name: 'Audit' }).count(), 0);
    const admin = await addPerson(service, company, { companyRole: 'admin', companyGrant: 'full' });
    await database.query(
      `insert into identity.company_grant (company_id, team_id, user_id, access) values ($1, $2, $3, 'full')`,
      [company.companyId, other, admin.userId],
    );
    const second = await openConsole(browser, `${base}/audit?of=company`, admin.token);
    await second.page.getByText('Choose a Team to see how it is.').waitFor();
    await second.page.locator('main').getByRole('link', { name: 'Test Team' }).click();
    await row(second.page, 'team.create').waitFor();
    for (const label of ['Events of', VERIFY]) {
      assert.equal(await second.page.getByText(label, { exact: true }).count(), 0, label);
    }
    const third = await openConsole(browser, `${base}/audit`, company.token);
    await title(third.page, 'The Company · Audit');
    await row(third.page, 'company.create').waitFor();
    for (const { page, refused, faults } of [first, second, third]) {
      assert.deepEqual([refused, faults], [[], []]);
      await page.context().close();
    }
  });

  test('an erased person has the pseudonym that the service gave, and the service is named as such', async () => {
    const company = await service.company();
    const person = await addPerson(service, company, { companyRole: 'owner' });
    const asPerson = { ...company, ownerId: person.userId };
    await recordEvents(database, asPerson, 1);
    const answer = await company.ask.eraseCompanyMember(person.userId);
    const { name } = answer.json<ErasedMember>();
    await recordEvents(database, { ...company, ownerId: NOBODY }, 1);
    const { page } = await open(company, '&of=company');
    const searches = page.getByRole('row').filter({ hasText: 'memory.search' });
    await searches.getByText(name).waitFor();
    await searches.getByText('the service').waitFor();
    await row(page, 'company.member_erase').getByText(name).waitFor();
    await page.context().close();
  });

  test('verification tells that the chain is intact, how much is not sealed, or where it breaks', async () => {
    const company = await service.company();
    await recordEvents(database, company, 3);
    await sealAll(database);
    await recordEvents(database, company, 1);
    const events = await readEventIds(database, company);
    const { page, faults } = await open(company);
    const verify = page.getByRole('button', { name: VERIFY });
    await page.route('**/audit/verify', (route) => route.fulfill({ status: 503 }));
    await verify.click();
    await page.getByRole('alert').getByText('The service is busy.').waitFor();
    await page.unroute('**/audit/verify');
    await verify.click();
    await page.getByText('The chain is intact.').waitFor();
    const told = await page.getByRole('status').filter({ hasText: 'intact' }).innerText();
    assert.match(told, new RegExp(`${events.length} events verified at .* 1 of them is not sealed yet`));
    await page.getByText(`Number ${events.length - 1}`).waitFor();

    await tamper(database, (tx) =>
      tx.query(`update memory.audit_event set detail = '{}' where id = $1`, [events.at(-2)]),
    );
    await verify.click();
    await page
      .getByRole('alert')
      .getByText(`The chain is broken at event ${events.at(-2)}`)
      .waitFor();
    assert.equal(await page.getByText('The chain is intact.').count(), 0);
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  test('it fits every screen, isolates names and has little to load', async () => {
    const company = await service.company();
    const hostile = ['فريق الدعم الفني', 'W'.repeat(300), '<img src=x onerror=alert(1)>'];
    const client = await addClient(service, company);
    await workspaceOf(service.app, company.headers).push([file(`clients/${client}/x.md`, 'x')]);
    await company.ask.createInvite({ email: 'carl@example.com', role: 'member' });
    await recordEvents(database, company, 50);
    const at = (query: string) => ({
      url: `${base}/audit?team=${company.teamId}${query}`,
      token: company.token,
      shown: async (page: Page) => {
        await page.getByText('50 events, and more').waitFor();
        await page.locator('summary').first().click();
      },
    });
    await assertLooks(browser, at('&of=company'));
    const [first = '', second = '', third = ''] = hostile;
    await database.query('update identity.client set name = $2 where id = $1', [client, first]);
    await database.query('update identity.account set name = $2 where id = $1', [company.ownerId, second]);
    await database.query('update identity.team set name = $2 where id = $1', [company.teamId, third]);
    for (const name of hostile) await company.ask.createClient({ name });
    await workspaceOf(service.app, company.headers).push([file(`clients/${client}/y.md`, 'x')]);
    await assertIsolates(browser, at('&of=company'), hostile);
    await assertWeight(browser, at('&of=company'));
    const { page } = await open(company);
    await page.getByText('50 events, and more').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText(/^[56]\d events$/).waitFor();
    await page.context().close();
  });
});
