import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { claimBatch, stageCapture } from '../../support/captures.ts';
import { claimAll, completed, release } from '../../support/consolidation.ts';
import { focused, heading, title } from '../../support/pages.ts';
import { addPerson } from '../../support/team.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of captures', { skip }, () => {
  const open = (path: string, { token }: { token: string }) => openConsole(browser, `${base}${path}`, token);
  const list = (page: Page) => page.getByRole('region', { name: 'Captures', exact: true });
  const total = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  test('people see their own captures, filter them by state and session, and follow them to their memory', async () => {
    const company = await service.company();
    const anna = await addPerson(service, company, { teamRole: 'member' });
    await stageCapture(anna, { sessionId: 'kept', sequence: 7, summary: 'Learned the port.' });
    await stageCapture(anna, { sessionId: 'dropped', summary: 'Nothing. '.repeat(100) });
    const { batchId, captures } = await claimAll(company);
    const [kept, dropped] = ['kept', 'dropped'].map((name) =>
      captures.filter((c) => c.sessionId === name).map((c) => c.id),
    );
    await completed(company, batchId, [
      { captureIds: kept!, action: 'publish', title: 'The port', content: 'It is 443.' },
      { captureIds: dropped!, action: 'discard' },
    ]);
    await stageCapture(anna, { sessionId: 'waiting' });
    await stageCapture(company, { sessionId: 'of another person' });
    const { page, faults, refused } = await open('/captures', anna);
    await total(page, '3 captures');
    assert.deepEqual(await list(page).getByRole('heading').allTextContents(), [
      'waiting',
      'dropped',
      'kept part 7',
    ]);
    await page.getByText('No published memory was made of it').waitFor();
    await page.getByLabel('State').selectOption('Staged');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await total(page, '1 capture');
    await title(page, 'Staged · Captures · Test Team');
    assert.deepEqual(await list(page).getByRole('heading').allTextContents(), ['waiting']);
    await page.goBack();
    await total(page, '3 captures');
    await page.getByRole('link', { name: 'kept' }).click();
    await total(page, '1 capture');
    assert.equal(await page.getByLabel('Session').inputValue(), 'kept');
    await page.reload();
    await total(page, '1 capture');
    await list(page).getByText('Learned the port.').waitFor();
    await page.getByRole('link', { name: 'Its memory' }).click();
    await heading(page, 'The port');
    await page.goBack();
    await page.getByLabel('Session').fill('no such session');
    await page.getByLabel('Session').press('Enter');
    await page.getByText('No capture matches these filters.').waitFor();
    assert.deepEqual([faults, refused], [[], []]);
  });

  test('a batch that was claimed is released, once', async () => {
    const company = await service.company();
    const anna = await addPerson(service, company, { teamRole: 'member' });
    await stageCapture(anna, { sessionId: 'one' });
    await claimBatch(anna, { limit: 1 });
    await stageCapture(anna, { sessionId: 'two' });
    const second = await claimBatch(anna, { limit: 1 });
    const { page, faults } = await open('/captures', anna);
    const states = () => list(page).locator('.tag').allInnerTexts();
    const staged = list(page).locator('.tag', { hasText: 'Staged' });
    const buttons = page.getByRole('button', { name: 'Release' });
    // The batches and the captures come with answers of their own.
    await Promise.all([buttons.nth(1).waitFor(), list(page).locator('.tag').nth(1).waitFor()]);
    assert.deepEqual(await states(), ['Claimed', 'Claimed']);
    await buttons.nth(1).click();
    await page.getByRole('status').filter({ hasText: '1 capture can be claimed again.' }).waitFor();
    assert.equal(await focused(page), 'batches-heading');
    await staged.waitFor();
    assert.deepEqual(await states(), ['Claimed', 'Staged']);
    assert.equal((await release(anna, second!.id)).statusCode, 200);
    await buttons.click();
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await buttons.waitFor({ state: 'detached' });
    await staged.nth(1).waitFor();
    assert.deepEqual(await states(), ['Staged', 'Staged']);
    assert.deepEqual(faults, []);
  });
});
