import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../../support/agent-tokens.ts';
import { readEventIds, recordEvents, sealAll, tamper } from '../../support/audit-chain.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { file } from '../../support/workspace.ts';
import { openPages } from './support.ts';

// The audit is changed with its triggers disabled.
const service = await openOwnTestApp();
const { open, skip } = await openPages(service);
const { database } = service;

describe('the page of audit events', { skip }, () => {
  const event = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first();
  /** What the rows of events say happened, the newest first. */
  const told = (page: Page) => page.getByRole('cell').nth(2).innerText();

  test('events are sentences by day with links to their records; searches are hidden at first', async () => {
    const company = await service.company();
    const client = await addClient(service, company);
    const source = await addSource(company, { title: 'Tides' });
    await company.api.pushFiles({ files: [file(`clients/${client}/rates.md`, 'x')] });
    const agent = await createAgent(service, company, company);
    await agent.ask.searchMemory({ query: 'x', embeddingMode: 'keyword', scope: {} });
    await company.ask.createInvite({ email: 'carl@example.com', role: 'member' });
    const { page } = await open(company, '/audit');
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await event(page, 'Owner invited carl@example.com to the Team').waitFor();
    const written = event(page, 'Owner wrote the file').getByRole('link', { name: 'the file rates.md' });
    assert.match((await written.getAttribute('href')) ?? '', /\/files\?team=.+&path=clients.+rates\.md$/);
    const about = event(page, 'stored').getByRole('link', { name: 'the source Tides' });
    assert.match(
      (await about.getAttribute('href')) ?? '',
      new RegExp(`/sources/${source.id}\\?team=${company.teamId}$`),
    );
    assert.equal(await event(page, 'searched').count(), 0);
    await page.getByLabel('Searches').check();
    await event(page, 'Owner (by a token) searched').getByRole('button', { name: 'Details' }).click();
    await page.getByRole('dialog').getByText(agent.record.id).waitFor();
  });

  test('filters of kind, person, day and record are in the address, and the file has what they leave', async () => {
    const company = await service.company();
    const carla = await addPerson(service, company, { teamRole: 'admin' });
    const first = await addSource(company);
    await addSource(carla);
    await company.ask.archiveSource(first.id);
    const { page } = await open(company, '/audit');
    const total = (n: number) =>
      page.getByRole('heading', { level: 1 }).locator('..').getByText(String(n), { exact: true }).waitFor();
    await page.getByLabel('All kinds').selectOption('memory.ingest');
    await total(2);
    await page.getByLabel('Everyone').selectOption(carla.userId);
    await total(1);
    await page.reload();
    await total(1);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const file = await readFile(await (await download).path(), 'utf8');
    assert.equal(file[0], '\uFEFF', 'programs for tables take it for UTF-8');
    const lines = file.trim().split('\r\n');
    assert.equal(lines.length, 2);
    assert.match(lines[1] ?? '', new RegExp(`memory\\.ingest,.*${carla.userId}`));
    await page.getByLabel('All kinds').selectOption('');
    await page.getByLabel('Everyone').selectOption('');
    await event(page, 'archived').getByRole('button', { name: 'Details' }).click();
    await page.getByRole('button', { name: 'All events about this record' }).click();
    await total(2);
    assert.match(await told(page), /archived/);
    await page.getByLabel('To').fill('2020-01-01');
    await page.getByText('No event matches these filters').waitFor();
  });

  test('no name in the file begins like a formula', async () => {
    const company = await service.company();
    const names = ['=1+1', '+1', '-1', '@SUM(1)', '=A1&"x,y"'];
    for (const name of names) await company.api.createClient({ name });
    const { page } = await open(company, '/audit?kind=team.client_create');
    await event(page, '@SUM(1)').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const [, ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
    const cells = ["'=1+1", "'+1", "'-1", "'@SUM(1)", `"'=A1&""x,y"""`].map((cell) => `,${cell},`);
    assert.deepEqual(
      lines.map((line) => cells.find((cell) => line.includes(cell))),
      cells.reverse(),
    );
  });

  test('verification says that the chain is intact, or where it breaks', async () => {
    const company = await service.company();
    await recordEvents(database, company, 3);
    await sealAll(database);
    await recordEvents(database, company, 1);
    const events = await readEventIds(database, company);
    const { page } = await open(company, '/audit');
    const verify = async () => {
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Verify the audit' }).click();
    };
    await verify();
    await page.getByText(`The chain is intact. ${events.length} events verified. 1 not sealed yet`).waitFor();
    await page.keyboard.press('Escape');
    await tamper(database, (tx) =>
      tx.query(`update memory.audit_event set detail = '{}' where id = $1`, [events.at(-2)]),
    );
    await verify();
    await page
      .getByRole('alert')
      .getByText(`The chain is broken at event ${events.at(-2)}`)
      .waitFor();
    assert.equal(await page.getByText('The chain is intact.').count(), 0);
  });

  test('an Owner reads the events of the Company, and those of a Team that is not shown', async () => {
    const company = await service.company();
    await company.api.archiveTeam(company.teamId);
    await company.api.deleteTeam(company.teamId);
    const { page } = await open({ ...company, teamId: '' }, '/audit');
    await event(page, 'deleted the Team').getByRole('button', { name: 'Details' }).click();
    await page.getByRole('button', { name: 'All events of this deleted Team' }).click();
    await page.getByRole('option', { name: 'A deleted Team' }).waitFor({ state: 'attached' });
    await event(page, 'deleted the Team').waitFor();
    assert.match(page.url(), new RegExp(`of=${company.teamId}`));
    await page.goto(`${page.url()}&event=${company.teamId}`);
    await page.getByText('The event of this link is not among these').waitFor();
  });
});
