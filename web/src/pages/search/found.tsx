import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { ArrowUpRight, Link2, Quote } from 'lucide-react';
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { placeParts } from '../../../../shared/formats/place-parts.ts';
import type {
  Hit,
  HitExplanation,
  SearchExplanation,
  SearchResponse,
} from '../../../../shared/schemas/search.ts';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Failure, Loaded, Skeleton } from '../../ui/states.tsx';
import { Address, count, Name, Tag, Time } from '../../ui/text.tsx';
import { KINDS } from '../sources/labels.ts';
import { excerptOf, HEADING, plain, rangesOf } from './marks.ts';
import { here, MAX_TOP, STEP, searchBody, topOf, useSought } from './query.ts';
import { Verdicts } from './verdict.tsx';

/** So many passages are read on each side: the most that the service sends. */
const READ = 10;
/** So many of them are shown at first, and more with each step. */
const [SHOWN, MORE] = [2, 3];
/** Who moves through the results by the arrow keys has not opened those that pass by. */
const PAUSE_MS = 300;
/** How much of what precedes the passage is seen above it. */
const PEEK = 96;

/** Where in its source a passage is, in words; without its first heading if that is the title. */
const placeWords = ({ title, location: { headings, ...place } }: Pick<Chunk, 'title' | 'location'>) =>
  placeParts({ ...place, headings: headings[0] === title ? headings.slice(1) : headings })
    .map(({ word, values }) => `${word} ${values.join(' › ')}`.trim())
    .join(' · ');

/** A text with the words of the query marked. */
function Marked({ text }: { text: string }) {
  const ranges = rangesOf(text, useSought());
  return [
    ...ranges.map(({ start, end }, index) => [
      text.slice(ranges[index - 1]?.end ?? 0, start),
      <mark key={start}>{text.slice(start, end)}</mark>,
    ]),
    text.slice(ranges.at(-1)?.end ?? 0),
  ];
}

/** One of the sources that were found. */
function Result({ hit, isShown, isWide }: { hit: Hit; isShown: boolean; isWide: boolean }) {
  const { nameOf } = useRights();
  // The place has the heading of the passage.
  const text = plain(hit.location.headings.length > 0 ? hit.text.replace(HEADING, '') : hit.text);
  const { start, end } = excerptOf(text, useSought());
  const more = (hit.passages?.length ?? 1) - 1;
  const facts = [
    placeWords(hit),
    hit.client_id === null ? '' : nameOf(hit.client_id),
    more > 0 ? `+${count(more, 'passage')}` : '',
  ].filter(Boolean);
  return (
    <li
      className={`relative border-b border-line px-3 py-2 ${isShown ? 'border-l-2 border-l-brand bg-tint' : 'hover:bg-hover'}`}
    >
      <h2 className="truncate font-medium">
        <Link
          {...here({ open: hit.chunk_id })}
          replace={isWide}
          state={{ closesByBack: !isWide }}
          resetScroll={false}
          aria-current={isShown ? 'true' : undefined}
          className="after:absolute after:inset-0 after:content-['']"
        >
          <bdi>
            <Marked text={hit.title} />
          </bdi>
        </Link>
      </h2>
      <p className="truncate text-sm text-faint">
        {facts.map((fact) => (
          <Fragment key={fact}>
            <bdi>
              <Marked text={fact} />
            </bdi>
            {' · '}
          </Fragment>
        ))}
        <Time at={hit.occurred_at ?? hit.created_at} />
      </p>
      <p dir="auto" className="mt-0.5 line-clamp-3 text-sm text-soft">
        {start > 0 && '… '}
        <Marked text={text.slice(start, end)} />
      </p>
    </li>
  );
}

type Props = { answer: SearchResponse; isWide: boolean; isBusy: boolean };

