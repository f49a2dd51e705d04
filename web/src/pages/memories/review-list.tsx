import { useEffect, useRef } from 'react';
import { useRights } from '../../app/rights.ts';
import { Name, Tag } from '../../ui/text.tsx';
import { useDrafts } from './drafts.ts';
import type { Entry } from './entries.ts';
import { VERDICTS } from './labels.tsx';

/** What waits for a decision, as a list to choose from. */
export function ReviewList({
  entries,
  current,
  selected,
  onShow,
  onSelect,
  onEnd,
}: {
  entries: readonly Entry[];
  current: string | undefined;
  selected: ReadonlySet<string>;
  onShow: (id: string) => void;
  /** Absent: nothing can be selected. */
  onSelect: ((id: string) => void) | undefined;
  /** The end of the list is near. */
  onEnd: () => void;
}) {
  const { nameOf } = useRights();
  const { drafts } = useDrafts();
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    row.current?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <ul
      aria-label="Queue"
      className="min-h-0 overflow-y-auto rounded-lg border border-line bg-panel empty:hidden"
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        if (scrollTop + clientHeight > scrollHeight - 400) onEnd();
      }}
    >
      {entries.map(({ id, items }) => {
        const [{ title, clientId, feedback, state } = items[0]!] = items;
        const isCurrent = id === current;
        return (
          <li
            key={id}
            ref={isCurrent ? row : null}
            className={`flex items-start gap-2 border-b border-line px-3 py-2 last:border-b-0 ${isCurrent ? 'bg-tint' : 'hover:bg-hover'}`}
          >
            {onSelect && (
              <input
                type="checkbox"
                className={`mt-0.5 shrink-0 ${state === 'review' ? '' : 'invisible'}`}
                aria-label={`Select ${title}`}
                checked={selected.has(id)}
                onChange={() => onSelect(id)}
              />
            )}
            <button
              type="button"
              className="min-w-0 grow text-left"
              aria-current={isCurrent ? 'true' : undefined}
              onClick={() => onShow(id)}
            >
              <Name className="line-clamp-2">{title}</Name>
              <span className="flex flex-wrap items-center gap-x-1.5 text-xs text-faint empty:hidden">
                {items.length > 1 && <Tag>{items.length} near-equal</Tag>}
                {feedback?.[0] && <Tag tone="warn">{VERDICTS[feedback[0].verdict]}</Tag>}
                {items.some((item) => drafts[item.id] !== undefined) && <Tag tone="warn">Edited</Tag>}
                {clientId !== null && <Name>{nameOf(clientId)}</Name>}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
