import { useEffect, useEffectEvent, useState } from 'react';
import type { DialogProps } from './popup-parts.tsx';
import { loadPopups, popups } from './popups.ts';

/** A dialog, as long as it is there. Escape closes it, and the focus returns to where it was. */
export function Dialog(dialog: DialogProps) {
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
