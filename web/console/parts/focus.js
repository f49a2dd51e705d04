import { useLayoutEffect, useState } from '../html.js';

/**
 * Moves the focus when what had it is no longer shown.
 * @returns {(id: string) => void} moves it to the element with this id, once the page shows the change
 */
export function useFocus() {
  const [wanted, setWanted] = useState(/** @type {{ id: string } | null} */ (null));
  useLayoutEffect(() => {
    if (wanted === null) return;
    // A list that was read again can be without it.
    const found = document.getElementById(wanted.id) ?? document.getElementById('page-heading');
    found?.focus();
  }, [wanted]);
  return (id) => setWanted({ id });
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
