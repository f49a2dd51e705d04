import { type ReactNode, useId, useState } from 'react';
import { INPUT } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { count, Name } from '../../ui/text.tsx';
import type { Access } from './grants.ts';
import { matches } from './rights.ts';

const LEVELS = {
  none: { value: 'none', name: 'None' },
  read: { value: 'read', name: 'Read' },
  write: { value: 'write', name: 'Write' },
  full: { value: 'full', name: 'Full' },
} as const;
const LINE = 'flex min-h-10 items-center gap-2 border-b border-line px-3 last:border-b-0';
/** With more rows than this, a field filters them. */
const FILTER_FROM = 8;
/** No more rows than this are shown; the field finds the others. */
const SHOWN = 100;

interface Row {
  id: string;
  name: string;
  about?: string;
}
interface Props<One extends Row> {
  label: string;
  /** What one of the rows is called in a sentence. */
  noun: string;
  rows: readonly One[];
  accessOf: (id: string) => Access;
  /** @param what the name of the row, or how many they are */
  onChange: (ids: readonly string[], access: Access, what: string) => void;
  /** The strongest access that can be given. */
  most?: 'write' | 'full';
  /** What can be done: to give access and take it away, only to take it away, or nothing. */
  canChange: (one: One) => 'give' | 'take' | false;
  /** The class of the height above which it scrolls. */
  height?: string;
  /** What stands beside the label. */
  children?: ReactNode;
}

/** The access to each of several clients or Teams, or of each of several people: one by one, or of all that are found. */
export function AccessRows<One extends Row>(props: Props<One>) {
  const { label, noun, rows, accessOf, onChange, most = 'write', canChange } = props;
  const [sought, setSought] = useState('');
  const id = useId();
  const found = rows.filter(({ name, about = '' }) => matches(sought, [name, about]));
  const open = found.filter((row) => canChange(row) === 'give').map((row) => row.id);
  const levels = new Set(open.map(accessOf));
  const options = [LEVELS.none, LEVELS.read, LEVELS[most]];
  const optionsOf = (row: One) =>
    options.filter(
      ({ value }) =>
        value === accessOf(row.id) ||
        canChange(row) === 'give' ||
        (canChange(row) === 'take' && value === 'none'),
    );
  return (
    <div role="group" aria-labelledby={id}>
      <div className="mb-1 flex min-h-8 flex-wrap items-center gap-2">
        <span id={id} className="grow font-medium">
          {label}
        </span>
        {props.children}
      </div>
      {rows.length > FILTER_FROM && (
        <input
          type="search"
          aria-label="Find by name"
          placeholder="Find by name"
          className={`${INPUT} mb-2`}
          value={sought}
          onChange={(event) => setSought(event.target.value)}
        />
      )}
      <ul className={`${props.height ?? 'max-h-[45vh]'} overflow-y-auto rounded-md border border-line`}>
        {open.length > 1 && (
          <li className={LINE}>
            <span className="grow text-soft">
              {sought.trim() === '' ? 'All' : 'All that are found'} ({open.length})
            </span>
            <Segments<Access | ''>
              label="All"
              value={(levels.size === 1 && [...levels][0]) || ''}
              options={options}
              onChange={(access) => onChange(open, access || 'none', count(open.length, noun))}
            />
          </li>
        )}
        {found.slice(0, SHOWN).map((row) => (
          <li key={row.id} className={LINE}>
            <span className="min-w-0 grow truncate" title={row.name}>
              <Name>{row.name}</Name>
              {row.about !== undefined && <Name className="ml-1 text-sm text-faint">{row.about}</Name>}
            </span>
            <Segments
              // Several people can have one name.
              label={[row.name, row.about].filter(Boolean).join(', ')}
              value={accessOf(row.id)}
              options={optionsOf(row)}
              onChange={(access) => onChange([row.id], access, row.name)}
            />
          </li>
        ))}
      </ul>
      <p role="status" className="mt-1 text-sm text-faint empty:hidden">
        {found.length === 0 && 'Nothing has this in its name.'}
        {found.length > SHOWN && `${found.length - SHOWN} more: find them by their names.`}
      </p>
    </div>
  );
}
