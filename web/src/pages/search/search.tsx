import { Link, useNavigate } from '@tanstack/react-router';
import { History, Info, Search as SearchIcon } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { SearchResponse } from '../../../../shared/schemas/search.ts';
import type { Status } from '../../../../shared/schemas/status.ts';
import { useRead } from '../../app/data.ts';
import { useDebounced, useFilters } from '../../app/filters.ts';
import { SEARCH } from '../../app/pages.tsx';
import { useRecentSearches } from '../../app/palette/recent.ts';
import { useIsWide } from '../../app/wide.ts';
import { INPUT } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { count, Name } from '../../ui/text.tsx';
import { SearchFilters } from './filters.tsx';
import { Found } from './found.tsx';
import { NothingFound, NothingStored } from './nothing.tsx';
import { here, isFiltered, MAX_TOP, NO_FILTERS, searchBody } from './query.ts';

/** What is typed is searched for when no key was pressed for so long. */
const PAUSE_MS = 600;
/** Enter asks again for an answer that is older. */
const FRESH_MS = 5000;
/** From this width on, the preview is beside the results. */
const WIDE_REM = 70;

/** The page at /search. */
export default function Search() {
  const [{ open: _, ...criteria }, setFilters] = useFilters('/search');
  const q = criteria.q?.trim() ?? '';
  const search = useRead('searchMemory', [searchBody(criteria)], {
    enabled: q !== '',
    isOnce: true,
    keepsLast: true,
  });
  const { data: status } = useRead('getStatus', []);
  const isWide = useIsWide(WIDE_REM);
  const [cleared, setCleared] = useState(0);
  const navigate = useNavigate();
  const page = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The page gives the focus to its heading; who opens a search wants to type.
    if (q === '') page.current?.querySelector('input')?.focus();
  }, []);
  function clear() {
    void setFilters(NO_FILTERS);
    // Nor is the choice of days left.
    setCleared(cleared + 1);
  }
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
      const search = { chunk: hit.chunk_id };
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
    <Page title={SEARCH.name} shows={q}>
      <div ref={page} onKeyDown={press}>
        <QueryField answeredAt={search.dataUpdatedAt} again={() => void search.refetch()} />
        {status?.sources.active === 0 ? (
          <NothingStored imports={status.imports} />
        ) : q === '' ? (
          <Recent />
        ) : (
          <>
            <SearchFilters
              key={cleared}
              criteria={criteria}
              facets={search.isPlaceholderData ? undefined : answer?.facets}
              onChange={(some) => void setFilters({ top: undefined, open: undefined, ...some })}
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
                onClear={isFiltered(criteria) ? clear : undefined}
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
  const [typed, setTyped] = useDebounced(
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
    if (typed !== q) void navigate({ ...here(of(typed)), replace: q === '' });
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
