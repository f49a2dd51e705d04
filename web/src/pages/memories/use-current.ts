import { useEffect, useMemo, useRef, useState } from 'react';
import { type Entry, entriesOf, type Item } from './entries.ts';

/**
 * What waits for a decision, and which of it is shown.
 * @param items what waits
 * @param isHidden whether an item is being decided on
 * @param hasMore whether more items can be read
 * @param first id of the item to show first
 */
export function useCurrent(
  items: readonly Item[],
  isHidden: (id: string) => boolean,
  hasMore: boolean,
  first: string | undefined,
) {
  const [current, setCurrent] = useState(first ?? null);
  const [apart, setApart] = useState<ReadonlySet<string>>(new Set());
  const entries = useMemo(() => entriesOf(items, apart), [items, apart]);
  const isCurrent = (entry: Entry) => entry.items.some(({ id }) => id === current);
  const index = entries.findIndex(isCurrent);
  const shown = useRef({ entry: undefined as Entry | undefined, index: 0 });
  // Others can decide on an item while someone reads it: its reader goes on reading it.
  const { entry: before } = shown.current;
  const hasLeft = index === -1 && before !== undefined && isCurrent(before) && !isHidden(before.id);
  const isSought = current !== null && current === first && index === -1 && !hasLeft && hasMore;
  if (!hasLeft) shown.current = { entry: entries[Math.max(0, index)], index: Math.max(0, index) };
  const { entry, index: at } = shown.current;
  useEffect(() => {
    if (!isSought && entry && !isCurrent(entry)) setCurrent(entry.id);
  });
  return {
    entries,
    index: at,
    entry,
    /** The item to show first is in a part of the list that is not read yet. */
    isSought,
    /** Shows another one; null: the first one. */
    show: setCurrent,
    /** The entry after what is shown, and the one before. */
    next: entries[hasLeft ? at : at + 1],
    before: entries[at - 1],
    /** Has an item decided by itself. */
    setApart: (id: string) => setApart((ids) => new Set([...ids, id])),
  };
}

/** The heading of what is shown. It gets the focus when something else is shown, unless someone is typing. */
export function useHeadingOf(id: string | undefined) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    if (id === undefined) return;
    const isTyping = document.activeElement?.matches('input, select, textarea') === true;
    if (!isFirst.current && !isTyping) {
      heading.current?.focus({ preventScroll: true });
      scrollTo({ top: 0 });
    }
    isFirst.current = false;
  }, [id]);
  return heading;
}
