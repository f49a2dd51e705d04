import { memo } from 'react';
import type { Chunk } from '../../../../shared/schemas/sources.ts';
import { Button } from '../../ui/button.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { Name } from '../../ui/text.tsx';
import type { Heading } from './passages.ts';

const INDENTS = ['pl-2', 'pl-5', 'pl-8', 'pl-10'];

/** The headings of a text, which lead to their passages. There can be hundreds: they are made again only for another current one. */
export const Outline = memo(
  ({
    headings,
    passages,
    current,
    more,
    onVisit,
  }: {
    headings: readonly Heading[];
    passages: readonly Chunk[];
    current: Heading | undefined;
    /** Reads the rest, if there is one. */
    more: (() => void) | undefined;
    onVisit: () => void;
  }) => (
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
  ),
);
