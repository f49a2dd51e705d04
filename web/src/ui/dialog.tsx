import { useEffect, useEffectEvent, useState } from 'react';
import type { DialogProps } from './popup-parts.tsx';
import { loadPopups, popups } from './popups.ts';

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
