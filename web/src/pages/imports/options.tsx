import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../../../../shared/formats/names.ts';
import { wrongField } from '../../app/form.ts';
import { fieldTime, layerOptions, useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { Name, size, Time } from '../../ui/text.tsx';
import { MAX_FILE_BYTES } from './files.ts';
import type { Sender, Target } from './sender.ts';

/** Where files can be dropped, and what they are stored with; a dialog changes that. */
export function Options({ sender, target }: { sender: Sender; target: Target }) {
  const rights = useRights();
  const [isOpen, setOpen] = useState(false);
  const { clientId, tags, expiresAt } = target;
  async function apply(fields: FormData) {
    const given = textIn(fields, 'tags').split(',');
    const next = [...new Set(given.map((tag) => tag.trim()))].filter((tag) => tag !== '');
    if (next.length > MAX_TAGS) throw wrongField('tags', `Use at most ${MAX_TAGS} tags.`);
    if (next.some((tag) => [...tag].length > MAX_TAG_LENGTH))
      throw wrongField('tags', `A tag has at most ${MAX_TAG_LENGTH} characters.`);
    const at = textIn(fields, 'at');
    sender.setTarget({
      clientId: textIn(fields, 'client') || null,
      tags: next,
      expiresAt: at === '' ? null : new Date(at).toISOString(),
    });
    setOpen(false);
  }
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1 rounded-lg border border-dashed border-edge py-2 pr-1 pl-4">
      <p className="min-w-0 grow basis-32 text-soft">
        <span className="max-md:hidden">Drop files or folders anywhere to import them </span>
        <span className="md:hidden">New files go </span>
        {clientId === null ? 'into the Team' : 'for the client '}
        {clientId !== null && <Name>{rights.nameOf(clientId)}</Name>}
        {tags.length > 0 && `, tagged ${tags.join(', ')}`}
        {expiresAt !== null && ', until '}
        {expiresAt !== null && <Time at={expiresAt} />}
        <span className="text-faint max-md:hidden">. Up to {size(MAX_FILE_BYTES)} each.</span>
      </p>
      <Button look="quiet" icon={SlidersHorizontal} onClick={() => setOpen(true)}>
        Options
      </Button>
      {isOpen && (
        <FormDialog
          title="Options for the next files"
          action="Apply"
          send={apply}
          onClose={() => setOpen(false)}
        >
          <SelectField
            label="Store in"
            name="client"
            defaultValue={clientId ?? ''}
            options={layerOptions(rights)}
          />
          <TextField
            label="Tags"
            name="tags"
            defaultValue={tags.join(', ')}
            hint="Separate several by commas."
            autoComplete="off"
          />
          <TextField
            label="Expires"
            name="at"
            type="datetime-local"
            min={fieldTime(Date.now())}
            defaultValue={fieldTime(expiresAt)}
            hint="From then on no search finds them. Empty: never."
          />
        </FormDialog>
      )}
    </div>
  );
}
