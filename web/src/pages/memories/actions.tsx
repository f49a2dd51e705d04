import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  ArchiveRestore,
  CalendarClock,
  Check,
  CircleX,
  FolderInput,
  type LucideIcon,
  Tag,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import { nextState } from '../../../../shared/memory-states.ts';
import type { ListedMemory, Memory } from '../../../../shared/schemas/memories.ts';
import { useChange } from '../../app/data.ts';
import { useRights } from '../../app/rights.ts';
import { ActionBar, ActionMenu, type Action as Offered } from '../../ui/action-menu.tsx';
import { ConfirmAct } from '../../ui/form-dialog.tsx';
import { type Apply, ExpiryDialog, MoveDialog, TagDialog } from '../../ui/record-dialogs.tsx';
import type { useSelection } from '../../ui/selection.ts';
import { count, Name } from '../../ui/text.tsx';
import { type Action, useDecideAndSay, type Wanted } from './decisions.ts';
import { useDrafts } from './drafts.ts';

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
/** What reads differently after a memory was deleted for good, apart from its own page. */
const PURGED = [
  'listMemories',
  'listSources',
  'getSource',
  'listCaptures',
  'listTags',
  'getStatus',
  'searchMemory',
] as const;
/** What asks for a value first. */
const DIALOGS = { update: TagDialog, move: MoveDialog, renew: ExpiryDialog };

/**
 * What can be done with memories: the actions that some of them allow, and the dialog that is open.
 * @param what what the memories are called, such as "3 memories"
 * @param done is called when something is done
 */
function useActions(memories: readonly Memory[], what: string, done?: () => void) {
  const [asked, setAsked] = useState<keyof typeof DIALOGS | null>(null);
  const decide = useDecideAndSay();
  const canMove = useRights().clients.length > 0;
  const allowed = (action: Action) =>
    memories.filter(
      ({ state }) =>
        // A published memory can be restored, too, to one of its earlier versions.
        nextState(state, action) !== null && (action !== 'restore' || state === 'archived'),
    );
  function act(action: Action, fieldsOf: (memory: Memory) => Partial<Wanted>, said?: string) {
    setAsked(null);
    done?.();
    const wanted = allowed(action).map((memory) => ({ memory, action, ...fieldsOf(memory) }));
    void decide(wanted, said);
  }
  const apply: Apply = ({ tags, ...change }, said) =>
    act(
      asked ?? 'update',
      (memory) => ({ ...change, ...(tags && { tags: [...new Set([...memory.tags, ...tags.add])] }) }),
      said,
    );
  const Dialog = asked === null ? null : DIALOGS[asked];
  const one = memories.length === 1 ? memories[0] : undefined;
  const now = { from: one?.clientId, at: one?.expiresAt ?? null };
  const dialog = Dialog && <Dialog what={what} apply={apply} onClose={() => setAsked(null)} {...now} />;
  const actions = ACTIONS.filter(
    ([action]) => allowed(action).length > 0 && (action !== 'move' || canMove),
  ).map(([action, icon, name]): Offered => {
    if (action in DIALOGS) return [icon, name, () => setAsked(action as keyof typeof DIALOGS)];
    return [icon, name, () => act(action, ({ version }) => (action === 'restore' ? { version } : {}))];
  });
  return { actions, dialog };
}

/** What else can be done with a memory than to change its text and its tags. */
export function Actions({ memory }: { memory: Memory }) {
  const { actions, dialog } = useActions([memory], 'this memory');
  const navigate = useNavigate();
  const purge = useChange('purgeMemory', PURGED);
  const client = useQueryClient();
  const { put } = useDrafts();
  const [isPurging, setPurging] = useState(false);
  return (
    <>
      <ActionMenu
        actions={[
          ...actions.filter(([icon]) => icon !== Tag),
          [Trash2, 'Delete for good', () => setPurging(true)],
        ]}
      />
      {dialog}
      {isPurging && (
        <ConfirmAct
          title="Delete this memory for good?"
          action="Delete for good"
          done={`“${memory.title}”: deleted for good.`}
          act={async () => {
            await purge.mutateAsync([memory.id]);
            await navigate({ to: '/memories', replace: true });
            put(memory.id, undefined);
            client.removeQueries({ predicate: ({ queryKey }) => queryKey.flat().includes(memory.id) });
          }}
          onClose={() => setPurging(false)}
        >
          “<Name>{memory.title}</Name>”, all its versions, its source and the captures that only it was made
          of are deleted. This cannot be undone. To only hide it from searches, archive it.
        </ConfirmAct>
      )}
    </>
  );
}

/** What can be done with the chosen memories, at the lower edge of the window. */
export function ManyMemories({
  selection,
  memories,
}: {
  selection: ReturnType<typeof useSelection>;
  memories: readonly ListedMemory[];
}) {
  // A source that feedback has put into review is decided on in the review.
  const chosen = memories.filter(({ id, subject }) => selection.ids.has(id) && subject === 'memory');
  const what = count(chosen.length, 'memory', 'memories');
  const { actions, dialog } = useActions(chosen, what, selection.clear);
  if (chosen.length === 0) return null;
  return (
    <ActionBar label="Chosen memories" what={what} actions={actions} clear={selection.clear}>
      {dialog}
    </ActionBar>
  );
}
