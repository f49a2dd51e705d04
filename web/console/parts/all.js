import { useLayoutEffect, useRef, useState } from '../html.js';
import { isDone, problemOf, withQuery } from './ask.js';

/** So many pages are read at most: 4,000 items. */
const MAX_PAGES = 20;

/**
 * Reads a whole list, for names and for choices.
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
    /** @type {Item[]} */
    const items = [];
    let cursor = null;
    for (let n = 0; n < MAX_PAGES; n += 1) {
      const reply = await ask('GET', withQuery(path, { limit: 200, cursor }));
      if (mine !== reading.current) return;
      if (!isDone(reply)) {
        setState((before) => ({ ...before, problem: problemOf(reply) }));
        return;
      }
      items.push(...reply.answer.items);
      cursor = reply.answer.nextCursor;
      if (cursor === null) break;
    }
    setState({ items, problem: '' });
  }

  useLayoutEffect(() => {
    setState({ items: null, problem: '' });
    void read();
  }, [ask, path]);

  return { ...state, reload: read };
}
