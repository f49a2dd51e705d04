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
import type { Source, SourceBatch } from '../../../../shared/schemas/sources.ts';
import { type List, useChange } from '../../app/data.ts';
import type { Answer } from '../../app/request.ts';
import { layerOptions, useRights } from '../../app/rights.ts';
import { type Action, ActionBar, ActionMenu } from '../../ui/action-menu.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ConfirmAct } from '../../ui/form-dialog.tsx';
import { HereLink } from '../../ui/here-link.tsx';
import { ExpiryDialog, MoveDialog, TagDialog } from '../../ui/record-dialogs.tsx';
import type { useSelection } from '../../ui/selection.ts';
import { count, Name, size, Tag } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';
import type { SourceText } from './labels.ts';

/** The operations whose answers are different after a source changed. */
export const AFFECTED = [
  'listSources',
  'listTags',
  'getStatus',
  'getSource',
  'listSourceVersions',
  'searchMemory',
] as const;

/** How a refusal names a source that has the same text already. Its id says nothing to people. */
export const OTHER_SOURCE = /The active source ([\da-f-]{36})/;

/** The most sources that one request changes. */
const AT_ONCE = 100;

/** Changes sources, says how many changed and how many not, and offers to take back what was done. */
export function useSourceBatch() {
  const change = useChange('changeSources', AFFECTED);
  async function send(batches: readonly SourceBatch[], done: string, canUndo: boolean): Promise<void> {
    const results: Answer<'changeSources'>['results'] = [];
    const undo: SourceBatch[] = [];
    const reasons = new Set<string>();
    try {
      for (const batch of batches) {
        const answer = await change.mutateAsync([batch]);
        results.push(...answer.results);
        undo.unshift(...answer.undo);
      }
    } catch (error) {
      reasons.add((error as Error).message);
    }
    const problems = results.flatMap(({ problem }) => problem ?? []);
    for (const { detail, title } of problems)
      reasons.add((detail ?? title).replace(OTHER_SOURCE, 'Another source there'));
    const sent = batches.flatMap(({ ids }) => ids);
    const name = (n: number) => (new Set(sent).size === 1 ? 'Source' : count(n, 'source'));
    const changed = results.filter((result) => result.changed).length;
    const takeBack = canUndo && undo.length > 0 && (() => void send(undo, ': taken back', false));
    if (changed > 0 || reasons.size === 0) say(`${name(changed)}${done}.`, takeBack || undefined);
    const left = problems.length + sent.length - results.length;
    if (reasons.size > 0)
      sayFailure(new Error(`${name(left)} not changed. ${[...reasons].slice(0, 3).join(' ')}`));
  }
  /** @param done what is then said of the sources: "archived" */
  return (ids: readonly string[], what: SourceBatch['change'], done: string): Promise<void> => {
    const batches = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, n) => ({
      ids: ids.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
      change: what,
    }));
    return send(batches, ` ${done}`, true);
  };
}

/** What asks for a value first. */
const DIALOGS = { Tag: TagDialog, Move: MoveDialog, Expiry: ExpiryDialog };

/**
 * What changes sources, and the dialog that is open. Those that are archived already are not archived again.
 * @param what what the sources are called, such as "3 sources"
 * @param now what the dialogs start from
 */
function useActions(
  sources: readonly Pick<Source, 'id' | 'state'>[],
  what: string,
  now: { from?: string | null; at?: string | null } = {},
  onApply?: () => void,
) {
  const [asked, setAsked] = useState<keyof typeof DIALOGS | null>(null);
  const batch = useSourceBatch();
  const apply = (change: SourceBatch['change'], done: string) => {
    setAsked(null);
    onApply?.();
    const changed = sources.filter(({ state }) => state !== change.state);
    void batch(
      changed.map(({ id }) => id),
      change,
      done,
    );
  };
  const actions = {
    tag: [TagIcon, 'Tag', () => setAsked('Tag')],
    move: [FolderInput, 'Move', () => setAsked('Move')],
    expire: [CalendarX2, 'Expiry', () => setAsked('Expiry')],
    archive: [Archive, 'Archive', () => apply({ state: 'archived' }, 'archived')],
    restore: [ArchiveRestore, 'Restore', () => apply({ state: 'active' }, 'restored')],
  } satisfies Record<string, Action>;
  const Dialog = asked && DIALOGS[asked];
  const dialog = Dialog && <Dialog what={what} apply={apply} onClose={() => setAsked(null)} {...now} />;
  return { actions, dialog };
}

