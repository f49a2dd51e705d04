import { useMemo } from 'react';
import type { SearchRequest } from '../../../../shared/schemas/search.ts';
import type { Source } from '../../../../shared/schemas/sources.ts';
import { useFilters } from '../../app/filters.ts';
import { soughtBy } from './marks.ts';

/**
 * The filters, as the address has them. `in` is `team` or the id of a client; `with` is `team` if the Team layer is searched
 * together with the client; `year` is `DAYS` while `from` and `to` are chosen in its place.
 */
const FILTERS = ['in', 'with', 'kind', 'tag', 'year', 'from', 'to'] as const;

export const DAYS = 'days';

/** What is searched for, and how many sources are shown. */
export type Criteria = { [F in 'q' | 'top' | (typeof FILTERS)[number]]?: string | undefined };

export const NO_FILTERS: Criteria = Object.fromEntries(FILTERS.map((name) => [name, undefined]));
export const isFiltered = (criteria: Criteria) => FILTERS.some((name) => criteria[name] !== undefined);

/** How many sources are shown at first, and how many more each time. */
export const STEP = 10;
/** The service returns no more. */
export const MAX_TOP = 50;

export const topOf = ({ top }: Criteria) => Math.min(Math.max(STEP, Number(top) || 0), MAX_TOP);

function scopeOf({ in: place, with: also }: Criteria): NonNullable<SearchRequest['scope']> {
  if (place === undefined) return { include: ['team', 'client'] };
  if (place === 'team') return {};
  return { clientId: place, include: also === 'team' ? ['team', 'client'] : ['client'] };
}

/** What is searched for, as the service reads it. */
export function searchBody(criteria: Criteria): SearchRequest {
  const { q = '', kind, tag } = criteria;
  const year = criteria.year === DAYS ? undefined : criteria.year;
  const { from = year && `${year}-01-01`, to = year && `${year}-12-31` } = criteria;
  return {
    query: q.trim(),
    embeddingMode: 'auto',
    scope: scopeOf(criteria),
    group: 'source',
    topK: topOf(criteria),
    facets: true,
    ...(kind !== undefined && { kinds: [kind as Source['kind']] }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(from !== undefined && { occurredAfter: from }),
    ...(to !== undefined && { occurredBefore: to }),
  };
}

/** What is marked in the texts of the page. */
export function useSought() {
  const [{ q = '' }] = useFilters('/search');
  return useMemo(() => soughtBy(q), [q]);
}

/** A link to this page with other criteria, or with another passage open. */
export const here = (some: Criteria & { open?: string | undefined }) =>
  ({ to: '.', search: ((now: object) => ({ ...now, ...some })) as never }) as const;
