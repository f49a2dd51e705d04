import { type KeyboardEvent, useState } from 'react';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { Button } from '../../ui/button.tsx';
import { INPUT, TextArea, TextField } from '../../ui/field.tsx';
import { useDrafts } from './drafts.ts';

/** Changes the title and the text of a memory. What is typed is its draft, until it is stored or forgotten. */
export function EditForm({
  memory,
  action,
  onSave,
  onClose,
}: {
  memory: Pick<Memory, 'id' | 'title' | 'content' | 'version'>;
  action: string;
  onSave: () => unknown;
  onClose: () => void;
}) {
  const { drafts, put } = useDrafts();
  const draft = drafts[memory.id];
  const [busy, setBusy] = useState(false);
  const { title, content } = { ...memory, ...draft };
  function type(field: 'title' | 'content', text: string) {
    const { [field]: _, ...others } = draft ?? { version: memory.version };
    const typed = text === memory[field] ? others : { ...others, [field]: text };
    put(memory.id, Object.keys(typed).length === 1 ? undefined : typed);
  }
  async function save() {
    if (busy) return;
    setBusy(true);
    await onSave();
    setBusy(false);
  }
  function press(event: KeyboardEvent<HTMLFormElement>) {
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <form
      aria-label="Edit"
      className="flex flex-col gap-3"
      onKeyDown={press}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <TextField
        label="Title"
        dir="auto"
        autoComplete="off"
        required
        maxLength={300}
        value={title}
        onChange={(event) => type('title', event.target.value)}
      />
      <TextArea
        label="Text"
        dir="auto"
        autoFocus
        required
        className={`${INPUT} field-sizing-content h-auto max-h-[60vh] min-h-40 py-1.5 leading-6`}
        value={content}
        onChange={(event) => type('content', event.target.value)}
      />
      <div className="sticky bottom-0 flex flex-wrap gap-2 bg-page py-3">
        <Button look="primary" type="submit" busy={busy} title="Ctrl+Enter">
          {action}
        </Button>
        <Button onClick={onClose} title="Escape">
          Close
        </Button>
        {draft !== undefined && (
          <Button
            look="quiet"
            onClick={() => {
              put(memory.id, undefined);
              onClose();
            }}
          >
            Forget the changes
          </Button>
        )}
      </div>
    </form>
  );
}
