import { QUEUE_NAMES, queueDefinition } from '../../../shared/queues.ts';
import { AUDIT_KINDS } from '../../../shared/schemas/audit-kinds.ts';
import { joinStyles, type PageFile, packageFiles, pageFile, webFilesIn } from '../../pages/page-files.ts';
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

/** A module with the label of each queue, in the order in which they are shown. The page needs no list of its own. */
function queueLabels(): string {
  const labels = QUEUE_NAMES.map((name) => [name, queueDefinition(name).label]);
  return `export const QUEUE_LABELS = ${JSON.stringify(Object.fromEntries(labels))};\n`;
}

/** The same for what each kind of audit event means. */
function auditMeanings(): string {
  const meanings = Object.entries(AUDIT_KINDS).map(([kind, { meaning }]) => [kind, meaning]);
  return `export const AUDIT_MEANINGS = ${JSON.stringify(Object.fromEntries(meanings))};\n`;
}

const labels = 'dashboard/figures/queue-labels.js';
const kinds = 'console/pages/audit/audit-kinds.js';
const MADE: ReadonlyMap<string, PageFile> = new Map([
  ...packageFiles(),
  ['console/styles.css', joinStyles('console/styles.css', STYLES)],
  [labels, pageFile(labels, queueLabels())],
  [kinds, pageFile(kinds, auditMeanings())],
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
