import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import { useFilters } from '../../app/filters.ts';
import { Refusal } from '../../app/request.ts';
import { isExpired, useRights } from '../../app/rights.ts';
import { useIsWide } from '../../app/wide.ts';
import { NoRecord } from '../../ui/no-record.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Name, Time } from '../../ui/text.tsx';
import { LINK } from '../memories/labels.tsx';
import { Actions } from './actions.tsx';
import { Details } from './details.tsx';
import { formOf, type SourceText } from './labels.ts';
import { Original, shownOf } from './original.tsx';
import { Outline } from './outline.tsx';
import { outlineOf, useSource } from './passages.ts';
import { Reader } from './reader.tsx';
import { Versions } from './versions.tsx';

const Editor = lazy(() => import('./editor.tsx'));
const api = getRouteApi('/sources/$id');

/** The page at /sources/{id}: a source with its text, or with `edit` its editor. */
export default function SourcePage(): ReactNode {
  const { id } = api.useParams();
  const [{ chunk, edit }] = useFilters('/sources/$id');
  const read = useSource(id, chunk);
  const { query, source } = read;
  const { rightsOn } = useRights();
  // Nobody goes on reading what they can no longer read; who is writing keeps their text.
  const isLost = edit === undefined && query.error instanceof Refusal && query.error.status === 404;
  if (source === undefined || isLost)
    return (
      <NoRecord name="source" error={query.error} retry={() => void query.refetch()}>
        <Link to="/sources" className={LINK}>
          All sources
        </Link>
      </NoRecord>
    );
  if (edit === undefined || !rightsOn(source).change) return <Shown key={id} read={read} source={source} />;
  return (
    <Suspense fallback={<Skeleton />}>
      <Editor key={id} id={id} />
    </Suspense>
  );
}

function Shown({ read, source }: { read: ReturnType<typeof useSource>; source: SourceText }) {
  const { query, passages, at, more } = read;
  const [{ panel: wanted, version }] = useFilters('/sources/$id');
  const [{ top, bottom }, setVisible] = useState({ top: 0, bottom: 0 });
  const [visit, setVisit] = useState(0);
  const onVisit = useCallback(() => setVisit((n) => n + 1), []);
  const isWide = useIsWide(64);
  const { change, restore } = useRights().rightsOn(source);
  const isActive = source.state === 'active';
  const panels = [
    ...(isActive && !isWide ? ['Text'] : []),
    ...(isActive ? [shownOf(source) ?? []].flat() : []),
    'Details',
    ...(isActive && source.kind === 'ingest' ? ['Versions'] : []),
  ].map((name) => ({ name, value: name.toLowerCase() }));
  const panel = (panels.find(({ value }) => value === wanted) ?? panels[0])?.value;
  const isFile = panel === 'page' || panel === 'picture';
  const isReading = isActive && (isWide || panel === 'text');
  const headings = useMemo(() => outlineOf(passages, source.title), [passages, source.title]);
  const isOutlined = isReading && isWide && headings.length > 1;
  // The file beside the text is that of the wanted passage while this is on screen, else of the first one there.
  const passage = passages[at >= top && at <= bottom ? at : top];
  const tabs = panels.length > 1 && (
    <Tabs
      label="Parts of this source"
      parameter="panel"
      value={panel === panels[0]?.value ? undefined : panel}
      tabs={panels.map(({ name, value }, index) => ({ name, value: index === 0 ? undefined : value }))}
    />
  );
  return (
    <Page title={<Name>{source.title}</Name>} shows={source.title} actions={<Actions source={source} />}>
      <State source={source} canRestore={restore} />
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
            {isFile && <Original source={source} passage={passage} />}
            {panel === 'details' && <Details source={source} />}
            {panel === 'versions' && <Versions source={source} open={version} canRestore={change} />}
          </aside>
        )}
      </div>
    </Page>
  );
}

/** What the kind and the state of a source mean. */
function State({ source, canRestore }: { source: SourceText; canRestore: boolean }) {
  const { kind, state, memoryId = '', uri, expiresAt, updatedAt } = source;
  const isOver = isExpired(source);
  if (state === 'archived')
    return (
      <Notice>
        {isOver ? 'Expired' : 'Archived'} <Time at={(isOver && expiresAt) || updatedAt} />: no search finds
        it, and {isOver ? 'its text is deleted.' : 'nobody can read its text. '}
        {!isOver &&
          (canRestore
            ? 'It can be restored for about 30 days after that.'
            : 'The person who stored it, or someone with Full access, can restore it for some time.')}
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
