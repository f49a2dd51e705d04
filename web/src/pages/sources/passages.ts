import { useCallback, useEffect, useMemo } from 'react';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { usePages } from '../../app/data.ts';
import { type Args, Refusal } from '../../app/request.ts';

/** The first page is shown at once; the others are as long as the service sends them. */
const FIRST = 200;
const NEXT = 2000;

/** A text without the heading that it begins with, if that is the title of the page. */
const withoutTitle = (text: string, title: string) =>
  `${text}\n`.startsWith(`# ${title}\n`) ? text.slice(title.length + 3).replace(/^\n+/, '') : text;

/**
 * A source with its passages, which are read page by page.
 * @param wanted the id of a passage: pages are read until it is there
 */
export function useSource(id: string, wanted: string | undefined) {
  const query = usePages(
    'getSource',
    (cursor): Args<'getSource'> => [id, { limit: cursor === undefined ? FIRST : NEXT, cursor }],
    id,
  );
  const { data, hasNextPage, isFetching, isError, error, fetchNextPage, refetch } = query;
  const source = data?.pages[0];
  const passages = useMemo(() => {
    const [first, ...others] = data?.pages.flatMap(({ chunks }) => chunks) ?? [];
    return first ? [{ ...first, text: withoutTitle(first.text, source?.title ?? '') }, ...others] : [];
  }, [data]);
  /** Where the wanted passage is; -1 if it is not known. */
  const at = wanted === undefined ? -1 : passages.findIndex(({ chunk_id }) => chunk_id === wanted);
  const isUnknown = wanted !== undefined && at < 0;
  const more = useCallback(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  useEffect(() => {
    if (isUnknown) more();
  });
  // The text was replaced since: the cursor is of the former one.
  const isStale = error instanceof Refusal && source !== undefined;
  useEffect(() => {
    if (isStale) void refetch();
  }, [isStale, refetch]);
  const isGone = isUnknown && !hasNextPage && source?.state === 'active';
  return { query, source, passages, at, isGone, more };
}

/** An entry of the outline: a heading, a sheet, a slide or an attachment, and the passage that it begins with. */
export interface Heading {
  title: string;
  level: number;
  index: number;
}

/** The most entries of an outline. Below them, it has fewer levels. */
const MOST = 250;

/** The outline of a text, without the heading that is the title of the page. */
export function outlineOf(passages: readonly Chunk[], title: string): Heading[] {
  const found: Heading[] = [];
  let before: string[] = [];
  for (const [index, { location }] of passages.entries()) {
    const { part, sheet, slide, headings } = location;
    const above = [part, sheet, slide === null ? null : `Slide ${slide}`];
    const path = [...above.filter((name) => name !== null), ...headings];
    if (path[0] === title) path.shift();
    const same = path.findIndex((title, level) => title !== before[level]);
    if (same >= 0) found.push(...path.slice(same).map((title, n) => ({ title, level: same + n, index })));
    before = path;
  }
  let depth = Math.max(...found.map(({ level }) => level), 0);
  while (depth > 0 && found.filter(({ level }) => level <= depth).length > MOST) depth -= 1;
  return found.filter(({ level }) => level <= depth).slice(0, MOST);
}
