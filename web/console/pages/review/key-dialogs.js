import { html } from '../../html.js';
import { Dialog } from '../../parts/dialog.js';

/** The keys of the page, in the order in which they are listed. */
const KEYS = [
  ['j', 'Next item'],
  ['k', 'Item before'],
  ['p', 'Publish; an item with feedback is kept as it is'],
  ['e', 'Edit the text, then Ctrl+Enter publishes it'],
  ['d', 'Discard; an item with feedback is deleted'],
  ['s', 'Publish in place of a similar memory'],
  ['u', 'Undo the last decision'],
  ['x', 'Select, to decide on several at once'],
  ['?', 'These keys'],
];
/**
 * Lists the keys.
 * @param {object} props
 * @param {() => void} props.close
 */
export const Keys = ({ close }) => html`
  <${Dialog} heading="Keys" close=${close}>
    <dl class="review-keys">
      ${KEYS.map(([key, about]) => html`<dt key=${key}><kbd>${key}</kbd></dt><dd>${about}</dd>`)}
    </dl>
    <p class="quiet">They work everywhere on this page, except in a field, in a dialog and with Ctrl, Alt or Shift.</p>
    <div class="actions"><button type="button" class="small" onClick=${close}>Close</button></div>
  <//>
`;

/**
 * Asks which of several memories is replaced. The keys 1–9 choose too.
 * @param {object} props
 * @param {readonly import('../../../../shared/schemas/memories.ts').SimilarMemory[]} props.similar
 * @param {(id: string) => void} props.choose
 * @param {() => void} props.close
 */
export function Replaced({ similar, choose, close }) {
  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
    const chosen = similar[Number(event.key) - 1];
    if (chosen === undefined) return;
    event.preventDefault();
    choose(chosen.memoryId);
  }
  return html`
    <${Dialog} heading="Which memory does it replace?" close=${close}>
      <ol class="review-choice" onKeyDown=${press}>
        ${similar.map(
          ({ memoryId, title, similarity }, index) => html`
            <li key=${memoryId}>
              <button type="button" class="small" aria-keyshortcuts=${index + 1} onClick=${() => choose(memoryId)}>
                <kbd aria-hidden="true">${index + 1}</kbd>
                <span><bdi>${title}</bdi> <span class="quiet">${Math.round(similarity * 100)} % similar</span></span>
              </button>
            </li>
          `,
        )}
      </ol>
      <div class="actions"><button type="button" class="small" onClick=${close}>Cancel</button></div>
    <//>
  `;
}
