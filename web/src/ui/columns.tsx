import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Action, ActionMenu } from './action-menu.tsx';
import type { Column } from './list.tsx';
import { Name, Time } from './text.tsx';

interface Opened<One> {
  open?: ((one: One) => void) | undefined;
  link?: (one: One) => Pick<LinkProps, 'to' | 'params' | 'search'>;
  after?: (one: One) => ReactNode;
}

/**
 * The column of what the records are called.
 * @param open opens one of them, if they can be opened here
 * @param link the page that one of them leads to
 * @param after what stands beside the name, such as a state
 */
export const nameColumn = <One,>(
  name: string,
  of: (one: One) => string,
  { open, link, after }: Opened<One> = {},
): Column<One> => ({
  name,
  width: 'minmax(0,1fr)',
  cell: (one) => (
    <span className="flex items-center gap-2">
      {link ? (
        <Link {...link(one)} className="truncate font-medium hover:underline">
          <Name>{of(one)}</Name>
        </Link>
      ) : open ? (
        <button type="button" className="truncate font-medium hover:underline" onClick={() => open(one)}>
          <Name>{of(one)}</Name>
        </button>
      ) : (
        <Name className="truncate font-medium">{of(one)}</Name>
      )}
      {after?.(one)}
    </span>
  ),
});

/**
 * A column of texts, which a narrow window leaves out.
 * @param about its tooltip, if that is more than the text
 */
export const textColumn = <One,>(
  name: string,
  width: string,
  of: (one: One) => string,
  about = of,
): Column<One> => ({
  name,
  width,
  isExtra: true,
  cell: (one) => (
    <bdi className="text-soft" title={about(one)}>
      {of(one)}
    </bdi>
  ),
});

/** A column of times, which a narrow window leaves out. */
export const timeColumn = <One,>(name: string, of: (one: One) => string | null): Column<One> => ({
  name,
  width: '6.5rem',
  isExtra: true,
  cell: (one) => {
    const at = of(one);
    return at !== null && <Time at={at} className="whitespace-nowrap text-soft" />;
  },
});

/** What can be done with a record, at the end of its row. */
export const actionsColumn = <One,>(cell: Column<One>['cell'], width = '2rem'): Column<One> => ({
  name: 'Actions',
  width,
  hidesName: true,
  cell,
});

/** The same as a menu. Nothing stands where nothing can be done. */
export const menuColumn = <One,>(
  nameOf: (one: One) => string,
  actionsOf: (one: One) => readonly (Action | false)[],
): Column<One> =>
  actionsColumn((one) => <ActionMenu label={`Actions for ${nameOf(one)}`} actions={actionsOf(one)} />);
