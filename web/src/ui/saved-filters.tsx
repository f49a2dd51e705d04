import { Bookmark, BookmarkPlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { wrongField } from '../app/form.ts';
import { useStored } from '../app/stored.ts';
import { Button } from './button.tsx';
import { TextField } from './field.tsx';
import { FormDialog, textIn } from './form-dialog.tsx';
import { Menu, MenuItem, MenuLine } from './menu.tsx';
import { Name } from './text.tsx';
import { say } from './toast.tsx';

type Filters = Readonly<Record<string, string | undefined>>;
interface Saved {
  name: string;
  filters: Filters;
}

const MOST = 20;

interface Props<F> {
  /** Names the list. */
  page: string;
  filters: F;
  apply: (filters: F) => void;
}

/** A menu of the filters of a list that were saved, and what saves the present ones. */
export function SavedFilters<F extends Filters>({ page, filters, apply }: Props<F>) {
  const [saved, store] = useStored<Saved>(`filters:${page}`);
  const [isSaving, setSaving] = useState(false);
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const current = saved.find(
    (one) =>
      Object.keys(one.filters).length === given.length &&
      given.every(([name, value]) => one.filters[name] === value),
  );
  const none = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
  const put = (one: Saved) => store((list) => [...list.filter(({ name }) => name !== one.name), one]);
  async function save(fields: FormData) {
    const name = textIn(fields, 'name');
    if (name === '') throw wrongField('name', 'Enter a name.');
    const before = saved.find((one) => one.name === name);
    put({ name, filters: Object.fromEntries(given) });
    setSaving(false);
    if (before) say(`“${name}” has other filters now.`, () => put(before));
  }
  function remove(one: Saved) {
    store((list) => list.filter(({ name }) => name !== one.name));
    say(`“${one.name}” removed.`, () => put(one));
  }
  if (saved.length === 0 && given.length === 0) return null;
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button look="quiet" icon={Bookmark}>
            {current ? <Name>{current.name}</Name> : 'Saved filters'}
          </Button>
        }
      >
        {saved.map((one) => (
          <MenuItem key={one.name} onClick={() => apply({ ...none, ...one.filters } as F)}>
            <Name className="max-w-64 truncate">{one.name}</Name>
          </MenuItem>
        ))}
        {saved.length > 0 && <MenuLine />}
        {current ? (
          <MenuItem icon={Trash2} onClick={() => remove(current)}>
            Remove “{current.name}”
          </MenuItem>
        ) : saved.length >= MOST ? (
          <p className="px-2 py-1 text-sm text-faint">{MOST} are saved, which is the most.</p>
        ) : (
          given.length > 0 && (
            <MenuItem icon={BookmarkPlus} onClick={() => setSaving(true)}>
              Save these filters
            </MenuItem>
          )
        )}
      </Menu>
      {isSaving && (
        <FormDialog title="Save these filters" action="Save" send={save} onClose={() => setSaving(false)}>
          <TextField label="Name" name="name" maxLength={60} autoFocus autoComplete="off" />
        </FormDialog>
      )}
    </>
  );
}
