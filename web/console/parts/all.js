import { useLayoutEffect, useRef, useState } from '../html.js';
import { isDone, problemOf, withQuery } from './ask.js';

/**
 * Reads a whole list, page by page.
 * @template Item
 * @param {import('./ask.js').Ask} ask
 * @param {string} path
 * @param {number} [maxPages] is only for lists that can be longer than what is needed of them
 * @returns {Promise<{ items: Item[], problem: string, complete: boolean }>} `items` has what could be read; `problem`
 *   says why the rest could not, or is ''
 */
export async function readAll(ask, path, maxPages = Number.POSITIVE_INFINITY) {
  /** @type {Item[]} */
  const items = [];
  let cursor = null;
  for (let page = 0; page < maxPages; page += 1) {
    const reply = await ask('GET', withQuery(path, { limit: 200, cursor }));
    if (!isDone(reply)) return { items, problem: problemOf(reply), complete: false };
    items.push(...reply.answer.items);
    cursor = reply.answer.nextCursor;
    if (cursor === null) return { items, problem: '', complete: true };
  }
  return { items, problem: '', complete: false };
}

/**
 * Reads a whole list, for a page that cannot do without it.
 * @template Item
 * @param {import('./ask.js').Ask} ask
 * @param {string | null} path null reads nothing
 * @returns {{ items: readonly Item[] | null, problem: string, reload: () => Promise<void> }} `items` is null until all is
 *   there
 */
export function useAll(ask, path) {
  const [state, setState] = useState(
    /** @type {{ items: readonly Item[] | null, problem: string }} */ ({ items: null, problem: '' }),
  );
  /** Counts the readings: only the answer to the last one is shown. */
  const reading = useRef(0);

  async function read() {
    reading.current += 1;
    const mine = reading.current;
    if (path === null) return;
    /** @type {Awaited<ReturnType<typeof readAll<Item>>>} */
    const { items, problem } = await readAll(ask, path);
    if (mine !== reading.current) return;
    setState((before) => (problem === '' ? { items, problem } : { ...before, problem }));
  }

  useLayoutEffect(() => {
    setState({ items: null, problem: '' });
    void read();
  }, [ask, path]);

  return { ...state, reload: read };
}

/**
 * Reads a whole list for names and suggestions: what cannot be read is missing.
 * @template Item
 * @param {import('./ask.js').Ask} ask
 * @param {string | null} path null reads nothing
 * @returns {readonly Item[] | null} null until it is read
 */
export function useKnown(ask, path) {
  const { items, problem } = /** @type {ReturnType<typeof useAll<Item>>} */ (useAll(ask, path));
  const none = useRef(/** @type {readonly Item[]} */ ([]));
  return items ?? (problem === '' ? null : none.current);
}
