/**
 * @typedef {import('../../shared/schemas/identity.ts').Session} Session the session of this tab, with its token
 * @typedef {Session['teams'][number]} Team
 */

/**
 * What the console gives to the page that it shows.
 * @typedef {object} PageProps
 * @property {Session} session
 * @property {Team} team
 * @property {(what: string) => void} setTitle sets what the page shows, for the title of the tab
 * @property {(read: Omit<Session, 'token'>) => Team | null} refreshed is called with the session when the page has
 *   read it again; returns the Team, or null without access to it
 * @property {(reply: { status: number }) => void} lost is called with the answer after which the Team cannot be shown
 */

/**
 * A page of the console.
 * @typedef {object} Section
 * @property {string} path
 * @property {string[]} [also] its other addresses
 * @property {string} name in the navigation, as the heading and in the title
 * @property {(session: Session, team: Team | null) => boolean} seenBy who can read what it requests
 * @property {() => Promise<{ Page: (props: PageProps) => import('./html.js').Node }>} load
 */

const everyone = () => true;

/** The pages, in the order of the navigation. @type {readonly Section[]} */
export const SECTIONS = [
  { path: '/', name: 'Home', seenBy: everyone, load: () => import('./pages/home.js') },
  {
    path: '/jobs',
    also: ['/dashboard'],
    name: 'Jobs',
    seenBy: everyone,
    load: () => import('./pages/jobs.js'),
  },
];

/**
 * The page at a path.
 * @param {string} path
 */
export const sectionAt = (path) =>
  SECTIONS.find((section) => section.path === path || section.also?.includes(path));
