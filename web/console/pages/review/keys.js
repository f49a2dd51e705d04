import { html } from '../../html.js';

/** Holding one of the other keys down must not decide on the whole list. */
const REPEATED = ['j', 'k'];
/** Fields that text is typed into. */
const FIELDS =
  'input:not([type="checkbox"]), textarea, select, [contenteditable]:not([contenteditable="false"])';

/**
 * The key of the page that was pressed.
 * @param {KeyboardEvent} event
 * @returns {string | null} null in a field, in a dialog and with a modifier
 */
export function keyOf(event) {
  const { key, target } = event;
  if (event.defaultPrevented || event.isComposing) return null;
  if (event.altKey || event.ctrlKey || event.metaKey || event.getModifierState('AltGraph')) return null;
  // The question mark needs Shift on most keyboards. The caps lock is no modifier.
  if (event.shiftKey && key !== '?') return null;
  if (target instanceof Element && target.closest(FIELDS) !== null) return null;
  if (document.querySelector('dialog[open]') !== null) return null;
  const letter = key.toLowerCase();
  return event.repeat && !REPEATED.includes(letter) ? null : letter;
}

/**
 * A button that shows its key.
 * @param {object} props
 * @param {string} props.keys
 * @param {(() => void) | undefined} props.act
 * @param {string} [props.look]
 * @param {import('../../html.js').Children} props.children
 */
export const KeyButton = ({ keys, act, look = 'small', children }) => html`
  <button type="button" class=${look} aria-keyshortcuts=${keys} onClick=${act}>
    ${children} <kbd aria-hidden="true">${keys}</kbd>
  </button>
`;
