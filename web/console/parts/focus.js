import { useLayoutEffect, useState } from '../html.js';

/** Moves the focus to the heading of the page, for what can disappear when it is used. */
export const toHeading = () => document.getElementById('page-heading')?.focus();

/**
 * Moves the focus when what had it is no longer shown.
 * @returns {(...ids: string[]) => void} moves it to the first of these elements that is there once the page shows the
 *   change
 */
export function useFocus() {
  const [wanted, setWanted] = useState(/** @type {readonly string[]} */ ([]));
  useLayoutEffect(() => {
    if (wanted.length === 0) return;
    const found = wanted.map((id) => document.getElementById(id)).find((element) => element !== null);
    if (found) found.focus();
    // A list that was read again can be without all of them.
    else toHeading();
  }, [wanted]);
  return (...ids) => setWanted(ids);
}

/**
 * The id of the item that has the focus after this one is gone.
 * @param {readonly { id: string }[]} items
 * @param {string} id
 */
export function neighbour(items, id) {
  const place = items.findIndex((item) => item.id === id);
  return (items[place + 1] ?? items[place - 1])?.id ?? null;
}