/** The sources that were found, best first, and a passage of one of them: beside the list, or over it where there is no room. */
export function Found({ answer: { hits, queryId }, isWide, isBusy }: Props) {
  const [{ open, ...criteria }, setFilters] = useFilters('/search');
  const isOpen = ({ chunk_id }: { chunk_id: string }) => chunk_id === open;
  const chosen = hits.find((hit) => isOpen(hit) || hit.passages?.some(isOpen));
  const hit = chosen ?? (isWide ? hits[0] : undefined);
  const chunk = hit?.passages?.find(isOpen) ?? hit;
  const top = topOf(criteria);
  const { history } = useRouter();
  const { closesByBack } = useLocation().state;
  const close = () => (closesByBack ? history.back() : void setFilters({ open: undefined }));
  const preview = hit && chunk && (
    <Preview
      key={`${queryId} ${chunk.chunk_id}`}
      hit={hit}
      chunk={chunk}
      onChoose={chosen ? undefined : () => void setFilters({ open: chunk.chunk_id })}
      queryId={queryId}
    />
  );
  const title = hit && <Name>{hit.title}</Name>;
  return (
    <div className={isWide ? 'grid grid-cols-2 gap-6' : ''}>
      <div className={`min-w-0 ${isBusy ? 'opacity-60' : ''}`} aria-busy={isBusy}>
        <ol aria-label="Results">
          {hits.map((one) => (
            <Result key={one.source_id} hit={one} isShown={isWide && one === hit} isWide={isWide} />
          ))}
        </ol>
        {hits.length === top && top < MAX_TOP && (
          <Button className="mt-3" busy={isBusy} onClick={() => void setFilters({ top: String(top + STEP) })}>
            Show more
          </Button>
        )}
      </div>
      {isWide ? (
        <aside
          aria-label="Preview"
          className="sticky top-16 flex max-h-[calc(100vh-13rem)] min-h-80 flex-col gap-2 self-start rounded-lg border border-line bg-panel px-4 py-3"
        >
          <h2 className="shrink-0 truncate text-lg font-semibold">{title}</h2>
          {preview}
        </aside>
      ) : (
        hit && (
          <Dialog isDrawer onClose={close} title={title}>
            {preview}
          </Dialog>
        )
      )}
    </div>
  );
}

/** A passage with those around it, as far as they are read. */
function useAround(chunk: Chunk, isChosen: boolean) {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, []);
  const id = chunk.chunk_id;
  const { data, error, refetch } = useRead('expandChunk', [{ chunkId: id, before: READ, after: READ }], {
    enabled: isChosen && isSettled,
    isOnce: true,
  });
  const all = data?.chunks ?? [chunk];
  const at = all.findIndex(({ chunk_id }) => chunk_id === id);
  /** Whether nothing precedes and follows what is read. */
  const isWhole = data !== undefined && at < READ && all.length - at <= READ;
  return { all, at, isWhole, error, again: () => void refetch() };
}

interface PreviewProps {
  hit: Hit;
  /** The hit itself, or another of its passages. */
  chunk: Chunk;
  queryId: string;
  /** Is given if the passage was not chosen, but is shown because it is the best. */
  onChoose: (() => void) | undefined;
}

