import { Link } from '@tanstack/react-router';
import { Info } from 'lucide-react';
import { ActionMenu } from '../../ui/action-menu.tsx';
import { actionsColumn, textColumn, timeColumn } from '../../ui/columns.tsx';
import type { Column } from '../../ui/list.tsx';
import { Name, Tag } from '../../ui/text.tsx';
import type { ActionsOf } from './actions.tsx';
import type { Row } from './rows.ts';

export const STATE_COLUMN: Column<Row> = {
  name: 'State',
  width: '6.5rem',
  cell: ({ words, tone }) => <Tag tone={tone}>{words}</Tag>,
};

export const NOTE_COLUMN = textColumn<Row>('Details', 'minmax(0,1.5fr)', ({ note }) => note);

/** The columns of the list of imports. `open` shows all that is known of a row. */
export const columnsFor = (
  actionsOf: ActionsOf,
  open: (id: string) => void,
  clientName: (id: string | null) => string,
): readonly Column<Row>[] => [
  {
    name: 'File',
    width: 'minmax(6rem,1fr)',
    cell: ({ id, name, item }) =>
      item?.state === 'completed' && item.sourceId !== null ? (
        <Link to="/sources/$id" params={{ id: item.sourceId }} className="font-medium hover:underline">
          <Name>{name}</Name>
        </Link>
      ) : (
        <button
          type="button"
          className="max-w-full truncate font-medium hover:underline"
          onClick={() => open(id)}
        >
          <Name>{name}</Name>
        </button>
      ),
  },
  STATE_COLUMN,
  NOTE_COLUMN,
  textColumn('Stored in', '6rem', ({ clientId }) => clientName(clientId)),
  timeColumn('Added', ({ item }) => item?.createdAt ?? null),
  actionsColumn((row) => (
    <ActionMenu
      label={`Actions: ${row.name}`}
      actions={[[Info, 'Details', () => open(row.id)], ...actionsOf(row)]}
    />
  )),
];
