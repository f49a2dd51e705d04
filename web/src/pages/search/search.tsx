import { Link, useNavigate } from '@tanstack/react-router';
import { History, Info, SearchIcon, SearchX, X } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Facets, Nothing, SearchResponse } from '../../../../shared/schemas/search.ts';
import type { Status } from '../../../../shared/schemas/status.ts';
import { useRead } from '../../app/data.ts';
import { useDebounced, useFilters, withChosen } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { useRecentSearches } from '../../app/stored.ts';
import { useIsWide } from '../../app/wide.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { INPUT } from '../../ui/field.tsx';
import { ChoiceFilter, DayFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { SourceLink, TextLink } from '../../ui/here-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { count, Name } from '../../ui/text.tsx';
import { KINDS } from '../sources/labels.ts';
import { Found } from './found.tsx';
import { type Criteria, DAYS, here, isFiltered, MAX_TOP, NO_FILTERS, searchBody } from './query.ts';

/** What is typed is searched for when no key was pressed for so long. */
const PAUSE_MS = 600;
/** Enter asks again for an answer that is older. */
const FRESH_MS = 5000;
/** From this width on, the preview is beside the results. */
const WIDE_REM = 70;

/** The page at /search. */
export default function Search() {
  const [{ open, ...criteria }, setFilters] = useFilters('/search');
  const q = criteria.q?.trim() ?? '';
  const search = useRead('searchMemory', [searchBody(criteria)], {
    enabled: q !== '',
    isOnce: true,
    keepsLast: true,
  });
  const { data: status } = useRead('getStatus', []);
  const isWide = useIsWide(WIDE_REM);
  const navigate = useNavigate();
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The page gives the focus to its heading; who opens a search wants to type.
    if (q === '') page.current?.querySelector('input')?.focus();
  }, []);
  const change = (some: Criteria) => void setFilters({ top: undefined, open: undefined, ...some });
  const answer = q === '' || search.isError ? undefined : search.data;

  /** The arrow keys lead from the field to the results and through them; Enter opens the one that is shown beside them. */
  function press(event: KeyboardEvent<HTMLElement>) {
    const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[type="search"], ol h2 a')];
    const at = stops.indexOf(event.target as HTMLElement);
    const { ctrlKey, metaKey, altKey, shiftKey, isComposing } = event.nativeEvent;
    if (at < 0 || ctrlKey || metaKey || altKey || shiftKey || isComposing) return;
    const hit = answer?.hits[at - 1];
    if (event.key === 'Enter' && isWide && hit) {
      event.preventDefault();
      // The passage that is shown: another one of the same source can be chosen.
      const chosen = hit.passages?.find(({ chunk_id }) => chunk_id === open) ?? hit;
      const search = { chunk: chosen.chunk_id };
      void navigate({ to: '/sources/$id', params: { id: hit.source_id }, search });
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step && stops[at + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
    // A result is shown where that covers nothing.
    if (isWide && next !== stops[0]) next.click();
  }
  return (
    <Page shows={q}>
      <div ref={page} onKeyDown={press}>
        <QueryField answeredAt={search.dataUpdatedAt} again={() => void search.refetch()} />
        {status?.sources.active === 0 ? (
          <NothingStored imports={status.imports} />
        ) : q === '' ? (
          <Recent />
        ) : (
          <>
            <SearchFilters
              criteria={criteria}
              facets={search.isPlaceholderData ? undefined : answer?.facets}
              onChange={change}
            />
            <div className="mb-1 flex min-h-5 flex-wrap items-center gap-x-3 text-sm text-faint">
              <p role="status">{search.isFetching ? 'Searching …' : answer && foundWords(answer)}</p>
              {status && <WordsOnly embedder={status.embedder} isDegraded={answer?.degraded === true} />}
            </div>
            {search.isError && <Failure error={search.error} retry={() => void search.refetch()} />}
            {search.isPending && <Skeleton rows={12} />}
            {answer?.hits.length === 0 && (
              <NothingFound
                nothing={answer.nothing}
                imports={status?.imports}
                onClear={isFiltered(criteria) ? () => change(NO_FILTERS) : undefined}
              />
            )}
            {answer !== undefined && answer.hits.length > 0 && (
              <Found answer={answer} isWide={isWide} isBusy={search.isPlaceholderData} />
            )}
          </>
        )}
      </div>
    </Page>
  );
}

/** How many sources were found. */
function foundWords({ hits, facets }: SearchResponse): string {
  if (hits.length === 0) return 'No passage found';
  const total = facets?.kind.reduce((sum, one) => sum + one.count, 0) ?? hits.length;
  if (total >= MAX_TOP) return `${MAX_TOP} sources or more, best first`;
  return `${count(total, 'source')}${total > 1 ? ', best first' : ''}`;
}

/** The field of the query. Typing on ends the search before. */
function QueryField({ answeredAt, again }: { answeredAt: number; again: () => void }) {
  const [{ q = '' }, setFilters] = useFilters('/search');
  const navigate = useNavigate();
  const [, addRecent] = useRecentSearches();
  const of = (text: string) => ({ q: text, open: undefined, top: undefined });
  const [typed, setTyped, send] = useDebounced(
    q,
    (text) => {
      // One letter is the beginning of a word.
      if (text.trim().length !== 1) void setFilters(of(text));
    },
    PAUSE_MS,
  );
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed.trim() !== '') addRecent(typed.trim());
    // What was found before is a step back, but not the empty page.
    if (typed !== q) send((text) => void navigate({ ...here(of(text)), replace: q === '' }));
    else if (q !== '' && Date.now() - answeredAt > FRESH_MS) again();
  }
  return (
    <form role="search" aria-label="Passages" onSubmit={submit} className="relative mb-3">
      <SearchIcon aria-hidden size={18} className="absolute top-3 left-3.5 text-faint" />
      <input
        type="search"
        aria-label="Search for"
        placeholder="Words, codes, or a question"
        maxLength={4000}
        autoComplete="off"
        dir="auto"
        className={`${INPUT} h-10.5 rounded-lg pl-10 text-lg`}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
    </form>
  );
}

