import { Ellipsis, type LucideIcon, Trash2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import { Menu, MenuItem } from './menu.tsx';

/** What a click on it does. With the icon `Trash2` it removes something. */
export type Action = readonly [icon: LucideIcon, name: string, act: () => void];

/** A menu of actions, without those that are not offered; none, if no action is. */
export function ActionMenu({
  label = 'More actions',
  actions,
}: {
  label?: string;
  actions: readonly (Action | false)[];
}) {
  const offered = actions.filter((action) => action !== false);
  return (
    offered.length > 0 && (
      <Menu trigger={<IconButton icon={Ellipsis} label={label} />}>
        {offered.map(([icon, name, act]) => (
          <MenuItem key={name} icon={icon} isDangerous={icon === Trash2} onClick={act}>
            {name}
          </MenuItem>
        ))}
      </Menu>
    )
  );
}

interface BarProps {
  label: string;
  /** What is chosen, such as "3 sources". */
  what: string;
  actions: readonly Action[];
  clear: () => void;
  /** What else can be chosen, and the dialogs of the actions. */
  children: ReactNode;
}

/** What can be done with the records that are chosen in a list, at the lower edge of the window. */
export const ActionBar = ({ label, what, actions, clear, children }: BarProps) => (
  <div
    role="toolbar"
    aria-label={label}
    className="sticky bottom-4 z-20 mx-auto mt-4 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-xl border border-line bg-panel p-1.5 shadow-pop"
  >
    <span className="px-2 font-medium tabular-nums">{what} chosen</span>
    {children}
    {actions.map(([icon, name, act]) => (
      <Button key={name} look="quiet" icon={icon} onClick={act} title={name}>
        <span className="max-sm:sr-only">{name}</span>
      </Button>
    ))}
    <IconButton icon={X} label="Choose none" onClick={clear} />
  </div>
);
