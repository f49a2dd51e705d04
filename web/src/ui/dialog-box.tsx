import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ComponentProps, ReactNode, RefObject } from 'react';
import { IconButton } from './button.tsx';

export interface DialogProps {
  open: boolean;
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
}: ComponentProps<typeof Base.Popup> & { onClose: () => void; className: string }) => (
  <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
      <Base.Popup className={`fixed z-50 border border-line bg-panel shadow-pop ${className}`} {...popup} />
    </Base.Portal>
  </Base.Root>
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
}: Omit<DialogProps, 'open'> & { opener: RefObject<Element | null> }) {
  const finalFocus = () =>
    opener.current instanceof HTMLElement && opener.current.isConnected ? opener.current : true;
  return (
    <DialogFrame
      onClose={onClose}
      finalFocus={finalFocus}
      className={`flex flex-col overflow-y-auto ${PLACES[isDrawer ? 'drawer' : 'box']}`}
    >
      <div className="sticky top-0 flex items-center gap-2 bg-panel px-5 pt-4 pb-2">
        <Base.Title className="grow text-lg font-semibold">{title}</Base.Title>
        <Base.Close render={<IconButton icon={X} label="Close" />} />
      </div>
      <div className="px-5 pb-5">{children}</div>
    </DialogFrame>
  );
}
