import { madeScripts } from '../../pages/made-scripts.ts';
import { joinStyles, type PageFile, packageFiles, webFilesIn } from '../../pages/page-files.ts';
import type { Routes } from '../../types.ts';
import { servePage } from './serve-page.ts';

/** The addresses of the console. Each is a page in the table of web/console/sections.js; `:id` names a record. */
export const ADDRESSES = [
  '/',
  '/search',
  '/sources',
  '/sources/:id',
  '/review',
  '/memories',
  '/memories/:id',
  '/captures',
  '/imports',
  '/files',
  '/people',
  '/clients',
  '/tokens',
  '/audit',
  '/company',
  '/jobs',
  '/dashboard',
  '/account',
];

/** The scripts of the console: those shared with other pages, its own, and those of the dashboard within it. */
const SCRIPTS = [
  'shared/ask-service.js',
  'shared/polling.js',
  'shared/session.js',
  ...webFilesIn('console', '.js'),
  ...webFilesIn('dashboard', '.js'),
];

/** The shared styles come first, because the others override them. */
const STYLES = [
  'shared/page.css',
  'console/console.css',
  'console/masthead.css',
  ...webFilesIn('console/parts', '.css'),
  ...webFilesIn('console/pages', '.css'),
  ...webFilesIn('dashboard', '.css'),
];

/** Assets that are no files of web/. */
const MADE: ReadonlyMap<string, PageFile> = new Map([
  ...packageFiles(),
  ['console/styles.css', joinStyles('console/styles.css', STYLES)],
]);

/** The console. The document is public, like every page, and shows no data until a user signs in. */
export const consolePage: Routes = (app) =>
  servePage(app, {
    addresses: ADDRESSES,
    folder: '/assets',
    html: 'console/console.html',
    assets: SCRIPTS,
    made: new Map([...MADE, ...madeScripts()]),
  });
