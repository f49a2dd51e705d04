/**
 * Updates the children of a node to match a list. Existing children are changed in place and others are removed, so
 * that focus and selection are kept. Lists keep their order, so existing children are never moved.
 * @param parent has only these children
 * @param items in order, with unique keys
 * @param kind.keyOf returns the key of an item
 * @param kind.make makes a new child: `{ node, update }`
 * @param kind.focus is called if a removed child had the focus, with the next child, otherwise the previous one,
 *   otherwise null
 */
export function syncRows(parent, items, { keyOf, make, focus }) {
  const shown = shownBy(parent);
  const shownKeys = new Set(items.map(keyOf));
  let orphaned = null;
  for (const [key, row] of shown) {
    if (shownKeys.has(key)) continue;
    if (row.node.contains(document.activeElement)) orphaned = row.node;
    else row.node.remove();
    shown.delete(key);
  }
  let place = parent.firstElementChild;
  for (const item of items) {
    if (place === orphaned) place = place?.nextElementSibling ?? null;
    const key = keyOf(item);
    let row = shown.get(key);
    if (row === undefined) {
      row = make(item);
      shown.set(key, row);
      parent.insertBefore(row.node, place);
    } else {
      place = row.node.nextElementSibling;
    }
    row.update(item);
  }
  if (orphaned === null) return;
  const neighbour = orphaned.nextElementSibling ?? orphaned.previousElementSibling;
  orphaned.remove();
  focus?.(neighbour);
}

const byParent = new WeakMap();

/** The children made for a parent, by key. */
function shownBy(parent) {
  if (!byParent.has(parent)) byParent.set(parent, new Map());
  return byParent.get(parent);
}

/** A cell of a table. On a narrow screen, which shows no columns, the label is shown in the cell. */
export function cell(tag, label, made, ...children) {
  const node = document.createElement(tag);
  node.setAttribute('role', tag === 'th' ? 'rowheader' : 'cell');
  if (tag === 'th') node.setAttribute('scope', 'row');
  node.dataset.label = label;
  if (made) node.className = made;
  node.append(...children);
  return node;
}
