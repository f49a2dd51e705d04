import { html, useLayoutEffect, useRef, useState } from '../html.js';

/** How long nothing was typed before what is typed is shown. Some browsers allow 100 changes of the address in 30 s. */
const PAUSE_MS = 300;

/**
 * A field that filters what is shown, and lives in the address. The address changes after a pause in typing, with Enter,
 * and when the field is left.
 * @param {object} props
 * @param {string} props.id
 * @param {string} props.label
 * @param {string} props.value what the address says
 * @param {(value: string) => void} props.show changes the address
 */
export function SearchField({ id, label, value, show }) {
  const [typed, setTyped] = useState(value);
  const timer = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const given = useRef({ value, show });
  given.current = { value, show };

  useLayoutEffect(() => {
    clearTimeout(timer.current);
    setTyped(value);
  }, [value]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);

  /** @param {string} text */
  function settle(text) {
    clearTimeout(timer.current);
    if (text !== given.current.value) given.current.show(text);
  }

  /** @typedef {Event & { currentTarget: HTMLInputElement }} Typed */
  return html`
    <label for=${id}>${label}</label>
    <input
      id=${id}
      type="search"
      autocomplete="off"
      value=${typed}
      onInput=${(/** @type {Typed} */ { currentTarget: { value: text } }) => {
        setTyped(text);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => settle(text), PAUSE_MS);
      }}
      onChange=${(/** @type {Typed} */ { currentTarget }) => settle(currentTarget.value)}
    />
  `;
}