/** A passage in its place. Mount it anew for another passage. */
function Preview({ hit, chunk, queryId, onChoose }: PreviewProps) {
  const sought = useSought();
  const { access, state } = useTeam();
  const { nameOf } = useRights();
  const id = chunk.chunk_id;
  const source = { to: '/sources/$id', params: { id: chunk.source_id }, search: { chunk: id } } as const;
  const address = new URL(useRouter().buildLocation(source).href, location.href).href;
  const isChosen = onChoose === undefined;
  const { all, at, isWhole, error, again } = useAround(chunk, isChosen);
  const [width, setWidth] = useState(SHOWN);
  const chunks = all.slice(Math.max(0, at - width), at + width + 1);
  const passage = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // What is added above the passage does not move it. In a drawer all of it scrolls, beside the results only the text.
    const box = passage.current?.closest('[role="dialog"]') ?? passage.current?.parentElement;
    const top = passage.current?.getBoundingClientRect().top ?? 0;
    box?.scrollBy(0, top - box.getBoundingClientRect().top - PEEK);
  }, [chunks.length]);
  const place = placeWords(chunk);
  const passages = hit.passages ?? [hit];
  return (
    <>
      <div className="flex shrink-0 flex-col gap-2 border-b border-line pb-2">
        {passages.length > 1 && (
          <nav aria-label="Passages found" className="-mx-2 flex flex-wrap">
            {passages.map((one, index) => (
              <HereLink
                key={one.chunk_id}
                to={{ open: one.chunk_id }}
                state
                aria-current={one.chunk_id === id ? 'true' : undefined}
                className={`${buttonClass('quiet')} aria-[current]:text-brand aria-[current]:underline`}
              >
                {one.location.page === null ? `Passage ${index + 1}` : `Page ${one.location.page}`}
              </HereLink>
            ))}
          </nav>
        )}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-faint">
          <span>
            {KINDS[hit.kind]} · <Name>{nameOf(hit.client_id)}</Name>
            {place !== '' && ' · '}
            <Name>{place}</Name>
          </span>
          {hit.uri !== null && <Address uri={hit.uri} />}
          {hit.tags.map((tag) => (
            <HereLink key={tag} to={{ tag, open: undefined }} replace={false} className="flex">
              <Tag>
                <Name>{tag}</Name>
              </Tag>
            </HereLink>
          ))}
          {hit.duplicates > 0 && <span>{count(hit.duplicates, 'equal passage')} left out</span>}
        </div>
        <div className="flex flex-wrap items-center gap-1">
          <Link {...source} className={buttonClass('primary')}>
            <ArrowUpRight aria-hidden size={16} />
            Open
          </Link>
          <CopyButton
            icon={Quote}
            label="Copy with its source"
            text={`“${chunk.text}”\n— ${[chunk.title, place].filter(Boolean).join(', ')}\n${address}`}
          />
          <CopyButton icon={Link2} label="Copy the link" text={address} />
          {state === 'active' && <Verdicts hit={() => ({ queryId, chunkId: id })} />}
        </div>
      </div>
      {error !== null && <Failure error={error} retry={again} />}
      <div tabIndex={0} role="region" aria-label="Text" className="min-h-0 overflow-y-auto py-3">
        {chunks.map(({ chunk_id, text }) => (
          <div
            key={chunk_id}
            ref={chunk_id === id ? passage : undefined}
            aria-current={chunk_id === id ? 'true' : undefined}
            className={`border-l-2 py-1 pl-3 [&_p]:whitespace-pre-line [&>div>:first-child]:mt-0 ${chunk_id === id ? 'border-brand' : 'border-transparent text-faint'}`}
          >
            {isChosen ? (
              <Markdown text={text} marker={(part) => rangesOf(part, sought)} />
            ) : (
              // What renders Markdown is not loaded before someone reads.
              <div dir="auto" className="leading-6">
                {text.split(/\n\s*\n/).map((block, index) => (
                  <p key={index} className={`my-2 ${/^#{1,6} /.test(block) ? 'text-lg font-semibold' : ''}`}>
                    <Marked text={block.split('\n').map(plain).join('\n')} />
                  </p>
                ))}
              </div>
            )}
          </div>
        ))}
        {isWhole && chunks.length === all.length && (
          <p className="py-2 pl-3.5 text-sm text-faint">This is the whole text.</p>
        )}
        {(onChoose || chunks.length < all.length) && (
          <Button look="quiet" onClick={onChoose ?? (() => setWidth(width + MORE))}>
            Show more around it
          </Button>
        )}
      </div>
      {access === 'full' && <Why sourceId={hit.source_id} />}
    </>
  );
}

/** What led to the place of a hit, in sentences. */
function reasons(hit: Hit, explain: HitExplanation, { semantic }: SearchExplanation): string[] {
  const words = explain.terms.filter(({ kind }) => kind === 'exact').map(({ term }) => `“${term}”`);
  const parts = explain.terms.length - words.length;
  const all: readonly (string | false)[] = [
    explain.identifier && 'It contains a rare code of the query, so it is before all passages without one.',
    hit.keyword_rank === null
      ? 'The search by words did not find it.'
      : `The search by words has it at place ${hit.keyword_rank}.`,
    words.length > 0 && `It has these words of the query, rare ones first: ${words.join(', ')}.`,
    parts > 0 && `It shares ${count(parts, 'part')} of words with the query.`,
    (explain.source_evidence ?? 0) > 0 &&
      'Other passages of the same source were found too, which moves it up.',
    semantic === null
      ? 'The search by meaning did not run: the query has no vector.'
      : hit.semantic_rank !== null
        ? `The search by meaning has it at place ${hit.semantic_rank}.`
        : explain.similarity === null
          ? 'It has no vector yet, so the search by meaning could not find it.'
          : 'It is not among the nearest passages of the search by meaning.',
  ];
  return all.filter((sentence) => sentence !== false);
}

/** Why a source is where it is among the results. The search is made once more, with its explanation. */
function Why({ sourceId }: { sourceId: string }) {
  const [criteria] = useFilters('/search');
  const [isOpen, setOpen] = useState(false);
  const query = useRead('searchMemory', [{ ...searchBody(criteria), facets: false, explain: true }], {
    enabled: isOpen,
    isOnce: true,
  });
  return (
    <details
      className="max-h-[40vh] shrink-0 overflow-y-auto border-t border-line pt-2 text-sm"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="cursor-pointer text-faint hover:text-ink">Why this place</summary>
      <Loaded query={query} skeleton={<Skeleton rows={2} />}>
        {({ hits, explain }) => {
          const hit = hits.find(({ source_id }) => source_id === sourceId);
          if (hit?.explain === undefined || explain === undefined)
            return <p role="alert">A search made now does not find this passage. Search again.</p>;
          return (
            <ul className="list-disc py-3 pl-4">
              {reasons(hit, hit.explain, explain).map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </details>
  );
}
