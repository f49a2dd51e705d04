import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { Fragment, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { List as Read } from '../app/data.ts';
import { Failure, Skeleton, Unread } from './states.tsx';

/** A column: what its cells show, and how wide it is, as a track of a grid. */
export interface Column<One> {
  name: string;
  width: string;
  cell: (one: One) => ReactNode;
  /** The name by which the list can be sorted, if it can. */
  sort?: string;
  /** It is left out where there is no room for it. */
  isExtra?: boolean;
  isNumber?: boolean;
  /** Its cells say enough: the name is only read aloud. */
  hidesName?: boolean;
}

interface Sorting {
  by: string;
  isAscending: boolean;
}

export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  /** The rows up to this one, from the one that was chosen last. */
  extend: (id: string) => void;
  setAll: (isChosen: boolean) => void;
}

/** What a list can show: each record has an id, or what is unique in its place. */
type Listed = { id: string } | { userId: string } | { path: string };
const idOf = (one: Listed) => ('id' in one ? one.id : 'userId' in one ? one.userId : one.path);

interface Props<One> {
  label: string;
  read: Read<One>;
  /** False: a column that is not there. */
  columns: readonly (Column<One> | false)[];
  /** What a row is called when it is chosen. */
  nameOf?: (one: One) => string;
  sorting?: Sorting | undefined;
  onSort?: ((sorting: Sorting) => void) | undefined;
  selection?: Selection;
  /** The heading above a row, such as its day; rows of one heading follow each other. */
  groupOf?: (one: One) => string;
  empty: ReactNode;
}

const ROW = 40;
const HEADING = 44;
/** How many rows before the end the next page is read. */
const AHEAD = 20;
/** In rem: between columns, and the least of a column that takes what others leave, and that of the checkboxes. */
const [GAP, LEAST, BOX] = [0.75, 10, 2];