/** Before the first word: what was searched for last. */
function Recent() {
  const [recent] = useRecentSearches();
  if (recent.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <h2 id="recent" className="mb-1 text-sm font-medium text-faint">
        Recent searches
      </h2>
      {recent.map((query) => (
        <Link
          key={query}
          to="/search"
          search={{ q: query }}
          className="flex h-9 items-center gap-2.5 rounded-md px-2 hover:bg-hover"
        >
          <History aria-hidden size={16} className="shrink-0 text-faint" />
          <Name className="truncate">{query}</Name>
        </Link>
      ))}
    </section>
  );
}

/** Says that only words are searched, if it is so. */
function WordsOnly({ embedder, isDegraded }: { embedder: Status['embedder']; isDegraded: boolean }) {
  const text = 'Searches words and codes, not meaning';
  if (!embedder.serverModeEnabled)
    return (
      <span role="img" aria-label={text} title={text}>
        <Info aria-hidden size={16} />
      </span>
    );
  if (!isDegraded && embedder.problem === undefined) return null;
  return <p className="text-warn">Meaning cannot be searched now, only words and codes</p>;
}

/** The filters that each facet counts. */
const FACETS = { kind: ['kind'], client: ['in'], tag: ['tag'], year: ['year', 'from', 'to'] } as const;
const NONE: Facets = { kind: [], client: [], tag: [], year: [] };

/** The values of each facet. Where a filter is set, its facet counts only what it lets through: those from before it stay. */
function useFacets(facets: Facets | undefined, criteria: Criteria): Facets {
  const { q } = criteria;
  const [kept, setKept] = useState({ q, last: NONE, shown: NONE });
  if (facets === undefined || kept.last === facets) return kept.shown;
  const shown = { ...facets };
  for (const name of Object.keys(FACETS) as (keyof Facets)[]) {
    const isSet = FACETS[name].some((filter) => criteria[filter] !== undefined);
    if (isSet && kept.q === q && kept.shown[name].length > 0) shown[name] = kept.shown[name];
  }
  setKept({ q, last: facets, shown });
  return shown;
}

type FilterProps = { criteria: Criteria; facets: Facets | undefined; onChange: (some: Criteria) => void };

