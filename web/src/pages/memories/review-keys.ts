import { useEffect, useEffectEvent } from 'react';

/** What the keys of the review do now; one that does nothing is undefined. */
export type Acts = Readonly<Record<'j' | 'k' | 'p' | 'e' | 'd' | 's' | 'u' | 'x', (() => void) | undefined>>;

const FIELDS =
  'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="alertdialog"], [role="menu"]';

/** The key of the page that was pressed; null in a field, in a dialog and with a modifier. */
function keyOf(event: KeyboardEvent): string | null {
  const { target, isComposing, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (isComposing || altKey || ctrlKey || metaKey || shiftKey || event.getModifierState('AltGraph'))
    return null;
  if (target instanceof Element && target.closest(FIELDS) !== null) return null;
  // The caps lock is no modifier.
  const letter = event.key.toLowerCase();
  // Holding one of the other keys down must not decide on the whole list.
  return event.repeat && letter !== 'j' && letter !== 'k' ? null : letter;
}

/** Does what the keys of the page are for. They come before those of the shell, and not after its `g`. */
export function useReviewKeys(acts: Acts): void {
  const actOf = useEffectEvent((key: string | null) => acts[key as keyof Acts] as (() => void) | undefined);
  useEffect(() => {
    let isAfterG = false;
    function press(event: KeyboardEvent) {
      const key = keyOf(event);
      const act = isAfterG ? undefined : actOf(key);
      isAfterG = key === 'g' && !isAfterG;
      if (act === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      act();
    }
    addEventListener('keydown', press, true);
    return () => removeEventListener('keydown', press, true);
  }, []);
}
