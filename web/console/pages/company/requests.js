import { html, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { useAll } from '../../parts/all.js';
import { ListEnd, useList } from '../../parts/list.js';
import { Moment } from '../../parts/words.js';
import { ACCESS, AskForAccess } from './ask-for-access.js';
import { nameIn, teamIn } from './names.js';

/**
 * @typedef {import('../../../../shared/schemas/people.ts').AccessRequest} AccessRequest
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('../../../../shared/schemas/teams.ts').Team} Team
 */

/**
 * Access requests: an Owner decides on them, an Admin makes them and sees their own.
 * @param {import('./part.d.ts').PartProps} props
 */
export function Requests({ ask, session, owner, say }) {
  /** @type {import('../../parts/list.js').List<AccessRequest>} */
  const list = useList(ask, 'company/access-requests');
  /** @type {ReturnType<typeof useAll<Member>>} */
  const members = useAll(ask, 'company/members');
  /** @type {ReturnType<typeof useAll<Team>>} */
  const teams = useAll(ask, 'company/teams');
  const [asking, setAsking] = useState(false);
  const action = useAction(ask);
  const focus = useFocus();
  const reachable = (teams.items ?? []).filter(
    ({ id, state }) => state === 'active' && session.teams.find((mine) => mine.id === id)?.access !== 'full',
  );

  /** @param {AccessRequest} request @param {'approve' | 'deny'} verb */
  async function decide(request, verb) {
    const reply = await action.send('POST', `company/access-requests/${request.id}/${verb}`, {});
    if (reply === null) {
      // Someone else can have decided, so that the buttons are gone.
      await list.reload();
      return focus(`row-${request.id}`);
    }
    list.change((items) => items.map((item) => (item.id === request.id ? reply.answer : item)));
    say(html`The request of ${nameIn(members.items, request.userId)} is ${reply.answer.state}.`);
    focus(`row-${request.id}`);
  }

  return html`
    <div class="bar">
      <h2 id="part-heading" tabindex="-1">Access requests</h2>
      ${!owner && reachable.length > 0 && html`<button type="button" class="fit" onClick=${() => setAsking(true)}>Ask for access</button>`}
    </div>
    <p class="quiet">
      ${
        owner
          ? 'Admins of the Company ask for access to Teams here. Approving a request makes the grant; a grant that gives more is kept.'
          : 'What you asked for. An Owner of the Company decides on it.'
      }
    </p>
    <p role="alert">${action.problem}</p>
    ${list.items?.length === 0 && html`<p>${owner ? 'No Admin has asked for access yet.' : 'You have not asked for access yet.'}</p>`}
    <ul class="records">
      ${list.items?.map(
        (request) => html`
          <li key=${request.id} class="record-row">
            <div>
              <h3 id=${`row-${request.id}`} tabindex="-1">
                ${nameIn(members.items, request.userId)} asks for ${ACCESS[request.access]} in ${teamIn(teams.items, request.teamId)}${' '}
                <span class="tag">${request.state}</span>
              </h3>
              ${request.reason !== null && html`<p class="text" dir="auto">${request.reason}</p>`}
              <ul class="facts">
                <li>asked <${Moment} at=${request.createdAt} /></li>
                ${request.decidedBy !== null && html`<li>decided by ${nameIn(members.items, request.decidedBy)}</li>`}
              </ul>
            </div>
            ${
              owner &&
              request.state === 'open' &&
              html`
                <div class="actions">
                  <button type="button" class="small" aria-busy=${action.busy ? 'true' : undefined} onClick=${() => decide(request, 'approve')}>
                    Approve<span class="unseen"> – ${nameIn(members.items, request.userId)}</span>
                  </button>
                  <button type="button" class="small" aria-busy=${action.busy ? 'true' : undefined} onClick=${() => decide(request, 'deny')}>
                    Deny<span class="unseen"> – ${nameIn(members.items, request.userId)}</span>
                  </button>
                </div>
              `
            }
          </li>
        `,
      )}
    </ul>
    <${ListEnd} list=${list} one="access request" />
    ${asking && html`<${AskForAccess} ask=${ask} teams=${reachable} close=${() => setAsking(false)} done=${asked} />`}
  `;

  /** @param {import('../../html.js').Children} what */
  async function asked(what) {
    await list.reload();
    setAsking(false);
    say(what);
  }
}
