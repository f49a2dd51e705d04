import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useDebounced } from '../app/filters.ts';
import { BARE_INPUT, INPUT } from './field.tsx';

/** A filter is told by its words, so that its border is quiet until it is set. On a phone there are three in a line. */
const lookOf = (value: string | undefined) =>
  `${BARE_INPUT} max-sm:w-auto max-sm:grow max-sm:basis-28 ${value === undefined ? 'border-line text-soft hover:border-edge' : 'border-brand font-medium'}`;

/** The filters of a list, in one line. They apply at once. */
export const FilterBar = ({ children }: { children: ReactNode }) => (
  <div role="search" aria-label="Filters" className="mb-3 flex flex-wrap items-center gap-2">
    {children}
  </div>
);

interface Props<Value> {
  label: string;
  value: string | undefined;
  onChange: (value: Value) => void;
}

/** A text that applies 200 ms after the last key. */
export function TextFilter({ label, value, onChange }: Props<string>) {
  const [typed, setTyped] = useDebounced(value ?? '', onChange);
  return (
    <div className="relative w-64 max-w-full grow sm:grow-0">
      <Search aria-hidden size={14} className="absolute top-2 left-2.5 text-faint" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        className={`${INPUT} pl-8`}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}

interface Option {
  value: string;
  name: string;
  /** The heading above it. */
  group?: string;
}

/** One of several values, or all of them. */
export const ChoiceFilter = ({
  label,
  value,
  options,
  onChange,
}: Props<string | undefined> & { options: readonly Option[] }) => (
  <select
    aria-label={label}
    className={`${lookOf(value)} sm:w-auto sm:max-w-52`}
    value={value ?? ''}
    onChange={(event) => onChange(event.target.value || undefined)}
  >
    <option value="">{label}</option>
    {[...Map.groupBy(options, ({ group }) => group)].map(([group, some]) => {
      const choices = some.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ));
      return group === undefined ? choices : <optgroup key={group} label={group} children={choices} />;
    })}
  </select>
);

/** A day, or any. On a phone only its icon is shown while it is not set. */
export const DayFilter = ({ label, value, onChange }: Props<string | undefined>) => (
  <label
    className={`${lookOf(value)} flex items-center gap-1.5 whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-brand sm:w-auto`}
  >
    <span className="grow">{label}</span>
    <input
      type="date"
      className={`bg-transparent text-sm outline-none ${value === undefined ? 'max-sm:not-focus:w-4' : ''}`}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
    />
  </label>
);
