import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import { Menu as BaseMenu } from '@base-ui/react/menu';
import { type LucideIcon, X } from 'lucide-react';
import { type ComponentProps, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from './button.tsx';

/* What menus and dialogs are made of, which is loaded when one is wanted. */

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
    <BaseMenu.Root modal={false} open={isOpen} onOpenChange={setOpen}>
      <BaseMenu.Trigger ref={button} render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align={align} className="z-50">
          <BaseMenu.Popup className="max-h-[80vh] min-w-44 overflow-y-auto rounded-lg border border-line bg-panel p-1 shadow-pop outline-none">
            {children}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export interface ItemProps {
  icon?: LucideIcon;
  isDangerous?: boolean;
  onClick: () => void;
  children: ReactNode;
}

export const MenuItem = ({ icon: Icon, onClick, isDangerous = false, children }: ItemProps) => (
  <BaseMenu.Item className={`${ITEM} ${isDangerous ? 'text-bad' : ''}`} onClick={onClick}>
    {Icon && <Icon aria-hidden size={16} />}
    {children}
  </BaseMenu.Item>
);

export interface ChoiceProps<T> {
  label: string;
  value: T;
  options: readonly { value: T; name: ReactNode }[];
  onChange: (value: T) => void;
}

export const MenuChoice = <T extends string>({ label, value, options, onChange }: ChoiceProps<T>) => (
  <BaseMenu.RadioGroup value={value} onValueChange={onChange}>
    <BaseMenu.GroupLabel className="px-2 py-1 text-xs text-faint">{label}</BaseMenu.GroupLabel>
    {options.map((option) => (
      <BaseMenu.RadioItem key={option.value} value={option.value} className={ITEM} closeOnClick>
        <span className="w-4">
          <BaseMenu.RadioItemIndicator>✓</BaseMenu.RadioItemIndicator>
        </span>
        {option.name}
      </BaseMenu.RadioItem>
    ))}
  </BaseMenu.RadioGroup>
);

export interface DialogProps {
  onClose: () => void;
  title: ReactNode;
  /** A panel at the right side, as high as the window, instead of a box in the middle. */
  isDrawer?: boolean;
  children: ReactNode;
}

/** What every dialog is shown in. Escape, and a press beside it, close it. */
export const DialogFrame = ({
  onClose,
  className,
  ...popup
}: ComponentProps<typeof BaseDialog.Popup> & { onClose: () => void; className: string }) => (
  <BaseDialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <BaseDialog.Portal>
      <BaseDialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
      <BaseDialog.Popup
        className={`fixed z-50 border border-line bg-panel shadow-pop ${className}`}
        {...popup}
      />
    </BaseDialog.Portal>
  </BaseDialog.Root>
);

const PLACES = {
  box: 'top-[10vh] left-1/2 max-h-[80vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 rounded-xl',
  drawer: 'inset-y-0 right-0 w-[min(30rem,100vw)] border-y-0 border-r-0',
};

/** What is shown of a dialog. `opener` is what had the focus. */
export function DialogBox({
  onClose,
  title,
  isDrawer = false,
  opener,
  children,
}: DialogProps & { opener: Element | null }) {
  const finalFocus = () => (opener instanceof HTMLElement && opener.isConnected ? opener : true);
  return (
    <DialogFrame
      onClose={onClose}
      finalFocus={finalFocus}
      className={`flex flex-col overflow-y-auto ${PLACES[isDrawer ? 'drawer' : 'box']}`}
    >
      <div className="sticky top-0 flex items-center gap-2 bg-panel px-5 pt-4 pb-2">
        <BaseDialog.Title className="grow text-lg font-semibold">{title}</BaseDialog.Title>
        <BaseDialog.Close render={<IconButton icon={X} label="Close" />} />
      </div>
      <div className="px-5 pb-5">{children}</div>
    </DialogFrame>
  );
}