/** What can be done with a source, as far as the person can do it. */
export function Actions({ source }: { source: SourceText }) {
  const { id, title, kind, state, clientId, expiresAt, original } = source;
  const [isPurging, setPurging] = useState(false);
  const all = useRights();
  const { change, restore, purge } = all.rightsOn(source);
  const { actions, dialog } = useActions([source], 'this source', { from: clientId, at: expiresAt });
  const canMove = layerOptions(all).some(({ value }) => (value || null) !== clientId);
  const purging = useChange('purgeSource', ['listSources', 'listTags', 'getStatus', 'searchMemory']);
  const client = useQueryClient();
  const navigate = useNavigate();
  async function remove() {
    await purging.mutateAsync([id]);
    await navigate({ to: '/sources', replace: true });
    client.removeQueries({ predicate: ({ queryKey }) => queryKey.flat().includes(id) });
  }
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
          purge && [Trash2, 'Delete for good', () => setPurging(true)],
        ]}
      />
      {dialog}
      {isPurging && (
        <ConfirmAct
          title="Delete this source for good?"
          action="Delete for good"
          act={remove}
          done="The source is deleted for good."
          onClose={() => setPurging(false)}
        >
          <Name>{title}</Name> is deleted at once, and cannot be brought back: its text with all versions
          {original !== null && `, its file (${size(original.bytes)})`}
          {kind === 'import' && ', the imports it was made of'}, its tags, and how often it was found. The
          audit keeps its id.
        </ConfirmAct>
      )}
    </>
  );
}

/** What can be done with the chosen sources, at the lower edge of the window. */
export function ManySources({
  selection,
  list: { items, total, query },
}: {
  selection: ReturnType<typeof useSelection<Source>>;
  list: List<Source>;
}) {
  const [isChoosing, setChoosing] = useState(false);
  const { chosen, ids } = selection;
  const what = count(chosen.length, 'source');
  const { actions, dialog } = useActions(chosen, what, {}, selection.clear);
  const canMove = useRights().clients.length > 0;
  if (chosen.length === 0) return null;
  /** Also those that match the filters and are not loaded yet. */
  async function chooseAll() {
    setChoosing(true);
    let read = await query.fetchNextPage();
    while (read.hasNextPage && !read.isError) read = await read.fetchNextPage();
    const { pages } = read.data as { pages: { items: Source[] }[] };
    if (read.error !== null) sayFailure(read.error);
    else selection.choose(pages.flatMap((page) => page.items));
    setChoosing(false);
  }
  const isAll = items.every(({ id }) => ids.has(id));
  const has = (wanted: Source['state']) => chosen.some(({ state }) => state === wanted);
  const { tag, move, expire, archive, restore } = actions;
  const offered = [
    tag,
    ...(canMove ? [move] : []),
    expire,
    ...(has('active') ? [archive] : []),
    ...(has('archived') ? [restore] : []),
  ];
  return (
    <ActionBar label="Chosen sources" what={what} actions={offered} clear={selection.clear}>
      {isAll && total !== null && total > chosen.length && (
        <Button look="quiet" busy={isChoosing} onClick={() => void chooseAll()}>
          Choose all {total.toLocaleString('en')}
        </Button>
      )}
      {dialog}
    </ActionBar>
  );
}
