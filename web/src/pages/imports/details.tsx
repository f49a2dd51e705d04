import { Trash2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/section.tsx';
import { Name, size, Time } from '../../ui/text.tsx';
import type { ActionsOf } from './actions.tsx';
import type { Row } from './rows.ts';

/** What is known of a file, and what can be done with it. Once it is imported, its source says more. */
export const Details = ({
  row: { name, words, note, bytes, item },
  onClose,
  actions,
  clientName,
}: {
  row: Row;
  onClose: () => void;
  actions: ReturnType<ActionsOf>;
  clientName: string;
}) => (
  <Dialog open isDrawer onClose={onClose} title={<Name>{name}</Name>}>
    <Facts
      facts={[
        ['State', words],
        ['Details', <Name>{note || 'None'}</Name>],
        ['Size', size(bytes)],
        ['Stored in', <Name>{clientName}</Name>],
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
