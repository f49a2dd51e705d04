import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { AUDIT_KINDS } from '../../../shared/schemas/audit.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import type { SignedIn } from '../../support/app.ts';
import { readEventIds, recordEvents, sealAll, tamper } from '../../support/audit-chain.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { focused, title } from '../../support/pages.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

// The audit is changed with its triggers disabled.
const service = await openOwnTestApp();
const { base, browser, skip } = await openBrowser(service);
const { database } = service;
const VERIFY = 'Verify the audit';

describe('the page of audit events', { skip }, () => {
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
  });
});
