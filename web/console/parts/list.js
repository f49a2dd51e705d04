import { html, useLayoutEffect, useRef, useState } from '../html.js';
import { isDone, problemOf } from './ask.js';

/**
 * What is known of a list that the service sends in pages.
 * @template Item
 * @typedef {object} List
 * @property {readonly Item[] | null} items null until the first page is there
 * @property {string | null} next the cursor of the next page
 * @property {boolean} busy whether a page is on its way
 * @property {string} problem why the last page could not be read, or ''
 * @property {() => Promise<void>} more adds the next page
 * @property {() => Promise<void>} reload reads the first page again
 * @property {(change: (items: readonly Item[]) => readonly Item[]) => void} change changes what is shown
 */

/**
 * Reads a list, and again from its start when the path changes.
 * @template Item
 * @param {import('./ask.js').Ask} ask
 * @param {string} path of the list, with its filters
 * @returns {List<Item>}
 */
export function useList(ask, path) {
  const [items, setItems] = useState(/** @type {readonly Item[] | null} */ (null));
  const [next, setNext] = useState(/** @type {string | null} */ (null));
  const [busy, setBusy] = useState(true);
  const [problem, setProblem] = useState('');
  /** Counts the readings: only the answer to the last one is shown. */
  const reading = useRef(0);

  /** @param {string | null} cursor */
  async function read(cursor) {
    reading.current += 1;
    const mine = reading.current;
    setBusy(true);
    const query =
      cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`;
    const reply = await ask('GET', `${path}${query}`);
    if (mine !== reading.current) return;
    setBusy(false);
    if (!isDone(reply)) {
      setProblem(problemOf(reply));
      return;
    }
    setProblem('');
    setNext(reply.answer.nextCursor);
    setItems((before) => (cursor === null ? reply.answer.items : [...(before ?? []), ...reply.answer.items]));
  }

  /** That of the list shown now: a change can end after the path was changed. */
  const latest = useRef(read);
  latest.current = read;

  useLayoutEffect(() => {
    setItems(null);
    setNext(null);
    void read(null);
  }, [ask, path]);

  return {
    items,
    next,
    busy,
    problem,
    more: async () => {
      if (next !== null && !busy) await read(next);
    },
    reload: () => latest.current(null),
    change: (change) => setItems((before) => before && change(before)),
  };
}

/**
 * What follows a list: why it could not be read, the next page, and how many are shown, for screen readers too.
 * @param {object} props
 * @param {Pick<List<unknown>, 'items' | 'next' | 'busy' | 'problem' | 'more' | 'reload'>} props.list
 * @param {string} props.one what one item is called
 * @param {string} [props.many] what several are called
 */
export function ListEnd({ list, one, many = `${one}s` }) {
  const { items, next, busy, problem } = list;
  const shown = items?.length ?? 0;
  const status =
    items === null
      ? problem === ''
        ? `Loading ${many} …`
        : ''
      : shown === 0
        ? ''
        : `${shown} ${shown === 1 ? one : many}${next === null ? '' : ', and more'}`;
  return html`
    <div class="list-end">
      <p role="alert">${problem}</p>
      <p class="quiet" role="status">${status}</p>
      ${
        problem !== '' && items === null
          ? html`<button type="button" class="small" onClick=${list.reload}>Try again</button>`
          : next !== null &&
            html`<button type="button" class="small" aria-busy=${busy ? 'true' : undefined} onClick=${list.more}>
              Show more
            </button>`
      }
    </div>
  `;
}
