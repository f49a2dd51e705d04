import { Menu as Base } from '@base-ui/react/menu';
import type { LucideIcon } from 'lucide-react';
import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';

const ITEM =
  'flex h-8 items-center gap-2 rounded px-2 whitespace-nowrap outline-none select-none data-highlighted:bg-hover data-disabled:opacity-50';

interface Props {
  trigger: ReactElement;
  opensAtOnce: boolean;
  align?: 'start' | 'end';
  children: ReactNode;
}

/** A menu. One that opens at once takes the place of the button that loaded it, and so the focus. */
export function Menu({ trigger, opensAtOnce, children, align = 'end' }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!opensAtOnce) return;
    button.current?.focus();
    setOpen(true);
  }, [opensAtOnce]);
  return (
    <Base.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <Base.Trigger ref={button} render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup className="max-h-[80vh] min-w-44 overflow-y-auto rounded-lg border border-line bg-panel p-1 shadow-pop outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

export interface ItemProps {
  icon?: LucideIcon;
  isDangerous?: boolean;
  onClick: () => void;
  children: ReactNode;
}

export const MenuItem = ({ icon: Icon, onClick, isDangerous = false, children }: ItemProps) => (
  <Base.Item className={`${ITEM} ${isDangerous ? 'text-bad' : ''}`} onClick={onClick}>
    {Icon && <Icon aria-hidden size={16} />}
    {children}
  </Base.Item>
);

export interface ChoiceProps<T> {
  label: string;
  value: T;
  options: readonly { value: T; name: ReactNode }[];
  onChange: (value: T) => void;
}

export const MenuChoice = <T extends string>({ label, value, options, onChange }: ChoiceProps<T>) => (
  <Base.RadioGroup value={value} onValueChange={onChange}>
    <Base.GroupLabel className="px-2 py-1 text-xs text-faint">{label}</Base.GroupLabel>
    {options.map((option) => (
      <Base.RadioItem key={option.value} value={option.value} className={ITEM} closeOnClick>
        <span className="w-4">
          <Base.RadioItemIndicator>✓</Base.RadioItemIndicator>
        </span>
        {option.name}
      </Base.RadioItem>
    ))}
  </Base.RadioGroup>
);

export const MenuLine = () => <Base.Separator className="my-1 h-px bg-line" />;
