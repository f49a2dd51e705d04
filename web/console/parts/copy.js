import { leavesPart, useLeaveQuestion } from '../address.js';
import { html, useRef, useState } from '../html.js';
import { Dialog } from './dialog.js';
import { Moment } from './words.js';

/**
 * Copies a text.
 * @param {string} text
 * @returns {Promise<boolean>} false if the browser does not allow it
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Copies a text, and says whether it is copied.
 * @param {string} otherwise what the user does if the browser does not allow it
 * @returns {{ outcome: string, copy: (text: string) => Promise<boolean> }}
 */
export function useCopy(otherwise) {
  const [outcome, setOutcome] = useState('');
  return {
    outcome,
    copy: async (text) => {
      const isCopied = await copyText(text);
      setOutcome(isCopied ? 'Copied' : otherwise);
      return isCopied;
    },
  };
}

/**
 * A line, such as one for a terminal, with a button that copies it. If the browser does not allow that, the line is
 * selected.
 * @param {object} props
 * @param {string} props.label what the line does, for the name of the button
 * @param {string} props.line
 * @param {() => void} [props.copied] is called when it is copied, also with the keyboard
 */
export function CommandLine({ label, line, copied = () => {} }) {
  const { outcome, copy } = useCopy('The line is selected: copy it with the keyboard.');
  const text = useRef(/** @type {HTMLElement | null} */ (null));
  async function press() {
    if (await copy(line)) copied();
    else if (text.current !== null) getSelection()?.selectAllChildren(text.current);
  }
  return html`
    <div class="command" onCopy=${() => copied()}>
      <code ref=${text}>${line}</code>
      <button type="button" class="small" onClick=${press}>Copy<span class="unseen">${` the line: ${label}`}</span></button>
      <span class="quiet" role="status">${outcome}</span>
    </div>
  `;
}

/**
 * A link that the service shows only once, and how to send it. The page asks before it is left without the link.
 * @param {object} props
 * @param {string} props.label what the link is, for the name of the button
 * @param {string} props.url
 * @param {string} props.expiresAt
 * @param {boolean} [props.isSent] whether the user has it already, for example in a mail
 */
export function LinkShownOnce({ label, url, expiresAt, isSent = false }) {
  const [copied, setCopied] = useState('');
  useLeaveQuestion(
    isSent || copied === url
      ? ''
      : 'The link is shown only now, and you have not copied it. Leave all the same?',
    leavesPart,
  );
  return html`
    <${CommandLine} label=${label} line=${url} copied=${() => setCopied(url)} />
    <p class="quiet once">
      The link is shown only now. It works once, until <${Moment} at=${expiresAt} />. The service sends no mail: send it yourself.
    </p>
  `;
}

/**
 * The same in a dialog. The link leaves the document when the dialog is closed.
 * @param {object} props
 * @param {string} props.heading
 * @param {string} props.label
 * @param {string} props.url
 * @param {string} props.expiresAt
 * @param {() => void} props.close
 * @param {import('../html.js').Children} props.children for whom it is
 */
export const LinkDialog = ({ heading, label, url, expiresAt, close, children }) => html`
  <${Dialog} heading=${heading} close=${close}>
    ${children}
    <${LinkShownOnce} label=${label} url=${url} expiresAt=${expiresAt} />
    <div class="actions">
      <button type="button" class="small" onClick=${close}>Close</button>
    </div>
  <//>
`;
