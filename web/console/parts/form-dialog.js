import { html } from '../html.js';
import { CloseButton, Dialog } from './dialog.js';

/**
 * The text that was typed into a field, without spaces around it.
 * @param {FormData} fields
 * @param {string} name
 */
export function textOf(fields, name) {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * A dialog with a form. What was typed stays until the change was made or the user closes it.
 * @param {object} props
 * @param {string} props.heading
 * @param {string} props.yes the text of the button for it
 * @param {(fields: FormData) => void} props.act sends the form
 * @param {boolean} props.busy
 * @param {string} props.problem why it was not done, or ''
 * @param {boolean} [props.danger] whether it cannot be undone
 * @param {() => void} props.close
 * @param {import('../html.js').Children} props.children the fields
 */
export function FormDialog({ heading, yes, act, busy, problem, danger = false, close, children }) {
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    if (event.target instanceof HTMLFormElement) act(new FormData(event.target));
  }
  return html`
    <${Dialog} heading=${heading} busy=${busy} close=${close}>
      <form class="fields" onSubmit=${submit} aria-busy=${busy ? 'true' : undefined}>
        ${children}
        <p role="alert">${problem}</p>
        <div class="actions">
          <${CloseButton} busy=${busy} close=${close} />
          <button type="submit" class=${danger ? 'small danger' : 'fit'}>${yes}</button>
        </div>
      </form>
    <//>
  `;
}
