import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openTestApp } from '../../support/app.ts';
import { launchBrowser, withoutBrowser } from '../../support/needs/browser.ts';
import { fitsScreen, heading, openPage, title } from '../../support/pages.ts';
import { addTeam } from '../../support/team.ts';
import { findings, LOOKS, openWithAxe } from './axe.ts';
import { assertIsolates, assertWeight } from './console-tab.ts';

/** Right-to-left, and words without a place to break. */
const NAMES = ['فريق الدعم الفني', 'W'.repeat(300), '\u202Eevil'] as const;
const service = await openTestApp();
const { database } = service;

describe('the looks and the weight of the console', { skip: withoutBrowser }, () => {
  let browser: Browser;
  let base: string;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    browser = await launchBrowser();
  });
  after(() => browser?.close());

  const signedIn = (token: string) => `sessionStorage.setItem('session-token', ${JSON.stringify(token)})`;
  const shown = async (page: Page, path: string) => {
    if (path === '/') await title(page, 'to do · Home · ');
    else await page.locator('#updated[datetime]').waitFor();
  };

  test('axe finds nothing in any look, and nothing extends beyond the screen', async () => {
    const company = await service.company();
    await addTeam(service, company);
    for (const [path, token] of [
      ['/', undefined],
      [`/?team=${company.teamId}`, company.token],
      ['/', company.token],
      [`/jobs?team=${company.teamId}`, company.token],
      ['/jobs?team=x', company.token],
    ] as const) {
      const page = await openWithAxe(browser, `${base}${path}`, token);
      if (token === undefined) await heading(page, 'Sign in');
      else if (path.includes(company.teamId)) await shown(page, new URL(page.url()).pathname);
      else await page.locator('#no-team').waitFor();
      for (const look of LOOKS) {
        assert.deepEqual(await findings(page, look), [], path);
        assert.ok(await fitsScreen(page), path);
      }
      await page.context().close();
    }
  });

  test('on a narrow screen the navigation is one row, which opens a menu', async () => {
    const { token } = await service.company();
    const page = await openWithAxe(browser, base, token);
    await shown(page, '/');
    const [navigation, menu] = [page.getByRole('navigation'), page.getByRole('button', { name: 'Menu' })];
    assert.deepEqual([await menu.isVisible(), await navigation.getByRole('link').count()], [false, 14]);
    const links = (await navigation.boundingBox())?.height ?? 0;
    await page.setViewportSize({ width: 320, height: 800 });
    assert.equal(await navigation.getByRole('link').count(), 0);
    // As high as the one row of links on a wide screen, or lower.
    assert.ok(((await navigation.boundingBox())?.height ?? Number.POSITIVE_INFINITY) <= links);
    await menu.click();
    assert.equal(await navigation.getByRole('link').count(), 14);
    for (const look of LOOKS) {
      assert.deepEqual(await findings(page, look), [], String(look.width));
      assert.ok(await fitsScreen(page));
    }
    await page.context().close();
  });

  test('names in another direction and names without a break neither overflow nor reorder the words', async () => {
    const company = await service.company();
    await addTeam(service, company);
    for (const name of NAMES) {
      await database.query('update identity.company set name = $2 where id = $1', [company.companyId, name]);
      await database.query('update identity.account set name = $2 where id = $1', [company.ownerId, name]);
      await database.query('update identity.team set name = $2 where id = $1', [company.teamId, name]);
      for (const path of [`/?team=${company.teamId}`, `/jobs?team=${company.teamId}`, '/?team=x']) {
        await assertIsolates(
          browser,
          {
            url: `${base}${path}`,
            token: company.token,
            shown: async (page) => {
              if (path.endsWith('x')) await page.locator('#no-team').waitFor();
              else await shown(page, new URL(page.url()).pathname);
            },
          },
          [name],
        );
      }
    }
  });

  test('a first load is at most 100 kB over the wire and 40 requests', async () => {
    const { token } = await service.company();
    for (const path of ['/', '/jobs']) {
      await assertWeight(browser, { url: `${base}${path}`, token, shown: (page) => shown(page, path) });
    }
  });

  test('the page at / requests nothing after it has loaded', async () => {
    const { token } = await service.company();
    const { page } = await openPage(browser, base, { script: signedIn(token) });
    await page.clock.install();
    await page.reload();
    await shown(page, '/');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.clock.runFor(180_000);
    assert.deepEqual(asked, []);
    await page.context().close();
  });
});
