import { html } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { FormDialog, textOf } from '../../parts/form-dialog.js';
import { isolated } from '../../parts/words.js';

/** @typedef {import('../../../../shared/schemas/teams.ts').Team} Team */

/** What a grant gives, in words. */
export const ACCESS = { full: 'Full access', read: 'Read' };

/**
 * An Admin asks for access to a Team.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {readonly Team[]} props.teams to choose from
 * @param {() => void} props.close
 * @param {(what: import('../../html.js').Children) => Promise<void>} props.done
 */
export function AskForAccess({ ask, teams, close, done }) {
  const action = useAction(ask);
  /** @param {FormData} fields */
  async function send(fields) {
    const reason = textOf(fields, 'reason');
    const body = {
      teamId: fields.get('team'),
      access: fields.get('access'),
      ...(reason === '' ? {} : { reason }),
    };
    if ((await action.send('POST', 'company/access-requests', body)) === null) return;
    await done('Your request is sent. An Owner of the Company decides on it.');
  }
  return html`
    <${FormDialog} heading="Ask for access" yes="Send the request" act=${send} ...${action} close=${close}>
      <label for="request-team">Team</label>
      <select id="request-team" name="team">
        ${teams.map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
      </select>
      <label for="request-access">Access</label>
      <select id="request-access" name="access">
        <option value="read">Read: everything in the Team, and change nothing</option>
        <option value="full">Full access: read and change everything</option>
      </select>
      <label for="request-reason">Reason (optional)</label>
      <textarea id="request-reason" name="reason" class="short" maxlength="1000"></textarea>
    <//>
  `;
}
