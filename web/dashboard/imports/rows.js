/**
 * Brings the children of a node in line with a list: what is there already is changed in place and what has gone is
 * removed, so that neither focus nor selection is lost. Lists keep their order: what stays is never moved.
 * @param parent that holds them, and nothing else
 * @param items in order, each with a key of its own
 * @param kind.keyOf an item
 * @param kind.make a new child: `{ node, update }`
 * @param kind.focus gives the focus a new place when it goes with a removed child, of the child that follows it or
 *   else stands before it, or null; without it nothing is done
 */
export function syncRows(parent, items, { keyOf, make, focus }) {
  const shown = shownBy(parent);
  const kept = new Set(items.map(keyOf));
  let orphaned = null;
  for (const [key, row] of shown) {
    if (kept.has(key)) continue;
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

/** What was made for a parent, by key. */
function shownBy(parent) {
  if (!byParent.has(parent)) byParent.set(parent, new Map());
  return byParent.get(parent);
}

/** A cell of a table. On a narrow screen, where there are no columns, its label stands with it. */
export function cell(tag, label, made, ...children) {
  const node = document.createElement(tag);
  node.setAttribute('role', tag === 'th' ? 'rowheader' : 'cell');
  if (tag === 'th') node.setAttribute('scope', 'row');
  node.dataset.label = label;
  if (made) node.className = made;
  node.append(...children);
  return node;
}
