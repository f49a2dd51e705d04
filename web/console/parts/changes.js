import { html } from '../html.js';

/**
 * @typedef {{ op: 'equal' | 'insert' | 'delete', text: string }} Change
 */

/** For screen readers, which do not announce what is inserted and deleted. */
const SPOKEN = { insert: 'inserted: ', delete: 'deleted: ' };

/**
 * A text with what was changed in it.
 * @param {object} props
 * @param {readonly Change[]} props.changes
 */
export const Changes = ({ changes }) => html`
  <p class="text changes" dir="auto">
    ${changes.map(({ op, text }) =>
      op === 'equal'
        ? text
        : html`<${op === 'insert' ? 'ins' : 'del'}><span class="unseen">${SPOKEN[op]}</span>${text}<//>`,
    )}
  </p>
`;
