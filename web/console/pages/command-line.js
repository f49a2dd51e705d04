import { html, useState } from '../html.js';

/**
 * A line for a terminal, with a button that copies it.
 * @param {object} props
 * @param {string} props.label what the line does, for the name of the button
 * @param {string} props.line
 */
export function CommandLine({ label, line }) {
  const [outcome, setOutcome] = useState('');
  async function copy() {
    try {
      await navigator.clipboard.writeText(line);
      setOutcome('Copied');
    } catch {
      setOutcome('Select the line and copy it');
    }
  }
  return html`
    <div class="command">
      <code>${line}</code>
      <button type="button" class="small" onClick=${copy}>Copy<span class="unseen">${` the line: ${label}`}</span></button>
      <span class="quiet" role="status">${outcome}</span>
    </div>
  `;
}