/** The columns for which there are so many rem: all but those extra ones that no longer fit beside the ones before. */
function fitting<One>(columns: readonly Column<One>[], room: number): readonly Column<One>[] {
  const needs = ({ width }: Column<One>) => {
    const most = width.split(/[(,]/).at(-1) ?? '';
    return GAP + (most.includes('rem') ? Number.parseFloat(most) : LEAST);
  };
  let left = room;
  for (const one of columns) if (one.isExtra !== true) left -= needs(one);
  return columns.filter((one) => {
    const fits = one.isExtra !== true || needs(one) <= left;
    if (one.isExtra === true && fits) left -= needs(one);
    return fits;
  });
}

/** A number ends at a distance from the text that begins beside it. */
const cellClass = ({ isNumber }: { isNumber?: boolean }) =>
  `min-w-0 truncate ${isNumber === true ? 'pr-3 text-right tabular-nums' : ''}`;

/** Where a row is, and how high. */
const placed = (top: number, height: number) => ({ height, transform: `translateY(${top}px)` });

/** A list of records: rows of one height, of which only those on screen exist, read page by page. */
export function RecordList<One extends Listed>(props: Props<One>) {
  const { label, read, nameOf, sorting, onSort, selection, groupOf, empty } = props;
  const { items, total, query } = read;
  const area = useRef<HTMLDivElement>(null);
  const headingOf = (index: number) => {
    const before = items[index - 1];
    const one = items[index];
    if (groupOf === undefined || one === undefined) return null;
    return before !== undefined && groupOf(before) === groupOf(one) ? null : groupOf(one);
  };
  /** Where the rows begin, in px, and how wide they are, in rem. */
  const [{ top, room }, setPlace] = useState({ top: 0, room: 0 });
  const measure = useCallback((table: HTMLDivElement) => {
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const place = () => setPlace({ top: area.current?.offsetTop ?? 0, room: table.clientWidth / rem });
    const observer = new ResizeObserver(place);
    observer.observe(table);
    place();
    return () => observer.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: (index) => (headingOf(index) === null ? ROW : ROW + HEADING),
    // Other items have other headings, so that their sizes are computed again.
    getItemKey: useCallback((index: number) => (items[index] ? idOf(items[index]) : index), [items]),
    overscan: 12,
    scrollMargin: top,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError && last >= items.length - AHEAD) void fetchNextPage();
  }, [last, items.length, hasNextPage, isFetchingNextPage, isError, fetchNextPage]);

  if (query.isPending) return <Skeleton />;
  if (items.length === 0) return <Unread query={query}>{empty}</Unread>;
  const given = props.columns.filter((column) => column !== false);
  const columns = fitting(given, selection ? room - BOX - GAP : room);
  const tracks = [...(selection ? [`${BOX}rem`] : []), ...columns.map(({ width }) => width)].join(' ');
  const line = 'grid items-center gap-3 grid-cols-[var(--tracks)]';
  const isAll = selection !== undefined && items.every((one) => selection.ids.has(idOf(one)));
  return (
    <div
      role="table"
      aria-label={label}
      aria-rowcount={(total ?? items.length) + 1}
      aria-busy={query.isFetching}
      ref={measure}
      style={{ '--tracks': tracks } as Record<string, string>}
    >
      <div role="rowgroup" className="sticky top-13 z-10 border-b border-line bg-page">
        <div role="row" aria-rowindex={1} className={`${line} h-9 text-sm text-faint`}>
          {selection && (
            <span role="columnheader">
              <input
                type="checkbox"
                className="block"
                aria-label="Choose all that are loaded"
                checked={isAll}
                ref={(box) => {
                  if (box !== null) box.indeterminate = !isAll && selection.ids.size > 0;
                }}
                onChange={() => selection.setAll(!isAll)}
              />
            </span>
          )}
          {columns.map((column) => (
            <ColumnHeader key={column.name} {...{ column, sorting, onSort }} />
          ))}
        </div>
      </div>
      <div role="rowgroup" ref={area} className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const one = items[index];
          if (one === undefined) return null;
          const id = idOf(one);
          const isChosen = selection?.ids.has(id) === true;
          const heading = headingOf(index);
          const offset = start - top;
          return (
            <Fragment key={id}>
              {heading !== null && (
                <div
                  role="row"
                  className="absolute inset-x-0 flex items-end pb-2"
                  style={placed(offset, HEADING)}
                >
                  <span role="cell" aria-colspan={columns.length}>
                    <h2 className="text-sm font-semibold">{heading}</h2>
                  </span>
                </div>
              )}
              <div
                role="row"
                aria-rowindex={index + 2}
                aria-selected={selection ? isChosen : undefined}
                className={`${line} absolute inset-x-0 border-b border-line ${isChosen ? 'bg-tint' : 'hover:bg-hover'}`}
                style={placed(heading === null ? offset : offset + HEADING, ROW)}
              >
                {selection && (
                  <span role="cell">
                    <input
                      type="checkbox"
                      className="block"
                      aria-label={`Choose ${nameOf?.(one)}`}
                      checked={isChosen}
                      onChange={() => undefined}
                      onClick={(event) => (event.shiftKey ? selection.extend(id) : selection.toggle(id))}
                    />
                  </span>
                )}
                {columns.map((column) => (
                  <span key={column.name} role="cell" className={cellClass(column)}>
                    {column.cell(one)}
                  </span>
                ))}
              </div>
            </Fragment>
          );
        })}
      </div>
      {query.error !== null && (
        <Failure
          error={query.error}
          retry={() => void (query.isFetchNextPageError ? fetchNextPage() : query.refetch())}
        />
      )}
    </div>
  );
}

function ColumnHeader<One>({
  column,
  sorting,
  onSort,
}: Pick<Props<One>, 'sorting' | 'onSort'> & { column: Column<One> }) {
  const { name, sort, hidesName } = column;
  const isSorted = sort !== undefined && sorting?.by === sort;
  const isAscending = isSorted && sorting.isAscending;
  const Arrow = isAscending ? ArrowUp : ArrowDown;
  return (
    <span
      role="columnheader"
      aria-sort={sort === undefined ? sort : isSorted ? (isAscending ? 'ascending' : 'descending') : 'none'}
      className={cellClass(column)}
    >
      {sort === undefined ? (
        <span className={hidesName === true ? 'sr-only' : ''}>{name}</span>
      ) : (
        <button
          type="button"
          className={`inline-flex items-center gap-1 rounded hover:text-ink ${isSorted ? 'font-medium text-ink' : ''}`}
          onClick={() => onSort?.({ by: sort, isAscending: isSorted ? !isAscending : sort === 'title' })}
        >
          {name}
          {isSorted && <Arrow aria-hidden size={12} />}
        </button>
      )}
    </span>
  );
}
