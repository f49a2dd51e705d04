import { useEffect, useRef, useState } from 'react';
import { GONE } from './states.tsx';
import { sayFailure } from './toast.tsx';

/*
 * What menus and dialogs are made of. Most pages are read without it, so it comes when the pointer or the focus reaches a button
 * or a box: before one is pressed.
 */

const read = async () => {
  const [menu, { DialogBox }] = await Promise.all([import('./menu-parts.tsx'), import('./dialog-box.tsx')]);
  return { ...menu, DialogBox };
};

let loaded: Awaited<ReturnType<typeof read>> | null = null;

/** What was loaded; null before. */
export const popups = () => loaded;

/** Loads it, once. */
export async function loadPopups(): Promise<void> {
  loaded ??= await read();
}

for (const kind of ['pointerover', 'focusin'])
  addEventListener(kind, ({ target }) => {
    if (loaded === null && target instanceof Element && target.closest('button, [type="checkbox"]') !== null)
      void loadPopups().catch(() => undefined);
  });

/** What was loaded, once it is wanted; null until then, or if it cannot be loaded, which is said. */
export function usePopups(isWanted: boolean, onFailure: () => void) {
  const [, setReady] = useState(false);
  const fail = useRef(onFailure);
  fail.current = onFailure;
  useEffect(() => {
    // Also if it has come since the rendering: that must be seen.
    if (isWanted)
      void loadPopups().then(
        () => setReady(true),
        () => {
          sayFailure(GONE);
          fail.current();
        },
      );
  }, [isWanted]);
  return isWanted ? loaded : null;
}
