import { SlidersHorizontal } from 'lucide-react';
import { useRef, useState } from 'react';
import { MAX_TAG_LENGTH, MAX_TAGS } from '../../../../shared/formats/names.ts';
import { wrongField } from '../../app/form.ts';
import { fieldTime, layerOptions, useRights } from '../../app/rights.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog, textIn } from '../../ui/form-dialog.tsx';
import { count, duration, Name, size, Time } from '../../ui/text.tsx';
import { rowOfFile } from './rows.tsx';
import { isOver, MAX_FILE_BYTES, type SenderState, type Sending, useSender } from './sender.ts';

/** Where files can be dropped, and what they are stored with; a dialog changes that. */
export function Options() {
  const [sender, { target }] = useSender();
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

/** What is left of the work, in words; '' until enough is done to know. */
function useTimeLeft(done: number, all: number): string {
  const start = useRef<{ at: number; done: number } | null>(null);
  if (done === all) start.current = null;
  else start.current ??= { at: Date.now(), done };
  const since = start.current;
  if (since === null || done - since.done < 3) return '';
  return `about ${duration(((Date.now() - since.at) / 1000 / (done - since.done)) * (all - done))} left`;
}

/** What became of files: `27 imported, 1 failed`. */
const outcomeOf = ({ files, known }: SenderState) =>
  [...Map.groupBy(files, (file) => rowOfFile(file, known).words)]
    .map(([words, some]) => `${some.length.toLocaleString('en')} ${words.toLowerCase()}`)
    .join(', ');

/**
 * One bar from the first file that is sent to the last one that is read.
 * @param active how many imports of the Team are waiting or being read
 */
export function Progress({ active }: { active: number }) {
  const [sender, sending] = useSender();
  const { files, known, held, pause, isBusy } = sending;
  const overOf = (file: Sending) => isOver(file, known);
  const most = useRef(0);
  most.current = active === 0 ? 0 : Math.max(most.current, active);
  // Files that were only refused are no work: what the Team imports is shown.
  const isOwn = active === 0 || files.some(({ state }) => state !== 'refused');
  const all = isOwn ? files.length : most.current;
  const done = isOwn ? files.filter(overOf).length : all - active;
  const left = useTimeLeft(done, all);
  if (all === 0) return null;
  return (
    <section aria-label="Progress" className="mb-3 rounded-lg border border-line bg-panel px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <p role="status" className="font-medium tabular-nums">
          {done < all && `${done.toLocaleString('en')} of `}
          {count(all, 'file')} done
        </p>
        <p className="text-soft">{left}</p>
        <div className="ml-auto flex gap-2">
          {isBusy && held === '' && (
            <Button onClick={() => sender.hold('You stopped. The files that wait were not sent.')}>
              Stop
            </Button>
          )}
          {!isBusy && files.some(({ state }) => state === 'waiting') && (
            <Button onClick={() => sender.resume()}>Send the rest</Button>
          )}
          {!isBusy && files.length > 0 && (
            <Button look="quiet" onClick={() => sender.remove(() => true)}>
              Clear
            </Button>
          )}
        </div>
      </div>
      {done < all && (
        <progress
          aria-label="Files done"
          className="my-2 block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-hover [&::-moz-progress-bar]:bg-brand [&::-webkit-progress-bar]:bg-hover [&::-webkit-progress-value]:bg-brand"
          max={all}
          value={done}
        />
      )}
      <p className="text-sm text-soft">
        {isOwn ? outcomeOf(sending) : 'Files that were sent before are being read.'}
      </p>
      <p role="status" className="text-sm text-warn">
        {pause}
      </p>
      <p role="alert" className="text-sm text-bad">
        {held}
      </p>
    </section>
  );
}
