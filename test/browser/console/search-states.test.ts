import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { companyToSearch, found, hitTitles, queryField, searchFor } from '../../support/search-page.ts';
import { openBrowser } from '../open-browser.ts';
import { openConsole } from './console-tab.ts';

const service = await openTestApp();
const { base, browser, skip } = await openBrowser(service);

describe('the page of the search, whatever its state', { skip }, () => {
  const company = () => companyToSearch(service);
  const url = ({ teamId }: Pick<SignedIn, 'teamId'>, query: Record<string, string> = {}) =>
    `${base}/search?${String(new URLSearchParams({ team: teamId, ...query }))}`;
  const open = (owner: SignedIn, query: Record<string, string>, token = owner.token) =>
    openConsole(browser, url(owner, query), token);

  test('the answer to an earlier search is not shown after a newer one, and a failed search can be repeated', async () => {
    const owner = await company();
    const { page, faults } = await open(owner, {});
    await page.getByText('not by meaning').waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/v1/memory/search', async (route) => {
      if (String(route.request().postData()).includes('passport')) await held;
      await route.continue();
    });
    await searchFor(page, 'passport');
    await found(page, 'Searching');
    await searchFor(page, 'yellow lanyard');
    await found(page, '1 passage');
    const late = page.waitForResponse((answer) => String(answer.request().postData()).includes('passport'));
    release();
    await (await late).finished();
    assert.deepEqual(await hitTitles(page), ['Visitors']);
    await page.unroute('**/v1/memory/search');

    await page.route('**/v1/memory/search', (route) => route.abort());
    await searchFor(page, 'hall closes');
    await page.getByRole('alert').filter({ hasText: 'The service did not answer.' }).waitFor();
    assert.equal(await queryField(page).inputValue(), 'hall closes');
    await page.unroute('**/v1/memory/search');
    await page.getByRole('button', { name: 'Try again' }).click();
    await found(page, '\\d+ passage');
    await page.locator('.hit mark', { hasText: 'closes' }).first().waitFor();
    assert.deepEqual(faults, []);
  });

  test('a service that makes vectors is asked to, and the page says when it cannot', async () => {
    const owner = await company();
    const { page, faults } = await openConsole(browser, `${base}/livez`, owner.token);
    const asked: string[] = [];
    await page.route('**/v1/memory/status', async (route) => {
      const reply = await route.fetch();
      const status = (await reply.json()) as { embedder: object };
      await route.fulfill({ json: { ...status, embedder: { ...status.embedder, serverModeEnabled: true } } });
    });
    // This service has no model: the answer is the one of a service whose model is not ready.
    await page.route('**/v1/memory/search', async (route) => {
      const body = route.request().postDataJSON() as { query: string; embeddingMode: string };
      asked.push(body.embeddingMode);
      const reply = await route.fetch({ postData: JSON.stringify({ ...body, embeddingMode: 'keyword' }) });
      const answer = (await reply.json()) as object;
      await route.fulfill({ json: { ...answer, degraded: body.query === 'lanyard' } });
    });
    const notice = page.getByText(/only words and codes are searched|not by meaning/);
    await page.goto(url(owner, { q: 'passport' }));
    await found(page, '1 passage');
    assert.equal(await notice.count(), 0);
    await searchFor(page, 'lanyard');
    await page.getByText('The search by meaning is not available now').waitFor();
    assert.equal(await notice.count(), 1, 'said once');
    assert.deepEqual([asked, faults], [['auto', 'auto'], []]);
  });
});
