import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { archiveTeam } from '../../support/team.ts';
import { fill, load, PAGES } from '../first-load.ts';
import { assertLooks, filled, LONG, notIsolated } from '../looks.ts';
import { openPages, profileOf } from './support.ts';

const [MAX_KB, MAX_REQUESTS] = [250, 20];

const service = await openTestApp();
const { base, browser, skip, open } = await openPages(service);

/** Waits until the page shows its data. */
async function isShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
}

describe('all pages of the console', { skip }, () => {
  let company: SignedIn;
  /** One address of each page. */
  const pages =
    '/ /search?q=okapi /sources /memories /files /imports /review /captures /people /clients /tokens /activity /audit /settings /company /jobs /account'.split(
      ' ',
    );
  const at = (path: string) => `${base}${path}${path.includes('?') ? '&' : '?'}team=${company.teamId}`;

  before(async () => {
    company = await filled(service);
  });

  test('axe finds nothing, nothing extends beyond the screen, and names reorder no other words', async () => {
    const [source] = (await company.api.listSources({ q: LONG.slice(0, 50) })).items;
    const [memory] = (await company.api.listMemories({ state: 'published', limit: 1 })).items;
    for (const path of [
      ...pages,
      `/sources/${source?.id}`,
      `/sources/${source?.id}?edit=1`,
      `/memories/${memory?.id}`,
    ]) {
      const context = await profileOf(browser, base, company.token, { bypassCSP: true });
      const page = await context.newPage();
      await page.goto(at(path));
      await isShown(page);
      assert.deepEqual(await notIsolated(page), [], path);
      await assertLooks(page);
      await context.close();
    }
  });

  test('axe finds nothing on the form to sign in, in the palette and in the menu of a narrow screen', async () => {
    const nobody = await (await profileOf(browser, base, null, { bypassCSP: true })).newPage();
    await nobody.goto(at('/'));
    await nobody.getByRole('heading', { name: 'Sign in' }).waitFor();
    await assertLooks(nobody);
    const page = await (await profileOf(browser, base, company.token, { bypassCSP: true })).newPage();
    await page.goto(at('/'));
    await isShown(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await assertLooks(page);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 320, height: 800 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await assertLooks(page);
  });

  test('a first load is at most 250 kB over the wire and 20 requests', async () => {
    const owner = await service.company();
    const source = await fill(service, owner);
    for (const name of Object.keys(PAGES)) {
      const { kB, requests } = await load(browser, base, name, { ...owner, source });
      assert.ok(kB > 10 && kB <= MAX_KB, `${name}: ${kB} kB`);
      assert.ok(requests > 5 && requests <= MAX_REQUESTS, `${name}: ${requests} requests`);
    }
  });

  test('in an archived Team no page sends a request that is refused', async () => {
    const archived = await service.company();
    await archiveTeam(service, archived.teamId);
    const { page, refused } = await open(archived, '/');
    for (const path of pages) {
      await page.goto(`${base}${path}${path.includes('?') ? '&' : '?'}team=${archived.teamId}`);
      await isShown(page);
      assert.deepEqual(refused, [], path);
    }
  });
});
