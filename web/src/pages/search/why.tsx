import { useState } from 'react';
import type { Hit, HitExplanation, SearchExplanation } from '../../../../shared/schemas/search.ts';
import { useRead } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { Loaded, Skeleton } from '../../ui/states.tsx';
import { count } from '../../ui/text.tsx';
import { searchBody } from './query.ts';

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
export function Why({ sourceId }: { sourceId: string }) {
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
