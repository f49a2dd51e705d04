/* What a person types after the key that opens the palette, before it is loaded and its field has the focus. */

let typed = '';
let isEntered = false;
let cancel = () => {};

function keep(event: KeyboardEvent) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') {
    takeTyped();
    cancel();
  } else if (event.key.length === 1) typed += event.key;
  else if (event.key === 'Backspace') typed = typed.slice(0, -1);
  else if (event.key === 'Enter') isEntered = true;
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Keeps what is typed from now on. Escape ends that, and calls `onEscape`. */
export function keepTyping(onEscape: () => void): void {
  cancel = onEscape;
  typed = '';
  isEntered = false;
  addEventListener('keydown', keep, true);
}

/** Ends the keeping. Returns the text, and whether Enter was pressed after it. */
export function takeTyped(): { text: string; isEntered: boolean } {
  removeEventListener('keydown', keep, true);
  const taken = { text: typed, isEntered };
  [typed, isEntered] = ['', false];
  return taken;
}
