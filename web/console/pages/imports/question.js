import { isSession } from '../../../shared/session.js';
import { hold } from '../../address.js';

const QUESTION =
  'Files are still being sent. If you sign out now, those that wait are not sent. Sign out all the same?';

/**
 * Asks before the user signs out while files are sent. Other pages of the console do not end that.
 * @param {string} token of the user
 * @returns {(sending: boolean) => void} is told after every change whether files are being sent
 */
export function openQuestion(token) {
  /** Whether the browser stores the session, so that its end can be seen. */
  const isStored = isSession(token);
  /** @type {(() => void) | null} */
  let release = null;
  /** @type {import('../../address.js').Hold['leaves']} */
  const leaves = (_, to) => to.path === '' && (!isStored || isSession(token));
  return (sending) => {
    if (sending) {
      release ??= hold({ question: QUESTION, leaves });
    } else {
      release?.();
      release = null;
    }
  };
}
