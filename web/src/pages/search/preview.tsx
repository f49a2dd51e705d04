import { Link, useRouter } from '@tanstack/react-router';
import { ArrowUpRight, Link2, Quote } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { placeParts } from '../../../../shared/formats/place-parts.ts';
import type { Hit } from '../../../../shared/schemas/search.ts';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { useRead } from '../../app/data.ts';
import { useRights } from '../../app/rights.ts';
import { useTeam } from '../../app/session.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Failure } from '../../ui/states.tsx';
import { Address, count, Name, Tag } from '../../ui/text.tsx';
import { KINDS } from '../sources/labels.ts';
import { plain, rangesOf } from './marks.ts';
import { here, useSought } from './query.ts';
import { Verdicts } from './verdict.tsx';
import { Why } from './why.tsx';

/** So many passages are read on each side: the most that the service sends. */
const READ = 10;
/** So many of them are shown at first, and more with each step. */
const [SHOWN, STEP] = [2, 3];
/** Who moves through the results by the arrow keys has not opened those that pass by. */
const PAUSE_MS = 300;
/** How much of what precedes the passage is seen above it. */
const PEEK = 96;

/** Where in its source a passage is, in words; without its first heading if that is the title. */
export const placeWords = ({ title, location: { headings, ...place } }: Pick<Chunk, 'title' | 'location'>) =>
  placeParts({ ...place, headings: headings[0] === title ? headings.slice(1) : headings })
    .map(({ word, values }) => `${word} ${values.join(' › ')}`.trim())
    .join(' · ');

/** A text with the words of the query marked. */
export function Marked({ text }: { text: string }) {
  const ranges = rangesOf(text, useSought());
  return [
    ...ranges.map(({ start, end }, index) => [
      text.slice(ranges[index - 1]?.end ?? 0, start),
      <mark key={start}>{text.slice(start, end)}</mark>,
    ]),
    text.slice(ranges.at(-1)?.end ?? 0),
  ];
}

/** A passage with those around it, as far as they are read. */
function useAround(chunk: Chunk, isChosen: boolean) {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), PAUSE_MS);
    return () => clearTimeout(timer);
  }, []);
  const id = chunk.chunk_id;
  const { data, error } = useRead('expandChunk', [{ chunkId: id, before: READ, after: READ }], {
    enabled: isChosen && isSettled,
    isOnce: true,
  });
  const all = data?.chunks ?? [chunk];
  const at = all.findIndex(({ chunk_id }) => chunk_id === id);
  /** Whether nothing precedes and follows what is read. */
  const isWhole = data !== undefined && at < READ && all.length - at <= READ;
  return { all, at, isWhole, error };
}

interface Props {
  hit: Hit;
  /** The hit itself, or another of its passages. */
  chunk: Chunk;
  queryId: string;
  /** Is given if the passage was not chosen, but is shown because it is the best. */
  onChoose: (() => void) | undefined;
}

/** A passage in its place. Mount it anew for another passage. */
export function Preview({ hit, chunk, queryId, onChoose }: Props) {
  const sought = useSought();
  const { access, state } = useTeam();
  const { nameOf } = useRights();
  const id = chunk.chunk_id;
  const source = { to: '/sources/$id', params: { id: chunk.source_id }, search: { chunk: id } } as const;
  const address = new URL(useRouter().buildLocation(source).href, location.href).href;
  const isChosen = onChoose === undefined;
  const { all, at, isWhole, error } = useAround(chunk, isChosen);
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
              <Link
                key={one.chunk_id}
                {...here({ open: one.chunk_id })}
                replace
                resetScroll={false}
                aria-current={one.chunk_id === id ? 'true' : undefined}
                className={`${buttonClass('quiet')} aria-[current]:text-brand aria-[current]:underline`}
              >
                {one.location.page === null ? `Passage ${index + 1}` : `Page ${one.location.page}`}
              </Link>
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
            <Link key={tag} {...here({ tag, open: undefined })} className="flex">
              <Tag>
                <Name>{tag}</Name>
              </Tag>
            </Link>
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
      {error !== null && <Failure error={error} />}
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
          <Button look="quiet" onClick={onChoose ?? (() => setWidth(width + STEP))}>
            Show more around it
          </Button>
        )}
      </div>
      {access === 'full' && <Why sourceId={hit.source_id} />}
    </>
  );
}
