import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { readEventIds, recordEvents, sealAll, tamper } from '../../support/audit-chain.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { title } from '../../support/pages.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';
import { alarmed, follow, press, said, serveConsole } from './console-tab.ts';

// The audit is changed with its triggers disabled.
const service = await openOwnTestApp();
const { open, skip } = await serveConsole(service);
const { database } = service;

describe('the page of audit events', { skip }, () => {
  const event = (page: Page, kind: string) => page.getByRole('row').filter({ hasText: kind }).first();

  test('who did what to which record is told in words, with a link to it', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    const source = await addSource(company);
    await company.api.pushFiles({ files: [file(`clients/${client}/rates.md`, 'x')] });
    const agent = await createAgent(service, company, company);
    await agent.ask.searchMemory({ query: 'x', embeddingMode: 'keyword', scope: {} });
    await company.ask.createInvite({ email: 'carl@example.com', role: 'member' });
    const { page, refused } = await open(company, '/audit');
    await event(page, 'team.invite').getByText('An invite to a Team was made.').waitFor();
    await event(page, 'team.invite').getByText('carl@example.com').waitFor();
    await event(page, 'memory.ingest').getByText('Owner', { exact: true }).waitFor();
    const about = event(page, 'memory.ingest').getByRole('link', { name: 'source' });
    assert.equal(await about.getAttribute('href'), `/sources/${source.id}?team=${company.teamId}`);
    const search = event(page, 'memory.search');
    await search.getByText('with an agent token').waitFor();
    await search.locator('summary').click();
    await search.getByText(agent.record.id).waitFor();
    await event(page, 'workspace.write').getByRole('link', { name: 'file rates.md' }).click();
    await title(page, 'rates.md · Files');
    assert.deepEqual(refused, []);
  });

  test('events are filtered by kind and by record, in the address', async () => {
    const company = await service.company();
    const first = await addSource(company);
    await addSource(company);
    await company.ask.archiveSource(first.id);
    const { page, refused } = await open(company, '/audit');
    await page.getByLabel('Kind').selectOption('memory.ingest');
    await said(page, '2 events');
    await title(page, 'memory.ingest · Audit · Test Team');
    await page.goBack();
    await event(page, 'memory.archive').locator('summary').click();
    await follow(page, 'All events about this record');
    await said(page, '2 events');
    await page.reload();
    await said(page, '2 events');
    assert.deepEqual(await page.locator('tbody th code').allInnerTexts(), [
      'memory.archive',
      'memory.ingest',
    ]);
    await page.getByLabel('Id of the record').fill('no id');
    await press(page, 'Show');
    await said(page, 'No event matches.');
    assert.deepEqual(refused, []);
  });

  test('verification tells that the chain is intact, how much is not sealed, or where it breaks', async () => {
    const company = await service.company();
    await recordEvents(database, company, 3);
    await sealAll(database);
    await recordEvents(database, company, 1);
    const events = await readEventIds(database, company);
    const { page } = await open(company, '/audit');
    await press(page, 'Verify the audit');
    await page.getByText('The chain is intact.').waitFor();
    await said(page, new RegExp(`${events.length} events verified at .* 1 of them is not sealed yet`));
    await tamper(database, (tx) =>
      tx.query(`update memory.audit_event set detail = '{}' where id = $1`, [events.at(-2)]),
    );
    await press(page, 'Verify the audit');
    await alarmed(page, `The chain is broken at event ${events.at(-2)}`);
    assert.equal(await page.getByText('The chain is intact.').count(), 0);
  });
});
