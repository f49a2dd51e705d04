import { Ban, RotateCw, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { Import } from '../../../../shared/schemas/imports.ts';
import { useChange } from '../../app/data.ts';
import { useRights } from '../../app/rights.ts';
import type { Action } from '../../ui/action-menu.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ConfirmAct } from '../../ui/form-dialog.tsx';
import { Facts } from '../../ui/section.tsx';
import { count, Name, size, Time } from '../../ui/text.tsx';
import { say, sayFailure } from '../../ui/toast.tsx';
import type { Row } from './rows.tsx';
import { useSender } from './sender.ts';

const CHANGED = ['listImports', 'getStatus'] as const;

/** What the person can do with imports, and with the files of this tab. */
export function useActions() {
  const [sender] = useSender();
  const { session, isFull, canWrite } = useRights();
  const retrying = useChange('retryImports', CHANGED);
  const { mutateAsync: remove } = useChange('removeImport', CHANGED);
  const [asked, setAsked] = useState<Import | null>(null);

  const retry = (which: { ids: string[] } | { all: true }) =>
    retrying.mutate([which], {
      onSuccess({ imports }) {
        sender.learn(imports);
        say(
          imports.length === 0
            ? 'None of them can be retried by you.'
            : `${count(imports.length, 'file')} read again.`,
        );
      },
      onError: sayFailure,
    });
  function actionsOf({ file, item }: Row): Action[] {
    const actions: Action[] = [];
    if (file?.state === 'unsent') actions.push([RotateCw, 'Send again', () => sender.resume([file])]);
    if (file !== undefined && file.state !== 'sending')
      actions.push([X, 'Remove', () => sender.remove(({ id }) => id === file.id)]);
    if (item !== undefined && canWrite(item.clientId) && (isFull || item.createdBy === session.user.id)) {
      const { id, state, payloadPrunedAt } = item;
      const ask = () => setAsked(item);
      if (state === 'failed' && payloadPrunedAt === null)
        actions.push([RotateCw, 'Retry', () => retry({ ids: [id] })]);
      if (state === 'queued') actions.push([Ban, 'Cancel', ask]);
      if (state === 'failed' || state === 'cancelled') actions.push([Trash2, 'Delete', ask]);
    }
    return actions;
  }
  const [title, action, done, about] =
    asked?.state === 'queued'
      ? ['Cancel this import?', 'Do not import it', 'cancelled', 'is not read.']
      : ['Delete this import?', 'Delete', 'deleted', 'leaves the list, and its file is deleted.'];
  return {
    actionsOf,
    isRetrying: retrying.isPending,
    retryAll: () => retry({ all: true }),
    dialog: asked !== null && (
      <ConfirmAct
        title={title}
        action={action}
        done={`${asked.filename} is ${done}.`}
        act={() => remove([asked.id]).then(() => sender.forget(asked.id))}
        onClose={() => setAsked(null)}
      >
        <Name className="font-medium text-ink">{asked.filename}</Name> {about} To import it later, add it
        again.
      </ConfirmAct>
    ),
  };
}

type DetailsProps = { row: Row; actions: readonly Action[]; onClose: () => void };

/** What is known of a file, and what can be done with it. Once it is imported, its source says more. */
export function Details({ row, actions, onClose }: DetailsProps) {
  const { name, words, note, bytes, clientId, item } = row;
  const { nameOf } = useRights();
  return (
    <Dialog isDrawer onClose={onClose} title={<Name>{name}</Name>}>
      <Facts
        facts={[
          ['State', words],
          ['Details', <Name>{note || 'None'}</Name>],
          ['Size', size(bytes)],
          ['Stored in', <Name>{nameOf(clientId)}</Name>],
          ['Added', item ? <Time at={item.createdAt} /> : 'Not yet'],
          ['Added by', <Name>{item?.createdWith?.name ?? 'A person'}</Name>],
          ['Expires', item?.expiresAt ? <Time at={item.expiresAt} /> : 'Never'],
        ]}
      />
      <div className="mt-5 flex gap-2">
        {actions.map(([icon, action, run]) => (
          <Button
            key={action}
            look={icon === Trash2 ? 'danger' : 'plain'}
            onClick={() => {
              onClose();
              run();
            }}
          >
            {action}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
