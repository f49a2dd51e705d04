import { html, useLayoutEffect, useRef, useState } from '../html.js';

/**
 * A dialog over the page. It has the focus until it is closed, and gives it back.
 * @param {object} props
 * @param {string} props.heading
 * @param {() => void} props.close is called when the user closes it, also with Escape
 * @param {boolean} [props.busy] whether it sends something. It then stays open, so that the answer is shown: it can have
 *   a link or a secret that the service shows only once
 * @param {import('../html.js').Children} props.children
 */
export function Dialog({ heading, close, busy = false, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement | null} */ (null));
  const [waits, setWaits] = useState(false);
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
  useLayoutEffect(() => setWaits(false), [busy]);
  /** @param {Event} event */
  function cancel(event) {
    event.preventDefault();
    if (busy) setWaits(true);
    else close();
  }
  /** Browsers close a dialog at a second Escape, even if the first one was refused. */
  function closed() {
    if (dialog.current?.isConnected !== true || dialog.current.open) return;
    if (busy) dialog.current.showModal();
    else close();
  }
  return html`
    <dialog ref=${dialog} aria-labelledby="dialog-heading" onCancel=${cancel} onClose=${closed}>
      <h2 id="dialog-heading">${heading}</h2>
      ${children}
      <p class="quiet dialog-wait" role="status">${waits && 'Wait for the answer: it is on its way.'}</p>
    </dialog>
  `;
}

/**
 * The button that closes a dialog without doing anything.
 * @param {object} props
 * @param {boolean} [props.busy] whether the dialog sends something, and stays open
 * @param {() => void} props.close
 * @param {string} [props.text]
 */
export const CloseButton = ({ busy = false, close, text = 'Cancel' }) => html`
  <button type="button" class="small" aria-disabled=${busy ? 'true' : undefined} onClick=${() => !busy && close()}>${text}</button>
`;

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
    <${Dialog} heading=${heading} busy=${busy} close=${close}>
      ${children}
      <p role="alert">${problem}</p>
      <div class="actions">
        <${CloseButton} busy=${busy} close=${close} />
        <button type="button" class="small danger" aria-busy=${busy ? 'true' : undefined} onClick=${act}>${yes}</button>
      </div>
    <//>
  `;
}
