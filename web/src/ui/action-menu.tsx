import { Ellipsis, type LucideIcon, Trash2 } from 'lucide-react';
import { IconButton } from './button.tsx';
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
