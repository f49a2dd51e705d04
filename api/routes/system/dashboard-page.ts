import { QUEUE_NAMES, queueDefinition } from '../../../shared/queues.ts';
import type { Routes } from '../../types.ts';
import { servePage } from './serve-page.ts';

/** The files that the page loads: those shared with other pages, and those of its own folder. */
const ASSETS = [
  'shared/page.css',
  'shared/ask-service.js',
  'shared/page-text.js',
  'shared/session.js',
  'shared/tab-storage.js',
  'dashboard/board.js',
  'dashboard/clock.js',
  'dashboard/element.js',
  'dashboard/main.js',
  'dashboard/polling.js',
  'dashboard/sign-in-form.js',
  'dashboard/team-choice.js',
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
  'dashboard/styles/dashboard.css',
  'dashboard/styles/figures.css',
  'dashboard/styles/health.css',
  'dashboard/styles/plots.css',
  'dashboard/styles/tables.css',
];

/** A module with the label of each queue, in the order in which they are shown. The page needs no list of its own. */
function queueLabels(): string {
  const labels = QUEUE_NAMES.map((name) => [name, queueDefinition(name).label]);
  return `export const QUEUE_LABELS = ${JSON.stringify(Object.fromEntries(labels))};\n`;
}

/** The operator's dashboard. The page itself is public, like every page, and shows no data until a user signs in. */
export const dashboardPage: Routes = (app) =>
  servePage(app, '/dashboard', {
    html: 'dashboard/dashboard.html',
    assets: ASSETS,
    modules: { 'dashboard/figures/queue-labels.js': queueLabels() },
  });
