import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { placeParts } from '../../../../shared/formats/place-parts.ts';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { HereLink } from '../../ui/here-link.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Table } from '../../ui/table.tsx';
import type { Form } from './labels.ts';
import { recordsOf } from './records.ts';

/** A text as it reads, in its form. It is not made again while others are scrolled into view. */
export const Reading = memo(({ text, form }: { text: string; form: Form }): ReactNode => {
  if (form === 'records')
    return recordsOf(text).map((part, index) =>
      'text' in part ? (
        <Reading key={index} text={part.text} form="lines" />
      ) : (
        <div key={index} className="overflow-x-auto [overflow-wrap:normal]">
          <Table
            label="Rows"
            rows={part.rows}
            columns={part.columns.map((name) => ({
              name,
              cell: (row: Map<string, string>) => <bdi>{row.get(name)}</bdi>,
            }))}
            keyOf={(row) => String(part.rows.indexOf(row))}
          />
        </div>
      ),
    );
  if (form === 'text' || form === 'code')
    return (
      <div
        dir="auto"
        className={`my-2 leading-6 whitespace-pre-wrap ${form === 'code' ? 'font-mono text-sm' : ''}`}
      >
        {text}
      </div>
    );
  return (
    <div className={`[&>div>:first-child]:mt-2 ${form === 'lines' ? '[&_p]:whitespace-pre-line' : ''}`}>
      <Markdown text={text} />
    </div>
  );
});

/** Where a passage is, in words: "Page 3", "Sheet Costs › From row 12". */
const placeOf = ({ location }: Chunk) =>
  placeParts({ ...location, headings: [] })
    .map(({ word, values }) => `${word} ${values.join(' › ')}`.trim())
    .join(' › ');

/** Passages up to this number are all in the document, so that the browser finds text in them. */
const ALL = 60;
/** The header of the page covers this much. */
const HEADER = 68;

interface Props {
  passages: readonly Chunk[];
  form: Form;
  /** Where the passage of the address is; -1: nowhere. */
  at: number;
  /** Changes when the passage is to be shown again. */
  visit: number;
  more: () => void;
  /** Is called with the first and the last passage on screen. */
  onScreen: (visible: { top: number; bottom: number }) => void;
}

/** A text as it reads. Of a long one, only the passages on screen exist. */
export function Reader({ passages, form, at, visit, more, onScreen }: Props) {
  const area = useRef<HTMLOListElement>(null);
  const [margin, setMargin] = useState(0);
  useLayoutEffect(() => setMargin(Math.round((area.current?.getBoundingClientRect().top ?? 0) + scrollY)));
  const rows = useWindowVirtualizer({
    count: passages.length,
    // About 90 letters are in a line.
    estimateSize: (index) => 24 + Math.ceil((passages[index]?.text.length ?? 0) / 90) * 24,
    getItemKey: (index) => passages[index]?.chunk_id ?? index,
    overscan: passages.length <= ALL ? ALL : 4,
    scrollMargin: margin,
    scrollPaddingStart: HEADER,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= passages.length - 20) more();
  });
  const offset = rows.scrollOffset ?? 0;
  const top = shown.find(({ end }) => end > offset + HEADER)?.index ?? 0;
  const bottom = shown.findLast(({ start }) => start < offset + innerHeight)?.index ?? 0;
  useEffect(() => onScreen({ top, bottom }), [top, bottom, onScreen]);
  const wanted = passages[at]?.chunk_id;
  const reached = useRef<string>(undefined);
  useEffect(() => {
    const aim = wanted && `${wanted} ${visit}`;
    if (aim === undefined) reached.current = aim;
    // What appears above the text later must not take the reader back.
    if (reached.current === aim) return;
    rows.scrollToIndex(at, { align: 'start' });
    // It exists once the list has scrolled to it.
    const frame = requestAnimationFrame(() => {
      reached.current = aim;
      area.current?.querySelector<HTMLElement>(`[data-index="${at}"]`)?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
    // Not when more was read.
  }, [wanted, visit, margin]);
  return (
    <ol ref={area} aria-label="Text" className="relative" style={{ height: rows.getTotalSize() }}>
      {shown.map(({ index, start, key }) => {
        const [before, passage] = [passages[index - 1], passages[index]];
        if (passage === undefined) return null;
        const place = placeOf(passage);
        const isCurrent = index === at;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            tabIndex={-1}
            aria-current={isCurrent ? 'true' : undefined}
            className={`group absolute inset-x-0 rounded-md border-l-2 px-3 outline-none [&_:is(h2,h3):first-child]:pt-2 md:pr-8 ${isCurrent ? 'border-brand bg-tint' : 'border-transparent'}`}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            {place !== '' && (before === undefined || placeOf(before) !== place) && (
              <p className="flex items-center gap-2 pt-3 text-xs text-faint">
                <bdi>{place}</bdi>
                <span className="h-px grow bg-line" />
              </p>
            )}
            <HereLink
              to={{ chunk: passage.chunk_id }}
              aria-label={`Passage ${index + 1}`}
              title={`Link to passage ${index + 1}`}
              className="absolute top-2 right-1 rounded px-1 text-xs text-faint opacity-0 group-hover:opacity-100 hover:bg-hover focus-visible:opacity-100 max-md:hidden"
            >
              #{index + 1}
            </HereLink>
            <Reading text={passage.text} form={form} />
          </li>
        );
      })}
    </ol>
  );
}
