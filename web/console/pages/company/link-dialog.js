import { html } from '../../html.js';
import { Dialog } from '../../parts/dialog.js';
import { Moment } from '../../parts/words.js';
import { CommandLine } from '../command-line.js';

/**
 * Shows a link that the service shows only once. It leaves the document when the dialog is closed.
 * @param {object} props
 * @param {string} props.heading
 * @param {string} props.label what the link is, for the button that copies it
 * @param {string} props.url
 * @param {string} props.expiresAt
 * @param {() => void} props.close
 * @param {import('../../html.js').Children} props.children for whom it is
 */
export const LinkDialog = ({ heading, label, url, expiresAt, close, children }) => html`
  <${Dialog} heading=${heading} close=${close}>
    ${children}
    <${CommandLine} label=${label} line=${url} />
    <p class="quiet once">
      The link is shown only now. It works once, until <${Moment} at=${expiresAt} />. The service sends no mail: send it yourself.
    </p>
    <div class="actions">
      <button type="button" class="small" onClick=${close}>Close</button>
    </div>
  <//>
`;
