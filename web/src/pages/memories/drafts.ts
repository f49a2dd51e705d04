import { useSyncExternalStore } from 'react';
import { askBeforeLeaving } from '../../app/leaving.ts';
import { useSession, useTeamId } from '../../app/session.tsx';

/** What someone has changed in a memory, and the version that it is based on. */
export interface Draft {
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
