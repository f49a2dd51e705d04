const everyone = () => true;

/** @type {import('./section.d.ts').Section['seenBy']} */
const hasFullAccess = (_, team) => team?.access === 'full';

/** An Owner reads the audit of the Company, also without a Team. @type {import('./section.d.ts').Section['seenBy']} */
const readsAudit = ({ company }, team) => company.role === 'owner' || team?.access === 'full';

/** @type {import('./section.d.ts').Section['seenBy']} */
const managesCompany = ({ company }) => company.role === 'owner' || company.role === 'admin';

/** The pages, in the order of the navigation. @type {readonly import('./section.d.ts').Section[]} */
export const SECTIONS = [
  {
    path: '/',
    name: 'Home',
    seenBy: everyone,
    load: () => import('./pages/home.js'),
  },
  {
    path: '/search',
    name: 'Search',
    seenBy: everyone,
    load: () => import('./pages/search/search.js'),
  },
  {
    path: '/sources',
    name: 'Sources',
    seenBy: everyone,
    hasRecords: true,
    load: () => import('./pages/sources/list.js'),
  },
  {
    path: '/review',
    name: 'Review',
    seenBy: hasFullAccess,
    load: () => import('./pages/review/review.js'),
  },
  {
    path: '/memories',
    name: 'Memories',
    seenBy: everyone,
    hasRecords: true,
    load: () => import('./pages/memories/memories.js'),
  },
  {
    path: '/captures',
    name: 'Captures',
    seenBy: everyone,
    load: () => import('./pages/memories/captures.js'),
  },
  {
    path: '/imports',
    name: 'Imports',
    seenBy: everyone,
    load: () => import('./pages/imports/imports.js'),
  },
  {
    path: '/files',
    name: 'Files',
    seenBy: everyone,
    load: () => import('./pages/files/files.js'),
  },
  {
    path: '/people',
    name: 'People',
    seenBy: everyone,
    load: () => import('./pages/people/people.js'),
  },
  {
    path: '/clients',
    name: 'Clients',
    seenBy: everyone,
    load: () => import('./pages/people/clients.js'),
  },
  {
    path: '/tokens',
    name: 'Tokens',
    seenBy: everyone,
    load: () => import('./pages/tokens/tokens.js'),
  },
  {
    path: '/audit',
    name: 'Audit',
    seenBy: readsAudit,
    ofCompany: true,
    load: () => import('./pages/audit/audit.js'),
  },
  {
    path: '/company',
    name: 'Company',
    seenBy: managesCompany,
    ofCompany: true,
    sameInEveryTeam: true,
    load: () => import('./pages/company/company.js'),
  },
  {
    path: '/jobs',
    name: 'Jobs',
    seenBy: everyone,
    also: ['/dashboard'],
    load: () => import('./pages/jobs.js'),
  },
  {
    path: '/account',
    name: 'Your account',
    seenBy: everyone,
    ofUser: true,
    sameInEveryTeam: true,
    load: () => import('./pages/people/account.js'),
  },
];

/**
 * The page at a path.
 * @param {string} path
 */
export const sectionAt = (path) =>
  SECTIONS.find(
    (section) => section.path === path || section.also?.includes(path) || recordAt(path, section) !== null,
  );

/**
 * The id of the record that a path names on a page of records, such as /sources/1 on /sources.
 * @param {string} path
 * @param {Pick<import('./section.d.ts').Section, 'path' | 'hasRecords'>} section
 * @returns {string | null}
 */
export function recordAt(path, { path: list, hasRecords = false }) {
  if (!hasRecords || !path.startsWith(`${list}/`)) return null;
  const id = path.slice(list.length + 1);
  if (id === '' || id.includes('/')) return null;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
