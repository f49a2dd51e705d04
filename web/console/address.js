import { ROOT } from '../shared/ask-service.js';
import { useLayoutEffect } from './html.js';

/**
 * The address of a page of the console.
 * @typedef {object} Address
 * @property {string} path below the root of the service, with a slash at its start
 * @property {string | null} team the id of the Team that it names
 * @property {URLSearchParams} query what else it names, such as filters
 */

/**
 * Reads an address of this service.
 * @param {Pick<Location, 'pathname' | 'search'>} url
 * @returns {Address}
 */
export function readAddress({ pathname, search }) {
  const query = new URLSearchParams(search);
  const team = query.get('team');
  query.delete('team');
  return { path: `/${pathname.slice(ROOT.pathname.length)}`, team, query };
}

/**
 * The link to a page. It includes the prefix that a proxy has added.
 * @param {string} path below the root of the service
 * @param {string | null} team the id of the Team to show there
 * @param {Readonly<Record<string, string | null>> | URLSearchParams} [query] what else it names; null and '' are left out
 */
export function linkTo(path, team, query = {}) {
  const url = new URL(path.slice(1), ROOT);
  if (team !== null) url.searchParams.set('team', team);
  const named = query instanceof URLSearchParams ? query : Object.entries(query);
  for (const [name, value] of named) {
    if (value !== null && value !== '') url.searchParams.append(name, value);
  }
  return `${url.pathname}${url.search}`;
}

/**
 * The link that a click follows within the console; null if the browser must handle the click, such as one that opens a
 * new tab.
 * @param {MouseEvent} event
 * @returns {URL | null}
 */
export function clickedLink(event) {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== '') return null;
  const url = new URL(link.href);
  return url.origin === location.origin && url.pathname.startsWith(ROOT.pathname) ? url : null;
}

/**
 * Something that would be lost if the page were left now: the question, and which addresses leave it.
 * @typedef {{ question: string, leaves: (from: Address, to: Address) => boolean }} Hold
 */

/** @type {Set<Hold>} */
const holds = new Set();

/** @param {BeforeUnloadEvent} event */
const warn = (event) => event.preventDefault();

/**
 * Asks before something is lost, until it is released: in the console with a question, and when the tab is closed or
 * reloaded with that of the browser.
 * @param {Hold} what
 * @returns {() => void} releases it
 */
export function hold(what) {
  holds.add(what);
  // A listener that is always there would keep the page out of the cache of the browser.
  addEventListener('beforeunload', warn);
  return () => {
    holds.delete(what);
    if (holds.size === 0) removeEventListener('beforeunload', warn);
  };
}

/**
 * The same for something that goes on while other pages are shown.
 * @param {Hold} what
 * @returns {(going: boolean) => void} is told after every change whether it goes on
 */
export function askWhileGoing(what) {
  /** @type {(() => void) | null} */
  let release = null;
  return (going) => {
    if (going) release ??= hold(what);
    else {
      release?.();
      release = null;
    }
  };
}

/**
 * Whether another page, record or Team is shown there.
 * @param {Address} from
 * @param {Address} to
 */
export const leavesPage = (from, to) =>
  from.path !== to.path || (from.team !== null && to.team !== null && from.team !== to.team);

/**
 * Whether another part of the page is shown there, or another page.
 * @type {typeof leavesPage}
 */
export const leavesPart = (from, to) =>
  leavesPage(from, to) || ['view', 'part'].some((name) => from.query.get(name) !== to.query.get(name));

/**
 * Asks before the page is left while something would be lost by it.
 * @param {string} question says what would be lost; '' while nothing would
 * @param {Hold['leaves']} [leaves]
 */
export function useLeaveQuestion(question, leaves = leavesPage) {
  useLayoutEffect(() => (question === '' ? undefined : hold({ question, leaves })), [question]);
}

/**
 * Whether another address can be shown. Asks the user if something would be lost.
 * @param {Address} from
 * @param {Address} to
 */
export function mayLeave(from, to) {
  const held = [...holds].find(({ leaves }) => leaves(from, to));
  return held === undefined || confirm(held.question);
}
