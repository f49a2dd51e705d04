import { html, useLayoutEffect, useRef } from '../html.js';

/**
 * A dialog over the page. It has the focus until it is closed, and gives it back.
 * @param {object} props
 * @param {string} props.heading
 * @param {() => void} props.close is called when the user closes it, also with Escape
 * @param {import('../html.js').Children} props.children
 */
export function Dialog({ heading, close, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => {
      current?.close();
      // What had the focus before the dialog can be gone.
      const { activeElement } = document;
      if (activeElement === null || activeElement === document.body || current?.contains(activeElement))
        document.getElementById('page-heading')?.focus();
    };
  }, []);
  /** @param {Event} event */
  function cancel(event) {
    event.preventDefault();
    close();
  }
  return html`
    <dialog ref=${dialog} aria-labelledby="dialog-heading" onCancel=${cancel}>
      <h2 id="dialog-heading">${heading}</h2>
      ${children}
    </dialog>
  `;
}

/**
 * Asks before something that cannot be undone.
 * @param {object} props
 * @param {string} props.heading
 * @param {string} props.yes the text of the button that does it
 * @param {() => void} props.act does it
 * @param {string} props.problem why it was not done, or ''
 * @param {boolean} props.busy
 * @param {() => void} props.close
 * @param {import('../html.js').Children} props.children what it means
 */
export function Question({ heading, yes, act, problem, busy, close, children }) {
  return html`
    <${Dialog} heading=${heading} close=${close}>
      ${children}
      <p role="alert">${problem}</p>
      <div class="actions">
        <button type="button" class="small" onClick=${close}>Cancel</button>
        <button type="button" class="small danger" aria-busy=${busy ? 'true' : undefined} onClick=${act}>${yes}</button>
      </div>
    <//>
  `;
}
