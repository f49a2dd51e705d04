import type { Routes } from '../app.ts';
import { servePage } from './serve-page.ts';

/** What the page loads: what it shares with the other pages, and its own folder. */
const ASSETS = [
  'page.css',
  'ask-service.js',
  'page-text.js',
  'session.js',
  'tab-storage.js',
  'dashboard/dashboard.css',
  'dashboard/figures.css',
  'dashboard/health.css',
  'dashboard/plots.css',
  'dashboard/tables.css',
  'dashboard/backlog.js',
  'dashboard/board.js',
  'dashboard/clock.js',
  'dashboard/element.js',
  'dashboard/failed-imports.js',
  'dashboard/figures.js',
  'dashboard/forget-dialog.js',
  'dashboard/health-line.js',
  'dashboard/main.js',
  'dashboard/plot.js',
  'dashboard/polling.js',
  'dashboard/queues.js',
  'dashboard/rows.js',
  'dashboard/running-imports.js',
  'dashboard/sign-in-form.js',
  'dashboard/team-choice.js',
  'dashboard/words.js',
  'dashboard/workers.js',
];

/** The operator's dashboard: open like every page, and empty until someone signs in. */
export const dashboardPage: Routes = (app) =>
  servePage(app, '/dashboard', { html: 'dashboard/dashboard.html', assets: ASSETS });
