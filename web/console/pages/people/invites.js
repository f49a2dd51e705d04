import { html, useLayoutEffect, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { isDone } from '../../parts/ask.js';
import { Question } from '../../parts/dialog.js';
import { ListEnd, useList } from '../../parts/list.js';
import { count, Moment } from '../../parts/words.js';

/**
 * @typedef {import('./team-page.js').TeamPage} TeamPage
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('../../../../shared/schemas/people.ts').Invite} Invite
 */

const STATES = { open: 'Open', used: 'Accepted', expired: 'Expired', revoked: 'Revoked' };
const ROLE_NAMES = { owner: 'Owner', admin: 'Admin', member: 'Member' };

/**
 * The invites into the Team, newest first.
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {number} props.made counts those that were made since the page was opened
 * @param {(invite: Invite) => void} props.again makes a new link in place of that of an invite
 * @param {readonly Member[]} props.members those that are known, for the names of those who invited
 */
export function Invites({ page, members, made, again }) {
  const { ask, rights } = page;
  /** @type {import('../../parts/list.js').List<Invite>} */
  const list = useList(ask, 'team/invites');
  const [revoking, setRevoking] = useState(/** @type {Invite | null} */ (null));
  const [status, setStatus] = useState('');
  const focusNext = useFocus();

  useLayoutEffect(() => {
    if (made > 0) void list.reload();
  }, [made]);

  /** @param {Invite} invite @param {boolean} byUser */
  async function ended({ id, email }, byUser) {
    setRevoking(null);
    setStatus(
      byUser
        ? `The invite to ${email} is revoked. Its link no longer works.`
        : `The invite to ${email} was no longer open.`,
    );
    focusNext(`again-${id}`, `invite-${id}`, 'invites-heading');
    if (byUser)
      list.change((now) => now.map((item) => (item.id === id ? { ...item, state: 'revoked' } : item)));
    else await list.reload();
  }

  return html`
    <section class="card" aria-labelledby="invites-heading">
      <h2 id="invites-heading" tabindex="-1">Invites</h2>
      <p role="status" class="outcome" dir="auto">${status}</p>
      ${
        list.items?.length === 0 &&
        html`<p class="quiet">Nobody has been invited yet. An invite is a link that you send: the service sends no mail.</p>`
      }
      <ul class="records people-rows">
        ${list.items?.map((invite) => {
          const { id, email, role, state, expiresAt, createdAt, createdBy, grants } = invite;
          const author = members.find(({ userId }) => userId === createdBy);
          const to = html`<span class="unseen"> <bdi>${email}</bdi></span>`;
          return html`
            <li key=${id} id=${`invite-${id}`} tabindex="-1">
              <div class="who-cell">
                <h3><bdi>${email}</bdi></h3>
                <p class="quiet">${ROLE_NAMES[role]}${grants.length > 0 && `, with ${count(grants.length, 'client')}`}</p>
              </div>
              <p class="role-cell"><span class="tag" data-state=${state}>${STATES[state]}</span></p>
              <p class="quiet since-cell">
                ${
                  state === 'open' || state === 'expired'
                    ? html`${state === 'open' ? 'Until' : 'Since'} <${Moment} at=${expiresAt} />`
                    : html`Made <${Moment} at=${createdAt} />`
                }
                ${author !== undefined && html` by <bdi>${author.name}</bdi>`}
              </p>
              <div class="actions">
                ${
                  rights.changes &&
                  role !== 'owner' &&
                  state !== 'used' &&
                  html`<button id=${`again-${id}`} type="button" class="small" onClick=${() => again(invite)}>New link<span class="unseen"> for</span>${to}</button>`
                }
                ${
                  state === 'open' &&
                  (role !== 'owner' || rights.appoints) &&
                  html`<button type="button" class="small danger" onClick=${() => setRevoking(invite)}>Revoke${to}</button>`
                }
              </div>
            </li>
          `;
        })}
      </ul>
      <${ListEnd} list=${list} one="invite" />
    </section>
    ${revoking !== null && html`<${RevokeQuestion} page=${page} invite=${revoking} close=${() => setRevoking(null)} ended=${ended} />`}
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {Invite} props.invite
 * @param {() => void} props.close
 * @param {(invite: Invite, byUser: boolean) => void} props.ended
 */
function RevokeQuestion({ page, invite, close, ended }) {
  const { busy, problem, request } = useAction(page.ask);
  async function revoke() {
    const reply = await request('DELETE', `team/invites/${invite.id}`);
    if (reply === null) return;
    if (isDone(reply) || reply.status === 404 || reply.answer?.code === 'conflict')
      ended(invite, isDone(reply));
  }
  return html`
    <${Question} heading="Revoke this invite?" yes="Revoke" act=${revoke} problem=${problem} busy=${busy} close=${close}>
      <p>The link that was sent to <bdi>${invite.email}</bdi> stops working at once. Who has already joined stays in the Team.</p>
    <//>
  `;
}
