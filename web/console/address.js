import { ROOT } from '../shared/ask-service.js';

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
