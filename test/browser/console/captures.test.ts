import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { claimBatch, stageCapture } from '../../support/captures.ts';
import { claimAll, completed } from '../../support/consolidation.ts';
import { heading } from '../../support/pages.ts';
import { addPerson } from '../../support/team.ts';
import { follow, press, said, serveConsole } from './console-tab.ts';

const service = await openTestApp();
const { open, skip } = await serveConsole(service);

describe('the page of captures', { skip }, () => {
  const list = (page: Page) => page.getByRole('region', { name: 'Captures', exact: true });
  const total = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

  test('people see their own captures, filter them by state and session, and follow them to their memory', async () => {
    const company = await service.company();
    const anna = await addPerson(service, company, { teamRole: 'member' });
    await stageCapture(anna, { sessionId: 'kept', summary: 'Learned the port.' });
    const { batchId, captures } = await claimAll(company);
    const captureIds = captures.map(({ id }) => id);
    await completed(company, batchId, [
      { captureIds, action: 'publish', title: 'The port', content: 'It is 443.' },
    ]);
    await stageCapture(anna, { sessionId: 'waiting' });
    await stageCapture(company, { sessionId: 'of another person' });
    const { page, refused } = await open({ ...anna, teamId: company.teamId }, '/captures');
    await total(page, '2 captures');
    assert.deepEqual(await list(page).getByRole('heading').allTextContents(), ['waiting', 'kept']);
    await page.getByLabel('State').selectOption('Staged');
    await press(page, 'Show');
    await total(page, '1 capture');
    await page.goBack();
    await total(page, '2 captures');
    await follow(page, 'kept');
    await total(page, '1 capture');
    await page.reload();
    await list(page).getByText('Learned the port.').waitFor();
    await follow(page, 'Its memory');
    await heading(page, 'The port');
    assert.deepEqual(refused, []);
  });

  test('a batch that was claimed is released', async () => {
    const company = await service.company();
    await stageCapture(company, { sessionId: 'one' });
    await claimBatch(company, { limit: 1 });
    const { page } = await open(company, '/captures');
    await list(page).getByText('Claimed').waitFor();
    await press(page, /^Release/);
    await said(page, '1 capture can be claimed again.');
    await list(page).locator('.tag', { hasText: 'Staged' }).waitFor();
  });
});
