import { useEffect, useEffectEvent, useState } from 'react';
import { Button } from './button.tsx';
import type { DialogProps } from './popup-parts.tsx';
import { loadPopups, popups } from './popups.ts';
import { tell } from './toast.tsx';

interface Props extends DialogProps {
  open: boolean;
}

/** A dialog. Escape closes it, and the focus returns to where it was. */
export const Dialog = ({ open, ...dialog }: Props) => open && <OpenDialog {...dialog} />;

function OpenDialog(dialog: DialogProps) {
  // A field with `autoFocus` has the focus before the popup can see what had it.
  const [opener] = useState(document.activeElement);
  const [, setLoaded] = useState(false);
  const close = useEffectEvent(dialog.onClose);
  useEffect(() => {
    // Also if it was loaded since the rendering: that must be seen.
    void loadPopups().then((isLoaded) => (isLoaded ? setLoaded(true) : close()));
  }, []);
  const parts = popups();
  return parts && <parts.DialogBox {...dialog} opener={opener} />;
}

type ConfirmProps = Omit<Props, 'isDrawer'> & { action: string; busy?: boolean; onConfirm: () => void };

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
