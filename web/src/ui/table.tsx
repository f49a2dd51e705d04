import type { Column } from './list.tsx';

export type TableColumn<One> = Omit<Column<One>, 'width' | 'sort'>;

/** A column of numbers; zeros are faint. */
export const figureColumn = <One,>(
  name: string,
  value: (one: One) => number,
  isExtra = false,
): TableColumn<One> => ({
  name,
  isNumber: true,
  isExtra,
  cell: (one) => (
    <span className={value(one) === 0 ? 'text-faint' : ''}>
      {value(one).toLocaleString('en', { maximumFractionDigits: 1 })}
    </span>
  ),
});

interface Props<One> {
  label: string;
  rows: readonly One[];
  columns: readonly TableColumn<One>[];
  keyOf: (one: One) => string;
}

/** A short table, such as one of figures. The first column names the rows. */
export function Table<One>({ label, rows, columns, keyOf }: Props<One>) {
  const look = (column: TableColumn<One>) =>
    `px-2 font-normal first:pl-0 last:pr-0 ${column.isExtra === true ? 'max-sm:hidden' : ''} ${column.isNumber === true ? 'text-right tabular-nums' : 'text-left'}`;
  return (
    <table className="w-full" aria-label={label}>
      <thead>
        <tr className="border-b border-line text-sm whitespace-nowrap text-faint">
          {columns.map((column) => (
            <th key={column.name} scope="col" className={`${look(column)} h-9`}>
              {column.hidesName === true ? <span className="sr-only">{column.name}</span> : column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((one) => (
          <tr key={keyOf(one)} className="border-b border-line hover:bg-hover">
            {columns.map((column, n) => {
              const Cell = n === 0 ? 'th' : 'td';
              return (
                <Cell
                  key={column.name}
                  scope={n === 0 ? 'row' : undefined}
                  className={`${look(column)} h-10`}
                >
                  {column.cell(one)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
