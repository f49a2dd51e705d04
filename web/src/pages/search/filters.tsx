import { X } from 'lucide-react';
import { useState } from 'react';
import type { Facets } from '../../../../shared/schemas/search.ts';
import { withChosen } from '../../app/filters.ts';
import { useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceFilter, DayFilter, FilterBar } from '../../ui/filter-bar.tsx';
import { KINDS } from '../sources/labels.ts';
import { type Criteria, isFiltered, NO_FILTERS } from './query.ts';

/** A year that stands for a choice of days. */
const DAYS = 'days';

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

type Props = { criteria: Criteria; facets: Facets | undefined; onChange: (some: Criteria) => void };

/** Filters of the search, with how many of the sources found have each value. */
export function SearchFilters({ criteria, facets, onChange }: Props) {
  const { kind, in: place, tag, year, from, to } = criteria;
  const { clients, nameOf } = useRights();
  const [hasDays, setHasDays] = useState(false);
  const byDays = hasDays || from !== undefined || to !== undefined;
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
        options={[...optionsOf('year', year), { value: DAYS, name: 'Days …' }]}
        onChange={(value) => {
          setHasDays(value === DAYS);
          onChange({ year: value === DAYS ? undefined : value, from: undefined, to: undefined });
        }}
      />
      {byDays && (
        <>
          <DayFilter label="From" value={from} onChange={(day) => onChange({ from: day })} />
          <DayFilter label="To" value={to} onChange={(day) => onChange({ to: day })} />
        </>
      )}
      {isFiltered(criteria) && (
        <Button
          look="quiet"
          icon={X}
          onClick={() => {
            setHasDays(false);
            onChange(NO_FILTERS);
          }}
        >
          Clear
        </Button>
      )}
    </FilterBar>
  );
}
