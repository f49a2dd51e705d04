import { html, useLayoutEffect, useRef, useState } from '../html.js';
import { toHeading } from './action.js';
import { isDone, problemOf, withQuery } from './ask.js';

/**
 * What is known of a list that the service sends in pages.
 * @template Item
 * @typedef {object} List
 * @property {readonly Item[] | null} items null until the first page is there
 * @property {string | null} next the cursor of the next page
 * @property {boolean} busy whether a page is on its way
 * @property {string} problem why the last page could not be read, or ''
 * @property {() => Promise<void>} more adds the next page
 * @property {() => Promise<void>} reload reads again as many items as are shown
 * @property {() => Promise<void>} newest reads the first page again, and shows only that
 * @property {(change: (items: readonly Item[]) => readonly Item[]) => void} change changes what is shown
 */

/** How many items the service sends if it is not told, and at most. */
const PAGE = 50;
const MAX_PAGE = 200;

/**
 * The path of the same list in pages that have so many items, as far as the service allows.
 * @param {string} path
 * @param {number} items
 */
function inPagesOf(path, items) {
  const [start = '', query] = path.split('?');
  const search = new URLSearchParams(query);
  if (items <= Number(search.get('limit') ?? PAGE)) return path;
  search.set('limit', String(Math.min(items, MAX_PAGE)));
  return `${start}?${search}`;
}

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
    const reply = await ask('GET', withQuery(path, { cursor }));
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

  /** Reads again what is shown, so that no page that was added is lost. */
  async function readAgain() {
    const shown = items?.length ?? 0;
    reading.current += 1;
    const mine = reading.current;
    setBusy(true);
    /** @type {Item[]} */
    const now = [];
    const again = inPagesOf(path, shown);
    let cursor = null;
    do {
      const reply = await ask('GET', withQuery(again, { cursor }));
      if (mine !== reading.current) return;
      if (!isDone(reply)) {
        setBusy(false);
        setProblem(problemOf(reply));
        return;
      }
      now.push(...reply.answer.items);
      cursor = reply.answer.nextCursor;
    } while (cursor !== null && now.length < shown);
    setBusy(false);
    setProblem('');
    setNext(cursor);
    setItems(now);
  }

  /** That of the list shown now: a change can end after the path was changed. */
  const latest = useRef(readAgain);
  latest.current = readAgain;

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
    reload: () => latest.current(),
    newest: () => read(null),
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

/**
 * A form of filters that live in the address. Its fields have the names of the query.
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.path of the page
 * @param {URLSearchParams} props.query
 * @param {import('../section.d.ts').PageProps['link']} props.link
 * @param {import('../section.d.ts').PageProps['go']} props.go
 * @param {unknown} props.clients the options of the field `client`, which can come later than the form
 * @param {import('../html.js').Children} props.children the fields
 */
export function Filters({ label, path, query, link, go, clients, children }) {
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const named = query.toString();

  // The fields are not controlled, so that what is typed stays while the list and the clients load.
  useLayoutEffect(() => fill(() => true), [named]);
  useLayoutEffect(() => fill(({ name }) => name === 'client'), [clients]);

  /** @param {(field: HTMLInputElement | HTMLSelectElement) => boolean} which fields get the value in the address */
  function fill(which) {
    for (const field of form.current?.elements ?? []) {
      if ((field instanceof HTMLInputElement || field instanceof HTMLSelectElement) && which(field)) {
        field.value = query.get(field.name) ?? '';
        // What the address says is not offered.
        if (field instanceof HTMLSelectElement && field.selectedIndex < 0) field.selectedIndex = 0;
      }
    }
  }

  /** @param {SubmitEvent} event */
  function show(event) {
    event.preventDefault();
    if (form.current === null) return;
    /** @type {Record<string, string>} */
    const wanted = {};
    for (const [name, value] of new FormData(form.current)) {
      if (typeof value === 'string') wanted[name] = value.trim();
    }
    go(link(path, wanted));
  }

  return html`
    <form class="card" role="search" aria-label=${label} ref=${form} onSubmit=${show}>
      <div class="filters">
        ${children}
        <button type="submit">Show</button>
      </div>
      ${named !== '' && html`<p class="filters-clear"><a href=${link(path)} onClick=${toHeading}>Show all</a></p>`}
    </form>
  `;
}

/** How long nothing was typed before what is typed is shown. Some browsers allow 100 changes of the address in 30 s. */
const PAUSE_MS = 300;

/**
 * A field that filters what is shown, and lives in the address. The address changes after a pause in typing, with Enter,
 * and when the field is left.
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.label
 * @param {string} props.value what the address says
 * @param {(value: string) => void} props.show changes the address
 */
export function SearchField({ id, label, value, show }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const given = useRef({ value, show });
  given.current = { value, show };

  useLayoutEffect(() => {
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);

  /** @param {string} text */
  function settle(text) {
    clearTimeout(timer.current);
    if (text !== given.current.value) given.current.show(text);
  }

  /** @typedef {Event & { currentTarget: HTMLInputElement }} Typed */
  return html`
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="search"
      autocomplete="off"
      value=${typed}
      onInput=${(/** @type {Typed} */ { currentTarget: { value: text } }) => {
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => settle(text), PAUSE_MS);
      }}
      onChange=${(/** @type {Typed} */ { currentTarget }) => settle(currentTarget.value)}
    />
  `;
}
