import { GONE } from './states.tsx';
import { sayFailure } from './toast.tsx';

/*
 * What menus and dialogs are made of. Most pages are read without it, so it comes when the pointer or the focus reaches a button
 * or a box: before one is pressed.
 */

const read = () => import('./popup-parts.tsx');

let loaded: Awaited<ReturnType<typeof read>> | null = null;

/** What was loaded; null before. */
export const popups = () => loaded;

async function load(): Promise<void> {
  loaded ??= await read();
}

/** Loads it, once. False: it cannot be loaded, which is said. */
export async function loadPopups(): Promise<boolean> {
  await load().catch(() => sayFailure(GONE));
  return loaded !== null;
}

for (const kind of ['pointerover', 'focusin'])
  addEventListener(kind, ({ target }) => {
    if (loaded === null && target instanceof Element && target.closest('button, [type="checkbox"]') !== null)
      void load().catch(() => undefined);
  });
