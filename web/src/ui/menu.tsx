import { cloneElement, type ReactElement, type ReactNode, useState } from 'react';
import type { ChoiceProps, ItemProps } from './menu-parts.tsx';
import { loadPopups, popups } from './popups.ts';
import { GONE } from './states.tsx';
import { sayFailure } from './toast.tsx';

interface Props {
  trigger: ReactElement;
  align?: 'start' | 'end';
  children: ReactNode;
}

/** A menu below the button that opens it. */
export function Menu({ trigger, ...menu }: Props) {
  // The button of a menu that was not loaded when it was first shown stays: replacing it would take its focus.
  const [as, setAs] = useState<'button' | 'menu' | 'open menu'>(popups() === null ? 'button' : 'menu');
  const parts = popups();
  if (parts !== null && as !== 'button')
    return <parts.Menu trigger={trigger} opensAtOnce={as === 'open menu'} {...menu} />;
  const button = {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () =>
      void loadPopups().then(
        () => setAs('open menu'),
        () => sayFailure(GONE),
      ),
  };
  return cloneElement(trigger, button);
}

// What is in a menu is shown when it is open, so after it was loaded.
export const MenuItem = (props: ItemProps) => {
  const parts = popups();
  return parts && <parts.MenuItem {...props} />;
};

/** One of several values, of which one is chosen. */
export const MenuChoice = <T extends string>(props: ChoiceProps<T>) => {
  const parts = popups();
  return parts && <parts.MenuChoice {...props} />;
};

export const MenuLine = () => {
  const parts = popups();
  return parts && <parts.MenuLine />;
};
