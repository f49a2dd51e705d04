import { mkdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openDashboard } from '../support/dashboard.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';
import { openOwnTestApp } from '../support/own-service.ts';
import { embedSome, endWorkers, setScene, setWorkers } from './dashboard-scene.ts';

const folder = fileURLToPath(new URL('./screenshots/', import.meta.url));
/** Made only on request, because a screenshot differs slightly between machines. */
const wanted = (process.env['MEMORY_TEST_SCREENSHOTS'] ?? '') !== '';
const skip = wanted ? withoutBrowser : 'MEMORY_TEST_SCREENSHOTS is not set';

describe('the screenshots of the dashboard', { skip }, () => {
  test('screenshots are made for the README in light and dark mode, for a wide screen and a phone', async (t) => {
    const service = await openOwnTestApp();
    const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    const company = await service.company();
    await setScene(service, company, 90_000);
    await embedSome(company, 250);
    const browser = await launchBrowser();
    t.after(() => browser.close());
    await mkdir(folder, { recursive: true });
    const pictures = [
      {
        name: 'dashboard-light',
        look: { colorScheme: 'light', width: 1200, height: 1310 },
        prepare: () => setWorkers(service),
        health: '2 workers are running.',
      },
      {
        name: 'dashboard-dark-phone',
        look: { colorScheme: 'dark', width: 390, height: 1300 },
        prepare: () => endWorkers(service, company.teamId),
        health: 'No worker is running: imports wait.',
      },
    ] as const;
    for (const { name, look, prepare, health } of pictures) {
      const { colorScheme, ...size } = look;
      const { page } = await openDashboard(browser, base, company.token, { colorScheme });
      await page.setViewportSize(size);
      await page.locator('#failed-rows tr').nth(3).waitFor();
      // This gives a rate and a remaining time.
      const measured = page.locator('#backlog-left', { hasText: 'about' });
      while (!t.signal.aborted && !(await measured.isVisible())) {
        await embedSome(company, 3);
        await page.waitForResponse('**/v1/memory/status');
      }
      await prepare();
      await page.getByText(health, { exact: true }).waitFor();
      await page.screenshot({
        path: `${folder}${name}.png`,
        clip: { x: 0, y: 0, ...size },
        fullPage: true,
      });
      await page.context().close();
    }
  });
});
