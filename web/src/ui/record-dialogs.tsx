import { useState } from 'react';
import { useRead } from '../app/data.ts';
import { wrongField } from '../app/form.ts';
import { fieldTime, layerOptions, useRights } from '../app/rights.ts';
import { Button } from './button.tsx';
import { SelectField, TextField } from './field.tsx';
import { FormDialog, textIn } from './form-dialog.tsx';

/* What asks for a value before records are tagged, moved or given an expiry: sources and memories, one or many. */

/** Closes a dialog and makes its change, of which `done` is then said. */
export type Apply = (
  change: { tags?: { add: string[] }; clientId?: string | null; expiresAt?: string | null },
  done: string,
) => void;

interface Props {
  /** What the records are called, such as "3 sources". */
  what: string;
  apply: Apply;
  onClose: () => void;
}

/** The tags that are known already, to choose from. */
export function KnownTags({ id }: { id: string }) {
  const tags = useRead('listTags', [{}]).data?.items ?? [];
  return (
    <datalist id={id}>
      {tags.map(({ tag }) => (
        <option key={tag} value={tag} />
      ))}
    </datalist>
  );
}

/** Asks for a tag. */
export const TagDialog = ({ what, apply, onClose }: Props) => (
  <FormDialog
    title={`Tag ${what}`}
    action="Add the tag"
    onClose={onClose}
    send={async (fields) => {
      const name = textIn(fields, 'tag');
      if (name === '') throw wrongField('tag', 'Enter a tag.');
      apply({ tags: { add: [name] } }, `tagged “${name}”`);
    }}
  >
    <TextField label="Tag" name="tag" maxLength={50} autoFocus autoComplete="off" list="known-tags" />
    <KnownTags id="known-tags" />
  </FormDialog>
);

/** Asks where to move records to. */
export function MoveDialog({ what, apply, onClose, from }: Props & { from?: string | null | undefined }) {
  const rights = useRights();
  const options = layerOptions(rights).filter(({ value }) => from === undefined || (value || null) !== from);
  return (
    <FormDialog
      title={`Move ${what}`}
      action="Move"
      onClose={onClose}
      send={async (fields) => {
        const clientId = textIn(fields, 'to') || null;
        apply({ clientId }, `moved to ${rights.nameOf(clientId)}`);
      }}
    >
      <SelectField
        label="To"
        name="to"
        hint="What is in a client is read and found only by those with access to it."
        options={options}
      />
    </FormDialog>
  );
}

const TIMES = [
  ['In 30 days', 30],
  ['In 90 days', 90],
  ['In a year', 365],
  ['Never', null],
] as const;

/** Asks when records expire. */
export function ExpiryDialog({ what, apply, onClose, at = null }: Props & { at?: string | null }) {
  const [value, setValue] = useState(fieldTime(at));
  return (
    <FormDialog
      title={`Expiry of ${what}`}
      action="Set"
      onClose={onClose}
      send={async () => {
        const time = value === '' ? null : new Date(value);
        if (time !== null && !(time.getTime() > Date.now()))
          throw wrongField('at', 'Choose a time in the future, or “Never”.');
        apply(
          { expiresAt: time?.toISOString() ?? null },
          time === null ? 'never expires now' : `expires on ${time.toLocaleDateString('en-GB')}`,
        );
      }}
    >
      <TextField
        label="Expires"
        name="at"
        type="datetime-local"
        value={value}
        hint="From then on no search finds it. Empty: never."
        onChange={(event) => setValue(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        {TIMES.map(([name, days]) => (
          <Button key={name} onClick={() => setValue(fieldTime(days && Date.now() + days * 86_400_000))}>
            {name}
          </Button>
        ))}
      </div>
    </FormDialog>
  );
}
