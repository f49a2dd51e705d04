import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { canOpen, PAGES } from '../pages.tsx';
import { useSessionContext } from '../session.tsx';

/** How long g waits for a letter. */
const LETTER_MS = 1500;

/** Whether a key is for what has the focus: a field, or a dialog. */
const isTaken = ({ target }: KeyboardEvent) =>
  target instanceof Element &&
  target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]') !== null;

/** The keys that work on every page: Ctrl+K and / open the palette, ? the list of keys, g and a letter a page. */
export function useKeys(openPalette: () => void, openHelp: () => void): void {
  const navigate = useNavigate();
  const { session, team } = useSessionContext();
  /** When g was pressed. */
  const pressedG = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    function press(event: KeyboardEvent) {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return openPalette();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
      const waits = performance.now() - pressedG.current < LETTER_MS;
      const page = waits ? PAGES.find(({ key }) => key === event.key.toLowerCase()) : undefined;
      pressedG.current = event.key === 'g' && !waits ? performance.now() : Number.NEGATIVE_INFINITY;
      if (page !== undefined && canOpen(page, session, team)) void navigate({ to: page.path } as never);
      else if (event.key === '/') {
        event.preventDefault();
        openPalette();
      } else if (event.key === '?') openHelp();
    }
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [navigate, openPalette, openHelp, session, team]);
}
