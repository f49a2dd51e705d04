import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { openTab, profileOf } from './pages/support.ts';
import { runWorkers, type Scene, setScene } from './pictures/scene.ts';

/**
 * `MEMORY_TEST_SCREENSHOTS=FOLDER npm test -- test/browser/pictures.test.ts` writes a picture of each page, for three widths
 * and two looks, into a folder, and those of the README into its own. A picture differs slightly between machines, so this
 * is done only on request.
 */
const folder = process.env['MEMORY_TEST_SCREENSHOTS'] ?? '';
const skip = folder === '' ? 'MEMORY_TEST_SCREENSHOTS names no folder' : withoutBrowser;
const OF_THE_README = join(import.meta.dirname, 'screenshots');

const WIDTHS = [
  [1440, 900],
  [820, 1180],
  [390, 844],
] as const;
const LOOKS = ['light', 'dark'] as const;

/** Addresses that the navigation does not have: records, and what can be open. */
const more = ({ source, memory, pdf, person }: Scene): Readonly<Record<string, string>> => ({
  search: '/search?q=temperature+excursion',
  source: `/sources/${source}`,
  pdf: `/sources/${pdf}`,
  note: '/sources?new=1',
  memory: `/memories/${memory}`,
  file: '/files?path=team/runbooks/temperature-excursion.md',
  person: `/people?person=${person}`,
  invites: '/people?tab=invites',
  invite: '/people?invite=1',
  'new-token': '/tokens?new=1',
  connect: '/tokens?tab=connect',
  'company-people': '/company?part=people',
  account: '/account',
  unknown: '/nowhere',
});

/** The paths of the navigation, by their names. */
async function namedPathsOf(page: Page): Promise<Record<string, string>> {
  const paths = await page.evaluate<string[]>(
    "Array.from(document.querySelectorAll('nav a'), ({ pathname }) => pathname)",
  );
  return Object.fromEntries(paths.map((path) => [path.slice(1) || 'home', path]));
}

async function isShown(page: Page): Promise<void> {
  // By its element: a dialog hides it from roles.
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
  // The first result, and a page of a PDF, are drawn after their answers.
  await page.waitForTimeout(300);
}

/** The menu of a narrow screen, and the palette with what it finds. */
async function takeOpened(page: Page, look: string): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.screenshot({ path: join(folder, `menu-390-${look}.png`) });
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.press('Control+k');
  await page.getByLabel('Search, or go to a page').fill('excursion');
  // A search begins after a pause.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `palette-1440-${look}.png`) });
}

const service = skip === false ? await openOwnTestApp() : (undefined as never);

describe('pictures of the console', { skip }, () => {
  let scene: Scene;
  let base: string;
  let browser: Browser;
  const at = (path: string) => `${base}${path}${path.includes('?') ? '&' : '?'}team=${scene.company.teamId}`;

  before(async () => {
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    scene = await setScene(service);
    browser = await launchBrowser();
    await mkdir(folder, { recursive: true });
  });
  after(() => browser.close());

  test('those of the README and the guide', async () => {
    await runWorkers(service);
    const context = await profileOf(browser, base, scene.company.token, { colorScheme: 'light' });
    for (const [name, path, width, height] of [
      ['search', more(scene)['search']!, 1280, 700],
      ['review', '/review', 1440, 790],
    ] as const) {
      const { page } = await openTab(context, at(path));
      await page.setViewportSize({ width, height });
      await isShown(page);
      await page.screenshot({ path: join(OF_THE_README, `console-${name}.png`) });
    }
    await context.close();
  });

  test('each page in three widths, light and dark', async () => {
    for (const colorScheme of LOOKS) {
      const context = await profileOf(browser, base, scene.company.token, { colorScheme });
      const { page: home } = await openTab(context, at('/'));
      await isShown(home);
      const paths = { ...(await namedPathsOf(home)), ...more(scene) };
      await takeOpened(home, colorScheme);
      for (const [name, path] of Object.entries(paths)) {
        await runWorkers(service);
        const { page } = await openTab(context, at(path));
        for (const [width, height] of WIDTHS) {
          await page.setViewportSize({ width, height });
          await isShown(page);
          await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
        }
        await page.close();
      }
      await context.close();
    }
    const { page } = await openTab(await profileOf(browser, base, null), at('/'));
    await isShown(page);
    await page.screenshot({ path: join(folder, 'sign-in.png') });
  });
});
