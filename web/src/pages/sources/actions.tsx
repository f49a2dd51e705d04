import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  ArchiveRestore,
  CalendarX2,
  FolderInput,
  Pencil,
  Tag as TagIcon,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { Source } from '../../../../shared/schemas/sources.ts';
import { type List, useChange } from '../../app/data.ts';
import { layerOptions, useRights } from '../../app/rights.ts';
import { useTeamId } from '../../app/session.tsx';
import { type Action, ActionBar, ActionMenu } from '../../ui/action-menu.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/form-dialog.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { ExpiryDialog, MoveDialog, TagDialog } from '../../ui/record-dialogs.tsx';
import type { useSelection } from '../../ui/selection.ts';
import { count, Name, size, Tag } from '../../ui/text.tsx';
import { sayFailure } from '../../ui/toast.tsx';
import { type Change, useSourceBatch } from './batch.ts';
import type { SourceText } from './labels.ts';

/** What changes sources, and the dialog that asks for a value first. */
function useActions(
  ids: readonly string[],
  what: string,
  now: { from?: string | null; at?: string | null } = {},
  onApply?: () => void,
) {
  const [asks, setAsks] = useState<'tag' | 'move' | 'expiry' | null>(null);
  const batch = useSourceBatch();
  const apply = (change: Change, done: string) => {
    setAsks(null);
    onApply?.();
    void batch(ids, change, done);
  };
  const asked = { what, apply, onClose: () => setAsks(null) };
  const actions = {
    tag: [TagIcon, 'Tag', () => setAsks('tag')],
    move: [FolderInput, 'Move', () => setAsks('move')],
    expire: [CalendarX2, 'Expiry', () => setAsks('expiry')],
    archive: [Archive, 'Archive', () => apply({ state: 'archived' }, 'archived')],
    restore: [ArchiveRestore, 'Restore', () => apply({ state: 'active' }, 'restored')],
  } satisfies Record<string, Action>;
  const dialog = (
    <>
      {asks === 'tag' && <TagDialog {...asked} />}
      {asks === 'move' && <MoveDialog {...asked} from={now.from} />}
      {asks === 'expiry' && <ExpiryDialog {...asked} at={now.at ?? null} />}
    </>
  );
  return { actions, dialog };
}

/** What can be done with a source, as far as the person can do it. */
export function Actions({ source }: { source: SourceText }) {
  const { id, state, clientId, expiresAt } = source;
  const [purges, setPurges] = useState(false);
  const all = useRights();
  const { change, restore, purge } = all.rightsOn(source);
  const { actions, dialog } = useActions([id], 'this source', { from: clientId, at: expiresAt });
  const canMove = layerOptions(all).some(({ value }) => (value || null) !== clientId);
  return (
    <>
      {state === 'archived' && <Tag tone="warn">Archived</Tag>}
      {change && (
        <HereLink to={{ edit: '1' }} replace={false} className={buttonClass()}>
          <Pencil aria-hidden size={16} />
          Edit
        </HereLink>
      )}
      {restore && (
        <Button icon={ArchiveRestore} onClick={actions.restore[2]}>
          Restore
        </Button>
      )}
      <ActionMenu
        actions={[
          change && canMove && actions.move,
          change && actions.expire,
          change && actions.archive,
          purge && [Trash2, 'Delete for good', () => setPurges(true)],
        ]}
      />
      {dialog}
      {purges && <Purge source={source} onClose={() => setPurges(false)} />}
    </>
  );
}

/** Asks before a source is deleted for good. */
function Purge({ source, onClose }: { source: SourceText; onClose: () => void }) {
  const purge = useChange('purgeSource', ['listSources', 'listTags', 'getStatus', 'searchMemory']);
  const client = useQueryClient();
  const team = useTeamId();
  const navigate = useNavigate();
  async function remove() {
    await purge.mutateAsync([source.id]);
    await navigate({ to: '/sources' });
    client.removeQueries({ queryKey: [team, 'getSource', source.id] });
  }
  return (
    <ConfirmAct
      title="Delete this source for good?"
      action="Delete for good"
      act={remove}
      done="The source is deleted for good."
      onClose={onClose}
    >
      <Name>{source.title}</Name> is deleted at once, and cannot be brought back: its text with all versions
      {source.original !== null && `, its file (${size(source.original.bytes)})`}
      {source.kind === 'import' && ', the imports it was made of'}, its tags, and how often it was found. The
      audit keeps its id.
    </ConfirmAct>
  );
}

/** What can be done with the chosen sources, at the lower edge of the window. */
export function ManySources({
  selection,
  list: { items, total, query },
}: {
  selection: ReturnType<typeof useSelection>;
  list: List<Source>;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const ids = [...selection.ids];
  const what = count(ids.length, 'source');
  const { actions, dialog } = useActions(ids, what, {}, selection.clear);
  const canMove = useRights().clients.length > 0;
  if (ids.length === 0) return null;
  /** Also those that match the filters and are not loaded yet. */
  async function chooseAll() {
    setChoosing(true);
    let read = await query.fetchNextPage();
    while (read.hasNextPage && !read.isError) read = await read.fetchNextPage();
    const { pages } = read.data as { pages: { items: Source[] }[] };
    if (read.error !== null) sayFailure(read.error);
    else selection.choose(pages.flatMap((page) => page.items.map(({ id }) => id)));
    setChoosing(false);
  }
  const isAll = items.every(({ id }) => selection.ids.has(id));
  const hasArchived = items.some(({ id, state }) => state === 'archived' && selection.ids.has(id));
  const { tag, move, expire, archive, restore } = actions;
  const offered = [tag, ...(canMove ? [move] : []), expire, hasArchived ? restore : archive];
  return (
    <ActionBar label="Chosen sources" what={what} actions={offered} clear={selection.clear}>
      {isAll && total !== null && total > ids.length && (
        <Button look="quiet" busy={isChoosing} onClick={() => void chooseAll()}>
          Choose all {total.toLocaleString('en')}
        </Button>
      )}
      {dialog}
    </ActionBar>
  );
}
