import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import type { Hit, SearchResponse } from '../../../../shared/schemas/search.ts';
import { useFilters } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { count, Name, Time } from '../../ui/text.tsx';
import { excerptOf, HEADING, plain } from './marks.ts';
import { Marked, Preview, placeWords } from './preview.tsx';
import { here, MAX_TOP, STEP, topOf, useSought } from './query.ts';

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
        <Dialog
          isDrawer
          open={hit !== undefined}
          onClose={() => void setFilters({ open: undefined })}
          title={title}
        >
          {preview}
        </Dialog>
      )}
    </div>
  );
}
