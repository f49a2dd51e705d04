const everyone = () => true;

/** The pages, in the order of the navigation. @type {readonly import('./section.d.ts').Section[]} */
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
