import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createLogger } from '../../shared/logger.ts';
import { importFiles, startOwnWorker } from '../support/dashboard.ts';
import { givePassword, PASSWORD } from '../support/invites.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { openPage } from '../support/pages.ts';
import { MISBEHAVE } from '../support/running-imports.ts';
import { openBrowser } from './open-browser.ts';

// All tests share workers and the queue on PostgreSQL, so these have a database of their own.
const opened = await openOwnTestApp();
const service = { ...opened, logger: createLogger('silent', 'test') };
const { base, browser, skip } = await openBrowser(service);

const figure = (page: Page, id: string, text: string) =>
  page.locator(`#${id}`).getByText(text, { exact: true }).waitFor();
const row = (page: Page, filename: string) => page.locator('#failed-rows tr', { hasText: filename });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const outcomeIs = (page: Page, text: string) => page.locator('#outcome', { hasText: text }).waitFor();

describe('imports on the dashboard', { skip }, () => {
  test('a failed import appears with its reason, can be retried and completes after a worker restart', async (t) => {
    const company = await service.company();
    await givePassword(service, company.ownerId, PASSWORD);
    // This worker never ends reading the text below; the next one does.
    const slow = await startOwnWorker(t, service, { importSeconds: 2 }, { reading: MISBEHAVE });
    const { page, faults } = await openPage(browser, `${base}/dashboard`);
    await page.getByLabel('Email').fill(company.ownerEmail);
    await page.getByLabel('Password').fill(PASSWORD);
    await button(page, 'Sign in').click();
    await figure(page, 'health-line', 'A worker is running.');
    await figure(page, 'failed-none', 'No import has failed.');
    await page.evaluate('window.sameDocument = true');

    await importFiles(company, [{ filename: 'minutes.txt', text: 'waiting' }]);
    await row(page, 'minutes.txt').getByText('took longer than 2 seconds').waitFor();
    await row(page, 'minutes.txt').getByText('too_slow', { exact: true }).waitFor();
    await figure(page, 'imports-failed', '1');
    await page.locator('#news', { hasText: 'An import has failed.' }).waitFor({ state: 'attached' });

    await slow.stop();
    await figure(page, 'health-line', 'No worker is running: imports wait.');
    await figure(page, 'workers-none', 'No worker is running.');
    await button(page, 'Retry minutes.txt').click();
    await outcomeIs(page, 'minutes.txt is queued again.');
    await figure(page, 'imports-queued', '1');
    await figure(page, 'failed-none', 'No import has failed.');
    await page.locator('#health-hint', { hasText: '1 import of this Team waits.' }).waitFor();

    await startOwnWorker(t, service);
    await figure(page, 'imports-completed', '1');
    await figure(page, 'imports-failed', '0');
    await figure(page, 'health-line', 'A worker is running.');
    assert.equal(await page.evaluate('window.sameDocument'), true, 'the page was not reloaded');
    assert.deepEqual(faults, []);
  });
});
