import { Link } from '@tanstack/react-router';
import { Brain } from 'lucide-react';
import type { ListedMemory } from '../../../../shared/schemas/memories.ts';
import type { Source } from '../../../../shared/schemas/sources.ts';
import { type List, useList, useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { textColumn, timeColumn } from '../../ui/columns.tsx';
import { DayFilter, FilterBar, TextFilter } from '../../ui/filter-bar.tsx';
import { TextLink } from '../../ui/here-link.tsx';
import { type Column, RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { SavedFilters } from '../../ui/saved-filters.tsx';
import { useSelection } from '../../ui/selection.ts';
import { Empty } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Name, Tag } from '../../ui/text.tsx';
import { ManyMemories } from './actions.tsx';
import { ClientFilter, ConnectAgent, STATES, Tags, VERDICTS } from './labels.tsx';

/** A memory; or the source of a published one, for those who have no Full access. */
type Listed = Omit<Source, 'state'> & Partial<Pick<ListedMemory, 'subject' | 'content' | 'feedback'>>;

const columnsFor = (nameOf: (clientId: string | null) => string): readonly Column<Listed>[] => [
  { name: 'Title', width: 'minmax(0,1fr)', sort: 'title', cell: (one) => <Title one={one} /> },
  {
    name: 'Tags',
    width: 'minmax(0,11rem)',
    isExtra: true,
    cell: ({ tags }) => <Tags tags={tags} most={2} />,
  },
  textColumn('Client', '8rem', ({ clientId }) => nameOf(clientId)),
  timeColumn('Expires', ({ expiresAt }) => expiresAt),
  { ...textColumn('Found', '4.5rem', ({ found }) => String(found)), isNumber: true, sort: 'found' },
  { ...timeColumn('Created', ({ createdAt }) => createdAt), sort: 'createdAt' },
  { ...timeColumn('Updated', ({ updatedAt }) => updatedAt), sort: 'updatedAt', isExtra: false },
];

/** The title of a memory, with the start of its text and the feedback that waits. */
function Title({ one: { id, memoryId = id, title, subject, content, feedback = [] } }: { one: Listed }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Link
        to={subject === 'source' ? '/sources/$id' : '/memories/$id'}
        params={{ id: memoryId }}
        className="max-w-full shrink-0 truncate font-medium hover:underline"
      >
        <Name>{title}</Name>
      </Link>
      {subject === 'source' && <Tag className="shrink-0">Source</Tag>}
      {feedback[0] && (
        <Tag tone="warn" className="shrink-0">
          {VERDICTS[feedback[0].verdict]}
        </Tag>
      )}
      <span className="min-w-0 truncate text-sm text-faint max-md:hidden" dir="auto">
        {content?.slice(0, 200)}
      </span>
    </span>
  );
}

/** A day of the address as a time, in the time zone of this browser. */
function startOf(day: string | undefined, addDays = 0, addMs = 0): string | undefined {
  const at = new Date(`${day ?? ''}T00:00:00`);
  at.setDate(at.getDate() + addDays);
  at.setMilliseconds(addMs);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const TABS = ['published', 'review', 'discarded', 'archived'] as const;

/** The page at /memories. The list of memories needs Full access; everyone reads the sources of the published ones. */
export default function MemoriesPage() {
  const [filters, setFilters, field] = useFilters('/memories');
  const { state: shown, from, until, ...narrow } = filters;
  const { q, clientId, sort = 'createdAt', order } = filters;
  const { isFull, canWrite, nameOf } = useRights();
  const state = TABS.find((one) => isFull && one === shown) ?? 'published';
  const read = useList(
    isFull ? 'listMemories' : 'listSources',
    isFull
      ? {
          ...narrow,
          state,
          // What was made in the first millisecond of the day counts, too.
          createdAfter: startOf(from, 0, -1),
          createdBefore: startOf(until, 1),
        }
      : { ...narrow, kind: 'memory', state: 'active' },
  ) as List<Listed>;
  const counts = useRead('getStatus', []).data?.memories;
  const selection = useSelection(read);
  const isFiltered = [q, clientId, from, until].some((value) => value !== undefined);
  // The list of published memories is shown without saying so in the address.
  const addressOf = (value: (typeof TABS)[number]) => (value === 'published' ? undefined : value);
  const tabs = TABS.map((value) => ({
    value: addressOf(value),
    name: STATES[value],
    // What feedback has put into review is listed, and not counted as a memory in review.
    count: value === state && !isFiltered ? (read.total ?? undefined) : counts?.[value],
  }));
  const set = (some: typeof filters) => void setFilters(some);
  return (
    <Page shows={state === 'published' ? '' : STATES[state]} total={read.total}>
      {isFull && <Tabs label="States" parameter="state" value={addressOf(state)} tabs={tabs} />}
      <FilterBar>
        <TextFilter label={isFull ? 'Title or text' : 'Title'} {...field('q')} />
        <ClientFilter {...field('clientId')} />
        {isFull && (
          <>
            <DayFilter label="Created from" {...field('from')} />
            <DayFilter label="until" {...field('until')} />
          </>
        )}
        <SavedFilters page="memories" filters={filters} apply={set} />
      </FilterBar>
      <RecordList
        label="Memories"
        read={read}
        columns={columnsFor(nameOf)}
        nameOf={({ title }) => title}
        sorting={{ by: sort, isAscending: order === 'asc' }}
        onSort={({ by, isAscending }) => set({ sort: by, order: isAscending ? 'asc' : 'desc' })}
        {...(isFull && canWrite(null) && { selection })}
        empty={<NoMemory isFiltered={isFiltered} state={state} />}
      />
      {isFull && (
        <ManyMemories chosen={selection.chosen as (Listed & ListedMemory)[]} clear={selection.clear} />
      )}
    </Page>
  );
}

/** What stands in the place of an empty list. */
function NoMemory({ isFiltered, state }: { isFiltered: boolean; state: keyof typeof STATES }) {
  if (isFiltered) return <Empty icon={Brain} title="No memory matches these filters" />;
  if (state !== 'published')
    return (
      <Empty icon={Brain} title={state === 'review' ? 'Nothing waits for review' : `Nothing is ${state}`} />
    );
  return (
    <Empty icon={Brain} title="No memories yet">
      <p>
        Agents stage <TextLink to="/captures">captures</TextLink>, summaries of their sessions. A
        consolidator, a program with a language model, makes memories of them: short texts that searches find.
      </p>
      <ConnectAgent />
    </Empty>
  );
}
