import { cloneElement, type ReactElement, type ReactNode, useState } from 'react';
import type { ChoiceProps, ItemProps } from './popup-parts.tsx';
import { loadPopups, popups } from './popups.ts';

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
    onClick: () => void loadPopups().then((isLoaded) => isLoaded && setAs('open menu')),
  };
  return cloneElement(trigger, button);
}

// What is in a menu is shown when it is open, so after it was loaded.
export const MenuItem = (props: ItemProps) => popups()?.MenuItem(props);

/** One of several values, of which one is chosen. */
export const MenuChoice = <T extends string>(props: ChoiceProps<T>) => popups()?.MenuChoice(props);

/** A line between items. */
export const MenuLine = () => <hr className="my-1 border-line" />;
