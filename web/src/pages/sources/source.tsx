import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, memo, Suspense, useCallback, useEffect, useMemo, useReducer, useState } from 'react';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { useBytes, usePages } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { type Args, Refusal } from '../../app/request.ts';
import { isExpired, useEditor, useRights } from '../../app/rights.ts';
import { useIsWide } from '../../app/wide.ts';
import { Button } from '../../ui/button.tsx';
import { HereLink, TextLink } from '../../ui/here-link.tsx';
import { NoRecord } from '../../ui/no-record.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Loaded, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Name, Time } from '../../ui/text.tsx';
import { LINK } from '../memories/labels.tsx';
import { Actions } from './actions.tsx';
import { Details, Versions } from './details.tsx';
import { formOf, type SourceText } from './labels.ts';
import { Reader } from './reader.tsx';

const Editor = lazy(() => import('./editor.tsx'));
const PdfPage = lazy(() => import('./pdf-page.tsx'));
const api = getRouteApi('/sources/$id');

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
function useSource(id: string, wanted: string | undefined) {
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

/** The page at /sources/{id}: a source with its text, or with `edit` its editor. */
export default function SourcePage() {
  const { id } = api.useParams();
  const [{ chunk, edit }, setFilters] = useFilters('/sources/$id');
  const read = useSource(id, chunk);
  const { query, source } = read;
  const { rightsOn } = useRights();
  const isEditing = useEditor(edit && id, source && rightsOn(source).change, () =>
    setFilters({ edit: undefined }),
  );
  // Nobody goes on reading what they can no longer read; who is writing keeps their text.
  const isLost = edit === undefined && query.error instanceof Refusal && query.error.status === 404;
  if (source === undefined || isLost)
    return (
      <NoRecord name="source" error={query.error} retry={() => void query.refetch()}>
        <TextLink to="/sources">All sources</TextLink>
      </NoRecord>
    );
  if (!isEditing) return <Shown key={id} read={read} source={source} />;
  return (
    <Suspense fallback={<Skeleton />}>
      <Editor key={id} id={id} />
    </Suspense>
  );
}

/** What the console can show of a source's file; other pictures than these can contain scripts. */
function shownOf({ original }: SourceText) {
  const type = original?.mediaType ?? '';
  if (type === 'application/pdf') return 'Page';
  return /^image\/(png|jpeg|gif|webp)$/.test(type) && 'Picture';
}

function Shown({ read, source }: { read: ReturnType<typeof useSource>; source: SourceText }) {
  const { query, passages, at, more } = read;
  const [{ panel: wanted }] = useFilters('/sources/$id');
  const [{ top, bottom }, setVisible] = useState({ top: 0, bottom: 0 });
  const [visit, onVisit] = useReducer((n: number) => n + 1, 0);
  const isWide = useIsWide(64);
  const isActive = source.state === 'active';
  const panels = [
    isActive && !isWide && 'Text',
    isActive && shownOf(source),
    'Details',
    isActive && source.kind === 'ingest' && 'Versions',
  ].filter((name) => name !== false);
  const panel = panels.find((name) => name.toLowerCase() === wanted) ?? panels[0];
  const addressOf = (name?: string) => (name === panels[0] ? undefined : name?.toLowerCase());
  const isFile = panel === 'Page' || panel === 'Picture';
  const isReading = isActive && (isWide || panel === 'Text');
  const headings = useMemo(() => outlineOf(passages, source.title), [passages, source.title]);
  const isOutlined = isReading && isWide && headings.length > 1;
  const tabs = panels.length > 1 && (
    <Tabs
      label="Parts of this source"
      parameter="panel"
      value={addressOf(panel)}
      tabs={panels.map((name) => ({ name, value: addressOf(name) }))}
    />
  );
  return (
    <Page title={<Name>{source.title}</Name>} shows={source.title} actions={<Actions source={source} />}>
      <State source={source} />
      {query.error !== null && <Failure error={query.error} retry={() => void query.refetch()} />}
      {read.isGone && (
        <Notice>
          This passage is no longer in the source: its text was replaced. Here is the text as it is now.
        </Notice>
      )}
      <div
        className={`grid gap-8 ${isReading && isWide ? 'grid-cols-[minmax(0,1fr)_var(--side)]' : ''} ${isOutlined ? 'xl:grid-cols-[11rem_minmax(0,1fr)_var(--side)]' : ''}`}
        style={{ '--side': isFile ? 'minmax(0,1fr)' : '20rem' } as Record<string, string>}
      >
        {isOutlined && (
          <Outline
            headings={headings}
            passages={passages}
            current={headings.findLast(({ index }) => index <= top)}
            more={query.hasNextPage ? more : undefined}
            onVisit={onVisit}
          />
        )}
        {isReading && (
          <div className="max-w-[80ch] min-w-0">
            {!isWide && tabs}
            <Reader
              passages={passages}
              form={formOf(source)}
              at={at}
              visit={visit}
              more={more}
              onScreen={setVisible}
            />
            {query.isFetchingNextPage && <Skeleton rows={3} />}
          </div>
        )}
        {(isWide || !isReading) && (
          <aside
            aria-label="About this source"
            className="min-w-0 lg:sticky lg:top-17 lg:max-h-[calc(100vh-5rem)] lg:self-start lg:overflow-y-auto"
          >
            {tabs}
            {/* The file is that of the wanted passage while this is on screen, else of the first one there. */}
            {isFile && <Original source={source} passage={passages[at >= top && at <= bottom ? at : top]} />}
            {panel === 'Details' && <Details source={source} />}
            {panel === 'Versions' && <Versions source={source} />}
          </aside>
        )}
      </div>
    </Page>
  );
}

/** What the kind and the state of a source mean. */
function State({ source }: { source: SourceText }) {
  const { kind, state, memoryId = '', uri, expiresAt, updatedAt } = source;
  const { restore } = useRights().rightsOn(source);
  if (state === 'archived' && isExpired(source))
    return (
      <Notice>
        Expired <Time at={expiresAt ?? updatedAt} />: no search finds it, and its text is deleted.
      </Notice>
    );
  if (state === 'archived')
    return (
      <Notice>
        Archived <Time at={updatedAt} />: no search finds it, and nobody can read its text.{' '}
        {restore
          ? 'It can be restored for about 30 days after that.'
          : 'The person who stored it, or someone with Full access, can restore it for some time.'}
      </Notice>
    );
  if (kind !== 'memory' && kind !== 'file') return null;
  return (
    <p className="mb-4 text-sm text-soft">
      This is the text of a {kind === 'memory' ? 'memory' : 'workspace file'}, and changes with it.{' '}
      {kind === 'memory' ? (
        <Link to="/memories/$id" params={{ id: memoryId }} className={LINK}>
          Show the memory
        </Link>
      ) : (
        <Link to="/files" search={{ path: uri ?? undefined }} className={LINK}>
          Show the file
        </Link>
      )}
    </p>
  );
}

/**
 * The file that a source was made of: a picture, or the page of a PDF that a passage is on.
 * @param props.passage the passage to mark
 */
function Original({ source, passage }: { source: SourceText; passage: Chunk | undefined }) {
  const query = useBytes('getOriginal', [source.id]);
  return (
    <Loaded query={query}>
      {(bytes) =>
        shownOf(source) === 'Picture' ? (
          <Picture bytes={bytes} title={source.title} />
        ) : (
          <Suspense fallback={<Skeleton />}>
            <PdfPage bytes={bytes} passage={passage} />
          </Suspense>
        )
      }
    </Loaded>
  );
}

function Picture({ bytes, title }: { bytes: Blob; title: string }) {
  const show = useCallback(
    (image: HTMLImageElement) => {
      image.src = URL.createObjectURL(bytes);
      return () => URL.revokeObjectURL(image.src);
    },
    [bytes],
  );
  return <img ref={show} alt={title} className="max-w-full rounded-md border border-line" />;
}

/** An entry of the outline: a heading, a sheet, a slide or an attachment, and the passage that it begins with. */
interface Heading {
  title: string;
  level: number;
  index: number;
}

/** The most entries of an outline. Below them, it has fewer levels. */
const MOST = 250;

/** The outline of a text, without the heading that is the title of the page. */
function outlineOf(passages: readonly Chunk[], title: string): Heading[] {
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

const INDENTS = ['pl-2', 'pl-5', 'pl-8', 'pl-10'];

interface OutlineProps {
  headings: readonly Heading[];
  passages: readonly Chunk[];
  current: Heading | undefined;
  /** Reads the rest, if there is one. */
  more: (() => void) | undefined;
  onVisit: () => void;
}

/** The headings of a text, which lead to their passages. There can be hundreds: they are made again only for another current one. */
const Outline = memo(({ headings, passages, current, more, onVisit }: OutlineProps) => (
  <nav
    aria-label="Outline"
    className="sticky top-17 hidden max-h-[calc(100vh-5rem)] overflow-y-auto text-sm xl:block"
  >
    {headings.map((heading) => (
      <HereLink
        key={`${heading.index} ${heading.level} ${heading.title}`}
        to={{ chunk: passages[heading.index]?.chunk_id }}
        onClick={onVisit}
        aria-current={heading === current ? 'location' : undefined}
        className={`block truncate border-l-2 py-1 pr-1 ${INDENTS[heading.level] ?? 'pl-10'} ${heading === current ? 'border-brand font-medium text-ink' : 'border-line text-soft hover:text-ink'}`}
      >
        <Name>{heading.title}</Name>
      </HereLink>
    ))}
    {more && (
      <Button look="quiet" className="mt-1" onClick={more}>
        Show the rest
      </Button>
    )}
  </nav>
));
