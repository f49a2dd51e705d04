import type { Browser, Page } from 'playwright-core';
import { profileOf } from '../test/browser/pages/support.ts';
import { buildTestApp } from '../test/support/app.ts';
import { launchBrowser } from '../test/support/needs/browser.ts';
import { addClient } from '../test/support/team.ts';
import { fillTeam } from './lists/fill.ts';
import { runBench } from './support/bench.ts';
import { withDatabase } from './support/databases.ts';
import { median } from './support/report.ts';

const SOURCES = 10_000;
/** A task that takes longer delays what is pressed, and a key that is shown later feels late. */
const MAX_TASK_MS = 50;
const MAX_KEY_MS = 104;
/** Between two keys of somebody who types quickly. */
const BETWEEN_KEYS_MS = 90;
/** The height of a row. */
const ROW_PX = 40;

/** What is read of an event of Chromium's trace. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ph: string;
  /** Microseconds. */
  dur?: number;
  args: { name?: string; data?: { type?: string; duration?: number } };
}

interface Figures {
  /** The longest task of the page's thread. */
  longestTask: number;
  /** The longest time from a key until the screen shows it; 0 if no key was pressed. */
  slowestKey: number;
  /** Of the frames that the browser should have drawn. */
  dropped: number;
}

const CATEGORIES = [
  'toplevel',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-devtools.timeline.frame',
  '__metadata',
];

/** What Chromium's trace says of what is done in a page. */
async function traced(browser: Browser, page: Page, act: () => Promise<void>): Promise<Figures> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const isMain = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter(({ name, pid, tid }) => name === 'RunTask' && isMain.has(`${pid} ${tid}`));
  const keys = traceEvents.flatMap(({ name, args: { data } }) =>
    name === 'EventTiming' && data?.type === 'keydown' ? [data.duration ?? 0] : [],
  );
  const count = (wanted: string) => traceEvents.filter(({ name }) => name === wanted).length;
  const [drawn, dropped] = [count('DrawFrame'), count('DroppedFrame')];
  return {
    longestTask: Math.max(0, ...tasks.map(({ dur = 0 }) => dur / 1000)),
    slowestKey: Math.max(0, ...keys),
    dropped: drawn + dropped === 0 ? 0 : dropped / (drawn + dropped),
  };
}

/** What people do, from the page of the sources. */
const ACTS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  'typing in the palette': async (page) => {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search, or go to a page' }).waitFor();
    await page.keyboard.type('harbour crane and ferry', { delay: BETWEEN_KEYS_MS });
    await page.keyboard.press('Escape');
  },
  'typing in the filter of the list': async (page) => {
    await page.getByLabel('Title or address').click();
    await page.keyboard.type('harbour', { delay: BETWEEN_KEYS_MS });
    await page.waitForTimeout(500);
    await page.getByLabel('Title or address').fill('');
    await page.waitForTimeout(500);
  },
  'scrolling the list to its end': async (page) => {
    await page.getByRole('row').nth(3).hover();
    for (let rows = 0; rows < SOURCES; rows += 100) {
      await page.mouse.wheel(0, 100 * ROW_PX);
      await page.waitForTimeout(30);
    }
  },
};

await runBench(
  {
    name: 'bench:smooth',
    about: `Whether the console keeps up with who types and scrolls, in a list of ${SOURCES} sources, by Chromium's own trace: the longest
task, the time from a key to the screen, and the frames that were not drawn. It needs a built console (npm run build).`,
    options: { rounds: [5, 'the figures are medians of the rounds'] },
  },
  ({ rounds }, report) =>
    withDatabase('embedded', async ({ database, url }) => {
      const service = await buildTestApp(database, url);
      const company = await service.company();
      await fillTeam(database, company, [await addClient(service, company)], SOURCES);
      const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
      const browser = await launchBrowser();
      report.row('', ['task, ms', 'key, ms', 'dropped, %']);
      for (const [name, act] of Object.entries(ACTS)) {
        const all: Figures[] = [];
        for (let round = 0; round < rounds; round += 1) {
          const context = await profileOf(browser, base, company.token);
          const page = await context.newPage();
          await page.goto(`${base}/sources?team=${company.teamId}`);
          await page.getByRole('row').nth(5).waitFor();
          all.push(await traced(browser, page, () => act(page)));
          await context.close();
        }
        const of = (figure: keyof Figures) => median(all.map((one) => one[figure]));
        report.hold(`${name}, longest task`, of('longestTask'), MAX_TASK_MS);
        report.hold(`${name}, slowest key`, of('slowestKey'), MAX_KEY_MS);
        report.row(name, [of('longestTask'), of('slowestKey'), of('dropped') * 100], '', 0);
      }
      await browser.close();
      await service.app.close();
      await service.queue.stop();
    }),
);