/** Filters of the search, with how many of the sources found have each value. */
function SearchFilters({ criteria, facets, onChange }: FilterProps) {
  const { kind, in: place, tag, year, from, to } = criteria;
  const { clients, nameOf } = useRights();
  const byDays = year === DAYS || from !== undefined || to !== undefined;
  const shown = useFacets(facets, criteria);
  const optionsOf = (facet: keyof Facets, chosen: string | undefined, named = (value: string) => value) => {
    const counted = shown[facet].map(({ value, count }) => ({
      value,
      name: `${named(value)} (${count.toLocaleString('en')})`,
    }));
    return withChosen(counted, chosen, chosen && named(chosen));
  };
  const client = place === 'team' ? undefined : place;
  return (
    <FilterBar>
      <ChoiceFilter
        label="Kind"
        value={kind}
        options={optionsOf('kind', kind, (value) => KINDS[value as keyof typeof KINDS])}
        onChange={(value) => onChange({ kind: value })}
      />
      {(clients.length > 0 || place !== undefined) && (
        <ChoiceFilter
          label="Everywhere"
          value={place}
          options={[{ value: 'team', name: 'Team only' }, ...optionsOf('client', client, nameOf)]}
          onChange={(value) => onChange({ in: value, with: undefined })}
        />
      )}
      {client !== undefined && (
        <label className="flex items-center gap-1.5 text-soft">
          <input
            type="checkbox"
            checked={criteria.with === 'team'}
            onChange={({ target }) => onChange({ with: target.checked ? 'team' : undefined })}
          />
          and the Team
        </label>
      )}
      <ChoiceFilter
        label="Tag"
        value={tag}
        options={optionsOf('tag', tag)}
        onChange={(value) => onChange({ tag: value })}
      />
      <ChoiceFilter
        label="Year"
        value={byDays ? DAYS : year}
        options={[...optionsOf('year', byDays ? undefined : year), { value: DAYS, name: 'Days …' }]}
        onChange={(value) => onChange({ year: value, from: undefined, to: undefined })}
      />
      {byDays && (
        <>
          <DayFilter label="From" value={from} onChange={(day) => onChange({ from: day })} />
          <DayFilter label="To" value={to} onChange={(day) => onChange({ to: day })} />
        </>
      )}
      {isFiltered(criteria) && (
        <Button look="quiet" icon={X} onClick={() => onChange(NO_FILTERS)}>
          Clear
        </Button>
      )}
    </FilterBar>
  );
}

const STATES = {
  queued: 'waits to be read',
  running: 'is being read',
  pending: 'waits to be read',
  failed: 'could not be read',
} as const;

/** Files that searches do not find yet. */
function Reading({ imports }: { imports: Status['imports'] }) {
  const reading = imports.queued + imports.running;
  if (reading === 0) return null;
  return <TextLink to="/imports">{count(reading, 'file')} to be read before searches find them</TextLink>;
}

/** In place of results, if there is nothing that could be found. */
function NothingStored({ imports }: { imports: Status['imports'] }) {
  const { canWrite } = useRights();
  return (
    <Empty icon={SearchX} title="Nothing is stored here yet">
      <Reading imports={imports} />
      {canWrite(null) ? (
        <Link to="/imports" className={buttonClass('primary')}>
          Import files
        </Link>
      ) : (
        <p>
          A search finds what was imported, and what agents have learned. Ask an Owner or Admin of the Team.
        </p>
      )}
    </Empty>
  );
}

interface NothingProps {
  nothing: Nothing | undefined;
  imports: Status['imports'] | undefined;
  /** Searches without filters, if there are any. */
  onClear: (() => void) | undefined;
}

/** In place of results, if none was found: why, and what to try. */
function NothingFound({ nothing, imports, onClear }: NothingProps) {
  const { unknownWords = [], waiting = [], nearest = null } = nothing ?? {};
  return (
    <Empty icon={SearchX} title="No passage found">
      {onClear && <Button onClick={onClear}>Search everywhere, without filters</Button>}
      {unknownWords.length > 0 && (
        <p>
          No text here has{' '}
          {unknownWords.map((word, index) => (
            <span key={word}>
              {index > 0 && ', '}“<Name>{word}</Name>”
            </span>
          ))}
          .
        </p>
      )}
      {nearest !== null && (
        <p>
          The nearest title is{' '}
          <SourceLink id={nearest.sourceId}>
            <Name>{nearest.title}</Name>
          </SourceLink>
          .
        </p>
      )}
      {waiting.map(({ title, state, importId, path }) => (
        <p key={importId ?? path}>
          <TextLink to={importId === undefined ? '/files' : '/imports'}>
            <Name>{title}</Name>
          </TextLink>{' '}
          {STATES[state]}.
        </p>
      ))}
      {waiting.length === 0 && imports && <Reading imports={imports} />}
      <p>Use fewer words, or those that the text itself would use; write codes and names exactly.</p>
    </Empty>
  );
}
