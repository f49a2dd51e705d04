import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import type { DialogProps } from './dialog-box.tsx';
import { usePopups } from './popups.ts';
import { tell } from './toast.tsx';

/** A dialog. Escape closes it, and the focus returns to where it was. */
export function Dialog({ open, ...box }: DialogProps) {
  const wasOpen = useRef(false);
  const opener = useRef<Element | null>(null);
  // A field with `autoFocus` has the focus before the popup can see what had it.
  if (open && !wasOpen.current) opener.current = document.activeElement;
  wasOpen.current = open;
  const parts = usePopups(open, box.onClose);
  return parts && <parts.DialogBox {...box} opener={opener} />;
}

type ConfirmProps = Omit<DialogProps, 'isDrawer'> & { action: string; busy?: boolean; onConfirm: () => void };

/** Asks once before what cannot be taken back. The text names what is removed. */
export const Confirm = ({ action, busy = false, onConfirm, children, ...dialog }: ConfirmProps) => (
  <Dialog {...dialog}>
    <div className="mb-4 text-soft">{children}</div>
    <div className="flex justify-end gap-2">
      <Button onClick={dialog.onClose}>Cancel</Button>
      <Button look="danger" busy={busy} onClick={onConfirm}>
        {action}
      </Button>
    </div>
  </Dialog>
);

interface ActProps extends Omit<ConfirmProps, 'open' | 'busy' | 'onConfirm'> {
  act: () => Promise<unknown>;
  /** What is said when it is done. */
  done: string;
}

/** Asks once, then does it and says so. */
export function ConfirmAct({ act, done, ...dialog }: ActProps) {
  const [busy, setBusy] = useState(false);
  async function confirm() {
    setBusy(true);
    await tell(act(), done);
    dialog.onClose();
  }
  return <Confirm {...dialog} open busy={busy} onConfirm={() => void confirm()} />;
}
