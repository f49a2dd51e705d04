import { Link } from '@tanstack/react-router';
import { FileStack, Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import type { Source } from '../../../../shared/schemas/sources.ts';
import { useList, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useEditor, useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { nameColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import { ChoiceFilter, FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { HereLink, TextLink } from '../../ui/here-link.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedFilters } from '../../ui/saved-filters.tsx';
import { useSelection } from '../../ui/selection.ts';
import { Empty, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ClientFilter, Tags } from '../memories/labels.tsx';
import { ManySources } from './actions.tsx';
import { KINDS } from './labels.ts';

const Editor = lazy(() => import('./editor.tsx'));

/** The columns of the list. */
const columnsFor = (layer: (clientId: string | null) => string): readonly Column<Source>[] => [
  {
    ...nameColumn<Source>('Title', ({ title }) => title, {
      link: ({ id }) => ({ to: '/sources/$id', params: { id } }),
      after: ({ state }) => state === 'archived' && <span className="text-faint">(archived)</span>,
    }),
    sort: 'title',
  },
  textColumn('Kind', '8rem', ({ kind }) => KINDS[kind]),
  {
    name: 'Tags',
    width: 'minmax(0,12rem)',
    isExtra: true,
    cell: ({ tags }) => <Tags tags={tags} most={3} />,
  },
  textColumn('Client', '9rem', ({ clientId }) => layer(clientId)),
  {
    ...textColumn('Found', '4.5rem', ({ found }) => found.toLocaleString('en')),
    isNumber: true,
    sort: 'found',
  },
  { ...timeColumn('Updated', ({ updatedAt }) => updatedAt), isExtra: false, sort: 'updatedAt' },
];

/** How many sources match, of a state that is not shown. */
function useCount(filters: object, state: string, isShown: boolean) {
  const query = { ...filters, state, limit: 1, count: true };
  const { data } = useRead('listSources', [query], { enabled: !isShown });
  return (data as { total?: number } | undefined)?.total;
}

/** The page at /sources: the list, or with `new` the editor of a note. */
export default function Sources(): ReactNode {
  const [{ new: isNew, clientId }, setFilters] = useFilters('/sources');
  const { canWrite } = useRights();
  const isWriting = useEditor(isNew, canWrite(null), () => setFilters({ new: undefined }));
  return !isWriting ? (
    <SourceList />
  ) : (
    <Suspense fallback={<Skeleton />}>
      <Editor clientId={clientId} />
    </Suspense>
  );
}

function SourceList() {
  const [{ new: _, ...filters }, setFilters, field] = useFilters('/sources');
  const { sort, order, state = 'active', ...rest } = filters;
  const sorting = sort === undefined ? {} : { sort, order };
  const read = useList('listSources', { ...rest, ...(state !== 'all' && { state }), ...sorting });
  const counts = {
    active: useCount(rest, 'active', state === 'active'),
    archived: useCount(rest, 'archived', state === 'archived'),
    [state]: read.total ?? undefined,
  };
  const tags = useRead('listTags', [{}]).data?.items ?? [];
  const rights = useRights();
  const team = useTeam();
  const selection = useSelection(read);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const canAdd = rights.canWrite(null);
  const newNote = (
    <HereLink to={{ new: '1' }} replace={false} className={buttonClass('primary')}>
      <Plus aria-hidden size={16} />
      New note
    </HereLink>
  );
  return (
    <Page total={read.total} actions={canAdd && newNote}>
      <Tabs
        label="States"
        parameter="state"
        value={filters.state}
        tabs={[
          { value: undefined, name: 'Active', count: counts.active },
          { value: 'archived', name: 'Archived', count: counts.archived },
          { value: 'all', name: 'All' },
        ]}
      />
      <FilterBar>
        <TextFilter label="Title or address" {...field('q')} />
        <ChoiceFilter
          label="Kind"
          options={Object.entries(KINDS).map(([value, name]) => ({ value, name }))}
          {...field('kind')}
        />
        {tags.length > 0 && (
          <ChoiceFilter
            label="Tag"
            options={tags.map(({ tag, count }) => ({ value: tag, name: `${tag} (${count})` }))}
            {...field('tag')}
          />
        )}
        <ClientFilter {...field('clientId')} />
        <SavedFilters page="sources" filters={filters} apply={(saved) => void setFilters(saved)} />
      </FilterBar>
      <RecordList
        label="Sources"
        read={read}
        columns={columnsFor(rights.nameOf)}
        nameOf={({ title }) => title}
        sorting={{ by: sort ?? '', isAscending: order === 'asc' }}
        onSort={({ by, isAscending }) => void setFilters({ sort: by, order: isAscending ? 'asc' : 'desc' })}
        {...(canAdd && { selection })}
        empty={
          <Empty
            icon={FileStack}
            title={isFiltered ? 'No source matches these filters' : 'Nothing is stored yet'}
          >
            {isFiltered ? (
              <TextLink to="/sources">Show all</TextLink>
            ) : canAdd ? (
              <Link to="/imports" className={buttonClass()}>
                Import files
              </Link>
            ) : team.state === 'archived' ? (
              'This Team is archived, so nothing can be added to it.'
            ) : (
              'You can only read here. An Owner or Admin of the Team can add files.'
            )}
          </Empty>
        }
      />
      <ManySources selection={selection} list={read} />
    </Page>
  );
}
