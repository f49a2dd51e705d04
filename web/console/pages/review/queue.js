import { isDone, problemOf, withQuery } from '../../parts/ask.js';

/**
 * @typedef {import('../../parts/ask.js').Ask} Ask
 *
 * A memory in review, or a published memory or source with feedback that waits for a decision.
 * @typedef {import('../../../../shared/schemas/memories.ts').ListedMemory} Item
 *
 * A text as the reviewer has changed it, and the version that it is based on.
 * @typedef {{ title: string, content: string, version: number }} Draft
 * @typedef {ReturnType<typeof openQueue>} Queue
 */

const PATH = 'memory/memories';
/** If fewer items are left, the next ones are read. */
const FEW = 10;
const PAGE = 50;

/**
 * The items that wait for a decision, and which of them is current. Its fields are changed in place.
 * @param {Ask} ask
 * @param {() => void} changed is called after every change
 */
export function openQueue(ask, changed) {
  /** Counts what happens, so that an answer of an earlier time does not undo a later change. */
  let clock = 0;
  /** When an item was last changed here. @type {Map<string, number>} */
  const touched = new Map();
  let filter = { q: /** @type {string | null} */ (null), clientId: /** @type {string | null} */ (null) };
  /** Counts the filters: an answer for an earlier one is dropped. */
  let opened = 0;
  let reloading = false;

  const queue = {
    /** Null until the first page is there. */
    items: /** @type {readonly Item[] | null} */ (null),
    /** The cursor of the next page. @type {string | null} */
    next: null,
    busy: false,
    problem: '',
    /** The id of the current item. @type {string | null} */
    current: null,
    /** Counts the requests for the focus: the heading of the current item gets it. */
    focus: 0,
    /** @type {Set<string>} */
    selected: new Set(),
    /** Items with a decision that is not answered yet. @type {Set<string>} */
    pending: new Set(),
    /** @type {Map<string, Draft>} */
    drafts: new Map(),
    /** Items that were decided elsewhere while they were current or being edited. @type {Set<string>} */
    gone: new Set(),
    /** Is called with a draft of an item that has left the list. @type {(item: Item, draft: Draft) => void} */
    orphaned: () => {},
    open,
    more,
    reload,
    show,
    move,
    take,
    putBack,
    touch,
    item: itemOf,
  };

  /**
   * @param {string | null} [id] the current item if it is not given
   * @returns {Item | null} null if it is not in the list
   */
  function itemOf(id = queue.current) {
    return queue.items?.find((item) => item.id === id) ?? null;
  }

  /** @param {string} id */
  function touch(id) {
    clock += 1;
    touched.set(id, clock);
  }

  /**
   * Reads the list with a filter.
   * @param {{ q: string | null, clientId: string | null }} wanted
   * @param {string | null} [first] the id of the item to show first
   */
  async function open(wanted, first = null) {
    filter = wanted;
    opened += 1;
    const [mine, begun] = [opened, clock];
    Object.assign(queue, { items: null, next: null, current: null, problem: '', busy: true });
    queue.selected.clear();
    queue.gone.clear();
    changed();
    const reply = await read(null);
    if (mine !== opened) return;
    queue.busy = false;
    if (isDone(reply)) {
      const items = /** @type {Item[]} */ (reply.answer.items).filter(({ id }) => !isLater(id, begun));
      queue.items = items;
      queue.next = reply.answer.nextCursor;
      queue.current = items.find(({ id }) => id === first)?.id ?? items[0]?.id ?? null;
    } else {
      queue.problem = problemOf(reply);
    }
    changed();
  }

  /** @param {string | null} cursor */
  const read = (cursor) => ask('GET', withQuery(PATH, { state: 'review', ...filter, cursor, limit: PAGE }));

  /** Adds the next page. */
  async function more() {
    if (queue.busy || queue.next === null) return;
    queue.busy = true;
    const [mine, begun] = [opened, clock];
    changed();
    const reply = await read(queue.next);
    if (mine !== opened) return;
    queue.busy = false;
    queue.problem = isDone(reply) ? '' : problemOf(reply);
    if (isDone(reply)) {
      const items = queue.items ?? [];
      const added = /** @type {Item[]} */ (reply.answer.items).filter(
        ({ id }) => !items.some((item) => item.id === id) && !isLater(id, begun),
      );
      queue.items = [...items, ...added];
      queue.next = reply.answer.nextCursor;
      queue.current ??= queue.items[0]?.id ?? null;
    }
    changed();
  }

  /** @param {string} id @param {number} begun */
  const isLater = (id, begun) => queue.pending.has(id) || (touched.get(id) ?? 0) > begun;

  /** Reads the first page again: others decide too, and new items arrive. The current item stays. */
  async function reload() {
    if (reloading) return;
    if (queue.items === null) {
      if (!queue.busy) await open(filter);
      return;
    }
    reloading = true;
    const [mine, begun] = [opened, clock];
    const reply = await read(null);
    reloading = false;
    // A busy service is asked again later; what is shown stays.
    if (mine !== opened || !isDone(reply)) return;
    merge(reply.answer.items, reply.answer.nextCursor, begun);
    changed();
  }

  /**
   * @param {readonly Item[]} found the first items now
   * @param {string | null} next
   * @param {number} begun
   */
  function merge(found, next, begun) {
    const items = queue.items ?? [];
    const last = found.at(-1)?.id ?? '';
    const isCovered = (/** @type {string} */ id) => next === null || id >= last;
    const known = new Map(found.map((item) => [item.id, item]));
    /** @type {Item[]} */
    const kept = [];
    for (const item of items) {
      const { id } = item;
      const now = known.get(id);
      known.delete(id);
      if (isLater(id, begun) || !isCovered(id)) {
        kept.push(item);
      } else if (now !== undefined) {
        queue.gone.delete(id);
        kept.push(now);
      } else if (id === queue.current || queue.drafts.has(id)) {
        queue.gone.add(id);
        kept.push(item);
      } else {
        queue.selected.delete(id);
      }
    }
    for (const item of known.values()) if (!isLater(item.id, begun)) kept.push(item);
    if (items.every(({ id }) => isCovered(id))) queue.next = next;
    queue.items = sorted(kept);
    queue.current ??= queue.items[0]?.id ?? null;
  }

  /**
   * Makes an item current. One that was decided elsewhere leaves the list with that.
   * @param {string | null} id
   */
  function show(id) {
    const before = queue.current;
    queue.current = id;
    queue.focus += 1;
    if (before !== null && before !== id && queue.gone.has(before)) {
      const [item, draft] = [queue.item(before), queue.drafts.get(before)];
      drop(before);
      if (item !== null && draft !== undefined) queue.orphaned(item, draft);
    }
    changed();
  }

  /** @param {1 | -1} step */
  function move(step) {
    const { items, current } = queue;
    if (items === null) return;
    const to = items[items.findIndex(({ id }) => id === current) + step];
    if (to !== undefined) show(to.id);
    if (step === 1 && items.at(-FEW)?.id === current) void more();
  }

  /** @param {string} id */
  function drop(id) {
    queue.items = queue.items?.filter((item) => item.id !== id) ?? null;
    queue.selected.delete(id);
    queue.drafts.delete(id);
    queue.gone.delete(id);
  }

  /**
   * Takes an item out of the list. The next one is current then.
   * @param {string} id
   */
  function take(id) {
    const index = queue.items?.findIndex((item) => item.id === id) ?? -1;
    touch(id);
    drop(id);
    if (queue.current === id) {
      queue.current = queue.items?.[index]?.id ?? queue.items?.at(-1)?.id ?? null;
    }
    if ((queue.items?.length ?? 0) < FEW) void more();
  }

  /**
   * Puts an item into the list again, in its place.
   * @param {Item} item
   * @param {Draft | null} [draft]
   */
  function putBack(item, draft = null) {
    touch(item.id);
    queue.items = sorted([...(queue.items ?? []).filter(({ id }) => id !== item.id), item]);
    if (draft !== null) queue.drafts.set(item.id, draft);
    queue.current ??= item.id;
  }

  return queue;
}

/** Newest first, as the service sorts them. @param {readonly Item[]} items */
const sorted = (items) => [...items].sort((a, b) => (a.id < b.id ? 1 : -1));
