import { html, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { useAll } from '../../parts/all.js';
import { LinkDialog } from '../../parts/copy.js';
import { Question } from '../../parts/dialog.js';
import { INVITE_HOURS, LinkTime } from '../../parts/fields.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { ListEnd, useList } from '../../parts/list.js';
import { Moment } from '../../parts/words.js';
import { nameIn } from './names.js';

/**
 * @typedef {import('../../../../shared/schemas/people.ts').Invite} Invitation
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 */

/**
 * The invitations to become an Admin of the Company.
 * @param {import('./part.d.ts').PartProps} props
 */
export function Invitations({ ask, owner, link, say }) {
  /** @type {import('../../parts/list.js').List<Invitation>} */
  const list = useList(ask, 'company/invitations');
  /** @type {ReturnType<typeof useAll<Member>>} */
  const members = useAll(ask, 'company/members');
  const [inviting, setInviting] = useState(false);
  const [revoking, setRevoking] = useState(/** @type {Invitation | null} */ (null));
  const focus = useFocus();
  return html`
    <div class="bar">
      <h2 id="part-heading" tabindex="-1">Invitations</h2>
      ${owner && html`<button type="button" class="fit" onClick=${() => setInviting(true)}>Invite an Admin</button>`}
    </div>
    <p class="quiet">
      An invitation makes a person an Admin of the Company. To invite someone into a Team only, use <a href=${link('/people')}>People</a>.
    </p>
    ${
      list.items?.length === 0 &&
      html`<p>Nobody was invited yet. ${owner ? 'Invite an Admin, who makes Teams and keeps them in order.' : 'An Owner of the Company can invite Admins.'}</p>`
    }
    <ul class="records">
      ${list.items?.map(
        (invitation) => html`
          <li key=${invitation.id} class="record-row">
            <div>
              <h3 id=${`row-${invitation.id}`} tabindex="-1"><bdi>${invitation.email}</bdi>${' '}<span class="tag">${invitation.state}</span></h3>
              <ul class="facts">
                <li>by ${nameIn(members.items, invitation.createdBy)}</li>
                <li>invited <${Moment} at=${invitation.createdAt} /></li>
                ${invitation.state === 'open' && html`<li>until <${Moment} at=${invitation.expiresAt} /></li>`}
              </ul>
            </div>
            ${
              owner &&
              invitation.state === 'open' &&
              html`
                <div class="actions">
                  <button type="button" class="small danger" onClick=${() => setRevoking(invitation)}>
                    Revoke<span class="unseen"> – <bdi>${invitation.email}</bdi></span>
                  </button>
                </div>
              `
            }
          </li>
        `,
      )}
    </ul>
    <${ListEnd} list=${list} one="invitation" />
    ${inviting && html`<${Invite} ask=${ask} close=${() => setInviting(false)} made=${list.reload} />`}
    ${revoking !== null && html`<${Revoke} ask=${ask} invitation=${revoking} close=${() => setRevoking(null)} done=${revoked} reload=${list.reload} />`}
  `;

  /** @param {Invitation} invitation */
  function revoked({ id, email }) {
    list.change((items) => items.map((item) => (item.id === id ? { ...item, state: 'revoked' } : item)));
    setRevoking(null);
    say(html`The invitation of <bdi>${email}</bdi> is revoked.`);
    focus(`row-${id}`);
  }
}

/** @param {{ ask: import('../../parts/ask.js').Ask, close: () => void, made: () => Promise<void> }} props */
function Invite({ ask, close, made }) {
  const action = useAction(ask);
  const [issued, setIssued] = useState(/** @type {{ invitation: Invitation, url: string } | null} */ (null));
  /** @param {FormData} fields */
  async function invite(fields) {
    const body = { email: fields.get('email'), expiresInHours: Number(fields.get('hours')) };
    const reply = await action.send('POST', 'company/invitations', body);
    if (reply === null) return;
    setIssued(reply.answer);
    void made();
  }
  if (issued !== null) {
    const { invitation, url } = issued;
    return html`
      <${LinkDialog} heading="The invitation is made" label="invitation" url=${url} expiresAt=${invitation.expiresAt} close=${close}>
        <p>Send this link to <bdi>${invitation.email}</bdi>, who becomes an Admin of the Company with it.</p>
      <//>
    `;
  }
  return html`
    <${FormDialog} heading="Invite an Admin of the Company" yes="Make the invitation" act=${invite} ...${action} close=${close}>
      <label for="email">Email</label>
      <input id="email" name="email" type="email" required maxlength="300" autocomplete="off" />
      <${LinkTime} id="hours" hours=${INVITE_HOURS} start=${168} />
      <p class="quiet hint">
        An Admin makes, renames and archives Teams. To read or change what is in a Team of others, the Admin needs a grant. A new invitation
        replaces the open one to the same email.
      </p>
    <//>
  `;
}

/**
 * @param {{ ask: import('../../parts/ask.js').Ask, invitation: Invitation, close: () => void, done: (of: Invitation) => void,
 *   reload: () => Promise<void> }} props
 */
function Revoke({ ask, invitation, close, done, reload }) {
  const action = useAction(ask);
  async function revoke() {
    if ((await action.send('DELETE', `company/invitations/${invitation.id}`)) !== null)
      return done(invitation);
    // It was used or revoked in between.
    void reload();
  }
  return html`
    <${Question} heading="Revoke the invitation?" yes="Revoke the invitation" act=${revoke} ...${action} close=${close}>
      <p>The link of <bdi>${invitation.email}</bdi> then no longer works.</p>
    <//>
  `;
}
