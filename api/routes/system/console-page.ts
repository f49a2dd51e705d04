import { QUEUE_NAMES, queueDefinition } from '../../../shared/queues.ts';
import { joinStyles, type PageFile, packageFiles, pageFile } from '../../pages/page-files.ts';
import type { Routes } from '../../types.ts';
import { servePage } from './serve-page.ts';

/** The addresses of the console. Each is a page in the table of web/console/sections.js. */
export const ADDRESSES = ['/', '/jobs', '/dashboard'];

/** The scripts of the console: those shared with other pages, its own, and those of the dashboard within it. */
const SCRIPTS = [
  'shared/ask-service.js',
  'shared/polling.js',
  'shared/session.js',
  'shared/tab-storage.js',
  'console/address.js',
  'console/console.js',
  'console/html.js',
  'console/main.js',
  'console/masthead.js',
  'console/sections.js',
  'console/sign-in.js',
  'console/signed-in.js',
  'console/pages/command-line.js',
  'console/pages/first-steps.js',
  'console/pages/home.js',
  'console/pages/jobs-content.js',
  'console/pages/jobs.js',
  'dashboard/board.js',
  'dashboard/clock.js',
  'dashboard/element.js',
  'dashboard/words.js',
  'dashboard/figures/backlog.js',
  'dashboard/figures/figures.js',
  'dashboard/figures/health-line.js',
  'dashboard/figures/plot.js',
  'dashboard/figures/queues.js',
  'dashboard/figures/workers.js',
  'dashboard/imports/failed-imports.js',
  'dashboard/imports/forget-dialog.js',
  'dashboard/imports/rows.js',
  'dashboard/imports/running-imports.js',
];

const STYLES = [
  'shared/page.css',
  'console/console.css',
  'console/pages/pages.css',
  'dashboard/styles/health.css',
  'dashboard/styles/figures.css',
  'dashboard/styles/tables.css',
  'dashboard/styles/plots.css',
];

/** A module with the label of each queue, in the order in which they are shown. The page needs no list of its own. */
function queueLabels(): string {
  const labels = QUEUE_NAMES.map((name) => [name, queueDefinition(name).label]);
  return `export const QUEUE_LABELS = ${JSON.stringify(Object.fromEntries(labels))};\n`;
}

const labels = 'dashboard/figures/queue-labels.js';
const MADE: ReadonlyMap<string, PageFile> = new Map([
  ...packageFiles(),
  ['console/styles.css', joinStyles('console/styles.css', STYLES)],
  [labels, pageFile(labels, queueLabels())],
]);

/** The console. The document is public, like every page, and shows no data until a user signs in. */
export const consolePage: Routes = (app) =>
  servePage(app, {
    addresses: ADDRESSES,
    folder: '/assets',
    html: 'console/console.html',
    assets: SCRIPTS,
    made: MADE,
  });
