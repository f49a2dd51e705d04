import { html, useRef, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { useAll } from '../../parts/all.js';
import { isDone } from '../../parts/ask.js';
import { LinkShownOnce } from '../../parts/copy.js';
import { INVITE_HOURS, LinkTime } from '../../parts/fields.js';
import { matches } from './team-page.js';

/**
 * @typedef {import('./team-page.js').TeamPage} TeamPage
 * @typedef {import('../../../../shared/schemas/people.ts').Invite} Invite
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 * @typedef {{ invite: Invite, url: string }} Issued an invite with its link, which the service shows only once
 */

/** The most grants that an invite can have. */
const MAX_GRANTS = 200;
/** With more clients than this, a field filters them. */
const FILTER_FROM = 8;

/**
 * The form for an invite.
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {Partial<Invite>} props.like what it begins with
 * @param {(made: Issued) => void} props.made
 * @param {() => void} props.cancel
 */
export function InviteForm({ page, like, made, cancel }) {
  const [email, setEmail] = useState(like.email ?? '');
  const [role, setRole] = useState(like.role ?? 'member');
  const [grants, setGrants] = useState(
    new Map(like.grants?.map(({ clientId, access }) => [clientId, String(access)])),
  );
  const { busy, problem, setProblem, request } = useAction(page.ask, {
    not_found: 'One of the clients has been archived. Close this form and open it again.',
  });
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    const fields = new FormData(/** @type {HTMLFormElement} */ (event.currentTarget));
    if (!email.includes('@')) {
      setProblem(email.trim() === '' ? 'Enter the email of the person.' : 'This is not an email address.');
      field.current?.focus();
      return;
    }
    const given = role === 'member' ? [...grants].filter(([, access]) => access !== '') : [];
    if (given.length > MAX_GRANTS) {
      setProblem(
        `An invite opens at most ${MAX_GRANTS} clients. Open the others after the person has joined.`,
      );
      return;
    }
    const reply = await request('POST', 'team/invites', {
      email: email.trim(),
      role,
      expiresInHours: Number(fields.get('invite-time')),
      ...(given.length === 0 ? {} : { grants: given.map(([clientId, access]) => ({ clientId, access })) }),
    });
    if (reply !== null && isDone(reply)) made(reply.answer);
    else if (reply !== null) field.current?.focus();
  }

  return html`
    <form class="people-form" aria-label="New invite" novalidate onSubmit=${submit}>
      <div class="invite-fields">
        <div class="wide">
          <label for="invite-email">Email</label>
          <input
            id="invite-email"
            type="email"
            autocomplete="off"
            required
            value=${email}
            aria-describedby="invite-problem"
            aria-invalid=${problem === '' ? undefined : 'true'}
            ref=${field}
            onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setEmail(currentTarget.value)}
          />
        </div>
        <div>
          <label for="invite-role">Role</label>
          <select id="invite-role" value=${role} onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => setRole(currentTarget.value === 'admin' ? 'admin' : 'member')}>
            <option value="member">Member</option>
            <option value="admin">Admin, with Full access</option>
          </select>
        </div>
        <div>
          <${LinkTime} id="invite-time" hours=${INVITE_HOURS} start=${168} />
        </div>
      </div>
      ${role === 'member' && html`<${GrantFields} page=${page} grants=${grants} change=${setGrants} />`}
      <p id="invite-problem" role="alert">${problem}</p>
      <div class="actions">
        <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>Make the link</button>
        <button type="button" class="small" onClick=${cancel}>Cancel</button>
      </div>
    </form>
  `;
}

/**
 * What a new Member can do with each client.
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {ReadonlyMap<string, string>} props.grants access by client id
 * @param {(grants: Map<string, string>) => void} props.change
 */
function GrantFields({ page, grants, change }) {
  /** @type {{ items: readonly Client[] | null, problem: string }} */
  const { items, problem } = useAll(page.ask, 'team/clients');
  const [sought, setSought] = useState('');
  const clients = [...(items ?? [])].sort((a, b) => a.name.localeCompare(b.name));
  const shown = clients.filter(({ id, name }) => matches(sought, [name]) || (grants.get(id) ?? '') !== '');
  if (items?.length === 0)
    return html`<p class="quiet">The Team has no clients yet, so this person reads and writes the Team layer.</p>`;
  return html`
    <fieldset class="grant-fields">
      <legend>Clients that this person can open, besides the Team layer</legend>
      <p role="alert">${problem}</p>
      ${
        clients.length > FILTER_FROM &&
        html`<div class="filter">
          <label for="invite-clients">Find a client</label>
          <input id="invite-clients" type="search" autocomplete="off" value=${sought}
            onInput=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) => setSought(currentTarget.value)} />
        </div>`
      }
      <ul>
        ${shown.map(
          ({ id, name }) => html`
            <li key=${id}>
              <label for=${`invite-client-${id}`}><bdi>${name}</bdi></label>
              <select id=${`invite-client-${id}`} value=${grants.get(id) ?? ''} data-access=${grants.get(id) ?? ''}
                onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => change(new Map([...grants, [id, currentTarget.value]]))}>
                <option value="">No access</option>
                <option value="read">Read</option>
                <option value="write">Read and write</option>
              </select>
            </li>
          `,
        )}
      </ul>
    </fieldset>
  `;
}

/**
 * The link of a new invite, which is shown only now.
 * @param {object} props
 * @param {Issued} props.issued
 * @param {string} props.team its name
 * @param {() => void} props.done
 */
export function InviteLink({ issued: { invite, url }, team, done }) {
  const [isMailed, setMailed] = useState(false);
  const mail = new URLSearchParams({
    subject: `Join the Team ${team}`,
    body: `Open this link to join the Team ${team}. It works once.\n\n${url}\n`,
  });
  // A mail program does not read + as a space.
  const mailto = `mailto:${encodeURIComponent(invite.email)}?${String(mail).replaceAll('+', '%20')}`;
  return html`
    <div class="invite-link">
      <h2 id="link-heading" tabindex="-1">Send this link to <bdi>${invite.email}</bdi></h2>
      <${LinkShownOnce} label="invite" url=${url} expiresAt=${invite.expiresAt} isSent=${isMailed} />
      <div class="actions">
        <a href=${mailto} onClick=${() => setMailed(true)}>Write a mail with it</a>
        <button type="button" class="small" onClick=${done}>Done</button>
      </div>
    </div>
  `;
}
