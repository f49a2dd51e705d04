import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  Check,
  CircleX,
  FolderInput,
  type LucideIcon,
  Tag,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { nextState } from '../../../../shared/memory-states.ts';
import type { ListedMemory, Memory } from '../../../../shared/schemas/memories.ts';
import { useRights } from '../../app/rights.ts';
import { ActionBar, type Action as Offered } from '../../ui/action-menu.tsx';
import { type Apply, ExpiryDialog, MoveDialog, TagDialog } from '../../ui/record-dialogs.tsx';
import { count } from '../../ui/text.tsx';
import { type Action, useDecideAndSay } from './decisions.ts';

/** What people can do with memories whose state allows it. */
const ACTIONS: readonly (readonly [action: Action, icon: LucideIcon, name: string])[] = [
  ['publish', Check, 'Publish'],
  ['discard', CircleX, 'Discard'],
  ['update', Tag, 'Tag'],
  ['move', FolderInput, 'Move'],
  ['renew', CalendarClock, 'Expiry'],
  ['unpublish', Undo2, 'Back into review'],
  ['reopen', Undo2, 'Back into review'],
  ['delete', Archive, 'Archive'],
  ['restore', ArchiveRestore, 'Publish again'],
];
/** What asks for a value first. */
const DIALOGS = { update: TagDialog, move: MoveDialog, renew: ExpiryDialog };

/**
 * What can be done with memories: the actions that some of them allow, and the dialog that is open.
 * @param what what the memories are called, such as "3 memories"
 * @param done is called when something is done
 */
export function useActions(memories: readonly Memory[], what: string, done?: () => void) {
  const [asked, setAsked] = useState<keyof typeof DIALOGS | null>(null);
  const decide = useDecideAndSay();
  const canMove = useRights().clients.length > 0;
  const allowed = (action: Action) =>
    memories.filter(
      ({ state }) =>
        // A published memory can be restored, too, to one of its earlier versions.
        nextState(state, action) !== null && (action !== 'restore' || state === 'archived'),
    );
  function act(action: Action, { tags, ...change }: Parameters<Apply>[0] = {}, said?: string) {
    setAsked(null);
    done?.();
    const wanted = allowed(action).map((memory) => ({
      memory,
      action,
      ...change,
      ...(tags && { tags: [...new Set([...memory.tags, ...tags.add])] }),
      ...(action === 'restore' && { version: memory.version }),
    }));
    void decide(wanted, said);
  }
  const Dialog = asked && DIALOGS[asked];
  const one = memories.length === 1 ? memories[0] : undefined;
  const dialog = Dialog && (
    <Dialog
      what={what}
      apply={(change, said) => act(asked, change, said)}
      onClose={() => setAsked(null)}
      from={one?.clientId}
      at={one?.expiresAt ?? null}
    />
  );
  const actions = ACTIONS.filter(
    ([action]) => allowed(action).length > 0 && (action !== 'move' || canMove),
  ).map(
    ([action, icon, name]): Offered => [
      icon,
      name,
      () => (action in DIALOGS ? setAsked(action as keyof typeof DIALOGS) : act(action)),
    ],
  );
  return { actions, dialog };
}

interface ManyProps {
  chosen: readonly ListedMemory[];
  clear: () => void;
}

/** What can be done with the chosen memories, at the lower edge of the window. */
export function ManyMemories({ chosen, clear }: ManyProps) {
  // A source that feedback has put into review is decided on in the review.
  const memories = chosen.filter(({ subject }) => subject === 'memory');
  const what = count(memories.length, 'memory', 'memories');
  const { actions, dialog } = useActions(memories, what, clear);
  if (memories.length === 0) return null;
  return (
    <ActionBar label="Chosen memories" what={what} actions={actions} clear={clear}>
      {dialog}
    </ActionBar>
  );
}
