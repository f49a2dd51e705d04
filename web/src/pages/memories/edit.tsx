import { type ChangeEvent, type KeyboardEvent, useState, useSyncExternalStore } from 'react';
import type { Memory } from '../../../../shared/schemas/memories.ts';
import { askBeforeLeaving } from '../../app/leaving.ts';
import { useSession, useTeamId } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { INPUT, TextArea, TextField } from '../../ui/field.tsx';

/** What someone has changed in a memory, and the version that it is based on. */
interface Draft {
  title?: string;
  content?: string;
  version: number;
}

type Drafts = Readonly<Record<string, Draft>>;
const NONE: Drafts = {};

/** By person and Team: who signs in after another person finds nothing of theirs. */
const kept = new Map<string, Drafts>();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/**
 * The texts of memories that are changed and not stored yet, by the id of the memory. They are kept when another page is
 * shown, and the browser asks before it leaves the console with some.
 */
export function useDrafts() {
  const key = `${useSession().user.id} ${useTeamId() ?? ''}`;
  const drafts = useSyncExternalStore(subscribe, () => kept.get(key) ?? NONE);
  /** Keeps a draft, also one made of the draft that is there; undefined forgets it. */
  function put(id: string, given: Draft | undefined | ((now: Draft | undefined) => Draft | undefined)) {
    const { [id]: now, ...others } = kept.get(key) ?? NONE;
    const draft = typeof given === 'function' ? given(now) : given;
    kept.set(key, draft === undefined ? others : { ...others, [id]: draft });
    askBeforeLeaving(
      kept,
      [...kept.values()].some((some) => Object.keys(some).length > 0),
    );
    for (const listener of listeners) listener();
  }
  return { drafts, put };
}

interface Props {
  memory: Pick<Memory, 'id' | 'title' | 'content' | 'version'>;
  action: string;
  onSave: () => unknown;
  onClose: () => void;
}

/** Changes the title and the text of a memory. What is typed is its draft, until it is stored or forgotten. */
export function EditForm({ memory, action, onSave, onClose }: Props) {
  const { drafts, put } = useDrafts();
  const draft = drafts[memory.id];
  const [busy, setBusy] = useState(false);
  const fieldOf = (name: 'title' | 'content') => ({
    dir: 'auto',
    required: true,
    value: draft?.[name] ?? memory[name],
    onChange({ target: { value } }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) {
      const { [name]: _, ...others } = draft ?? { version: memory.version };
      const typed = value === memory[name] ? others : { ...others, [name]: value };
      put(memory.id, Object.keys(typed).length === 1 ? undefined : typed);
    },
  });
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
      <TextField label="Title" autoComplete="off" maxLength={300} {...fieldOf('title')} />
      <TextArea
        label="Text"
        autoFocus
        className={`${INPUT} field-sizing-content h-auto max-h-[60vh] min-h-40 py-1.5 leading-6`}
        {...fieldOf('content')}
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
