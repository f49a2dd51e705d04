import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogger } from '../../../shared/logger.ts';
import { createAgent } from '../../support/agent-tokens.ts';
import { FAULT } from '../../support/import-records.ts';
import { addMemories } from '../../support/memories.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { failRun, importFiles, startOwnWorker } from '../../support/own-worker.ts';
import { MISBEHAVE } from '../../support/running-imports.ts';
import { addSource } from '../../support/source-library.ts';
import { addPerson } from '../../support/team.ts';
import { openPages } from './support.ts';

// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { open, skip } = await openPages(service);

describe('the page of jobs', { skip }, () => {
  test('says what needs somebody until everything is fine: a failed import, no worker', async (t) => {
    const company = await service.company();
    // This worker never ends reading the text below; the next one does.
    const slow = await startOwnWorker(t, service, { importSeconds: 2 }, { reading: MISBEHAVE });
    const { page } = await open(company, '/jobs');
    const says = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
    await says('Everything is fine.');
    await importFiles(company, [{ filename: 'minutes.txt', text: 'waiting' }]);
    const own = page.getByRole('row').filter({ hasText: 'minutes.txt' });
    await own.getByText('took longer than 2 seconds').waitFor();
    await says('1 import failed.');
    await slow.stop();
    await says('No worker is running.');
    assert.equal(await page.getByText('No worker is running').count(), 1, 'it is said once');
    await own.getByRole('button', { name: 'Retry' }).click();
    await own.getByText('Waiting').waitFor();
    await startOwnWorker(t, service);
    await own.getByText('Imported').waitFor();
    await says('Everything is fine.');
    await page.getByText('queues without jobs').waitFor();
  });

  test('keeps the last figures without an answer, and says from when they are', async () => {
    const { page } = await open(await service.company(), '/jobs');
    await page.clock.install();
    await page.reload();
    await page.getByText('Memories in review').waitFor();
    let isAnswering = false;
    await page.route('**/v1/memory/status', (route) => (isAnswering ? route.continue() : route.abort()));
    // A request that failed is sent again three times.
    for (let n = 0; n < 5; n += 1) await page.clock.runFor(5000);
    await page.getByText('The figures are from').waitFor();
    await page.getByText('Memories in review').waitFor();
    isAnswering = true;
    await page.clock.runFor(16_000);
    await page.getByText('The figures are from').waitFor({ state: 'detached' });
  });

  test('says how long passages still wait for their vectors', async () => {
    const { page } = await open(await service.company(), '/jobs');
    await page.route('**/v1/memory/status', async (route) => {
      const response = await route.fetch();
      const status = await response.json();
      const chunks = { total: 3000, embedded: 1999, pending: 1001, secondsLeft: 600 };
      await route.fulfill({ response, json: { ...status, chunks } });
    });
    await page.reload();
    await page.getByText('of 3,000, about 10 min left').waitFor();
  });

  test('shows someone with Full access the failed imports of others, which they can retry', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const signedIn = { ...company, ...member };
    const [made] = await importFiles(signedIn, [{ filename: 'ledger.txt', text: '' }]);
    await failRun(service, signedIn, made!.id, FAULT);
    const { page } = await open(company, '/jobs');
    const row = page.getByRole('table', { name: 'Failed imports of others' }).getByRole('row');
    await row.filter({ hasText: 'ledger.txt' }).getByRole('button', { name: 'Retry' }).waitFor();
    await page.getByRole('link', { name: 'Open imports' }).click();
    await page.waitForURL(/imports\?.*state=failed/);
  });

  test('shows a Member neither queues nor workers', async () => {
    const company = await service.company();
    const member = await addPerson(service, company, { teamRole: 'member' });
    const { page } = await open({ ...member, teamId: company.teamId }, '/jobs');
    await page.getByText('You have imported nothing lately.').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Queues' }).count(), 0);
  });
});

describe('the home page', { skip }, () => {
  test('leads to a search, to what waits and to the first steps that are left', async () => {
    const company = await service.company();
    const [made] = await importFiles(company, [{ filename: 'minutes.txt', text: '' }]);
    await failRun(service, company, made!.id, FAULT);
    await addMemories(company, 'review', [{ title: 'The tide', content: 'The tide turns at six.' }]);
    const { page } = await open(company, '/');
    await page.getByRole('link', { name: '1 memory in review' }).waitFor();
    await page.getByRole('link', { name: '1 import failed' }).click();
    await page.waitForURL(/imports\?.*state=failed/);
    await page.goBack();
    await page.getByLabel('To do').first().waitFor();
    await page.getByRole('link', { name: 'Connect an agent' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search the memory' }).fill('tide');
    await page.keyboard.press('Enter');
    await page.waitForURL(/search\?.*q=tide/);
  });
});

describe('the page of activity', { skip }, () => {
  test('draws what was used by day and by token, with the figures in words', async () => {
    const company = await service.company();
    const agent = await createAgent(service, company, company, { name: 'Writer' });
    await addSource(company, { text: 'The tide turns at six.' });
    await agent.ask.searchMemory({ query: 'tide', embeddingMode: 'keyword', scope: {} });
    await agent.ask.searchMemory({ query: 'okapi', embeddingMode: 'keyword', scope: {} });
    const { page } = await open(company, '/activity');
    const writer = page.getByRole('row').filter({ hasText: 'Writer' });
    await writer.getByRole('cell', { name: '2', exact: true }).waitFor();
    await page.getByRole('img', { name: 'Searches by day, at most 2' }).waitFor();
    await page.getByText('By day').click();
    const today = page.getByRole('table', { name: 'By day' }).getByRole('row').nth(1);
    assert.deepEqual((await today.getByRole('cell').allInnerTexts()).slice(0, 2), ['2', '1']);
    await page.getByText('7 d').click();
    await page.waitForURL(/days=7/);
  });
});
