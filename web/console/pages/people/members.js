import { html, useState } from '../../html.js';
import { useAction, useFocus } from '../../parts/action.js';
import { isDone } from '../../parts/ask.js';
import { CloseButton, Dialog, Question } from '../../parts/dialog.js';
import { ListEnd, useList } from '../../parts/list.js';
import { count, Moment } from '../../parts/words.js';
import { InviteForm, InviteLink } from './invite-form.js';
import { Invites } from './invites.js';
import { Requests } from './requests.js';
import { Filter, matches, useRest, useTitle } from './team-page.js';

/**
 * @typedef {import('./team-page.js').TeamPage} TeamPage
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('../../../../shared/schemas/people.ts').Invite} Invite
 * @typedef {import('./invite-form.js').Issued} Issued
 * @typedef {{ like: Partial<Invite>, issued: null } | { issued: Issued }} Inviting
 */

/** The roles with what they mean, strongest first. @type {readonly { role: Member['role'], name: string, means: string }[]} */
export const ROLES = [
  {
    role: 'owner',
    name: 'Owner',
    means: 'Full access, and the only role that appoints, changes and removes Owners.',
  },
  {
    role: 'admin',
    name: 'Admin',
    means: 'Full access: reads and writes everything, and manages people, clients and memories.',
  },
  {
    role: 'member',
    name: 'Member',
    means: 'Reads and writes the Team layer. Clients are opened one by one, under “Access to clients”.',
  },
];

/** @param {string} role */
export const roleName = (role) => ROLES.find((known) => known.role === role)?.name ?? role;

const LAST_OWNER = 'This is the last Owner of the Team. Make someone else an Owner first.';
const GONE = 'This person is no longer in the Team.';
const TEXTS = { last_owner: LAST_OWNER, not_found: GONE };

/**
 * The members of the Team and, for those who can invite, the invites.
 * @param {object} props
 * @param {TeamPage} props.page
 */
export function Members({ page }) {
  const { ask, query, rights, session, team, link, sections } = page;
  /** @type {import('../../parts/list.js').List<Member>} */
  const list = useList(ask, 'team/members');
  const [asked, setAsked] = useState(
    /** @type {{ what: 'role' | 'remove', member: Member } | null} */ (null),
  );
  const [status, setStatus] = useState('');
  /** The invite that is being made: what its form begins with, and then the link. */
  const [inviting, setInviting] = useState(/** @type {Inviting | null} */ (null));
  const [made, setMade] = useState(0);
  const focusNext = useFocus();
  const sought = query.get('q') ?? '';
  useRest(list, sought !== '');
  const items = list.items ?? [];
  const shown = items.filter(({ name, email }) => matches(sought, [name, email]));
  useTitle(
    page,
    list.items === null
      ? 'Members'
      : `${count(items.length, 'member')}${list.next === null ? '' : ' and more'}`,
  );

  /** @param {Member} member @param {Member['role']} role */
  async function changed({ userId, name }, role) {
    setAsked(null);
    list.change((now) => now.map((item) => (item.userId === userId ? { ...item, role } : item)));
    setStatus(`${name} is now ${role === 'member' ? 'a Member' : `an ${roleName(role)}`}.`);
    if (userId === session.user.id) await page.reread();
  }

  /** @param {Member} member @param {boolean} byUser whether this user did it, just now */
  async function removed({ userId, name }, byUser) {
    const place = shown.findIndex((member) => member.userId === userId);
    const next = shown[place + 1] ?? shown[place - 1];
    setAsked(null);
    list.change((now) => now.filter((item) => item.userId !== userId));
    setStatus(byUser ? `${name} was removed from the Team.` : `${name} had already left the Team.`);
    focusNext(
      ...(next === undefined ? [] : [`remove-${next.userId}`, `member-${next.userId}`]),
      'members-heading',
    );
    if (userId === session.user.id) await page.reread();
  }

  /** @param {Partial<Invite>} [like] an invite to make again */
  function invite(like = {}) {
    setInviting({ like, issued: null });
    focusNext('invite-email');
  }
  /** @param {Issued} issued */
  function inviteMade(issued) {
    setInviting({ issued });
    setMade(made + 1);
    focusNext('link-heading');
  }
  function inviteDone() {
    setInviting(null);
    focusNext('invite', 'members-heading');
  }

  const ofCompany = sections.some(({ path }) => path === '/company');
  return html`
    ${
      team.state === 'archived' &&
      html`<p class="notice">This Team is archived: nothing in it can be changed.${rights.manages && ' People can still be removed, and invites and grants revoked.'}</p>`
    }
    ${
      inviting !== null &&
      rights.changes &&
      html`<section class="card" aria-labelledby=${inviting.issued === null ? 'invite-heading' : 'link-heading'}>
        ${
          inviting.issued === null
            ? html`<h2 id="invite-heading">Invite someone</h2>
                <${InviteForm} key=${inviting.like.id} page=${page} like=${inviting.like} made=${inviteMade} cancel=${inviteDone} />`
            : html`<${InviteLink} issued=${inviting.issued} team=${team.name} done=${inviteDone} />`
        }
      </section>`
    }
    <${Requests} page=${page} />
    <section class="card" aria-labelledby="members-heading">
      <div class="bar">
        <h2 id="members-heading" tabindex="-1">Members</h2>
        <${Filter} page=${page} path="/people" name="q" label="Find by name or email" />
        ${
          rights.changes &&
          inviting === null &&
          html`<button id="invite" type="button" class="small primary" onClick=${() => invite()}>Invite someone</button>`
        }
      </div>
      <p role="status" class="outcome" dir="auto">${status}</p>
      <ul class="records people-rows">
        ${shown.map(
          (member) => html`
            <${MemberRow} key=${member.userId} page=${page} member=${member}
              change=${() => setAsked({ what: 'role', member })} remove=${() => setAsked({ what: 'remove', member })} />
          `,
        )}
      </ul>
      ${
        list.items !== null &&
        shown.length === 0 &&
        list.next === null &&
        html`<p class="quiet">${sought === '' ? 'Nobody has a role in this Team yet.' : 'Nobody in the Team has this in their name or email.'}</p>`
      }
      <${ListEnd} list=${{ ...list, items: list.items && shown }} one="person" many="people" />
      <p class="quiet note">
        Owners of the Company also have Full access here, and Admins of the Company as far as an Owner of the Company granted it.
        ${ofCompany && html` See <a href=${link('/company')}>Company</a>.`}
        ${!rights.manages && ' To change who is in the Team, ask one of its Owners or Admins.'}
      </p>
    </section>
    ${rights.manages && html`<${Invites} page=${page} members=${items} made=${made} again=${invite} />`}
    ${
      asked?.what === 'role' &&
      html`<${RoleDialog} page=${page} member=${asked.member} close=${() => setAsked(null)} changed=${changed} left=${removed} />`
    }
    ${
      asked?.what === 'remove' &&
      html`<${RemoveQuestion} page=${page} member=${asked.member} close=${() => setAsked(null)} removed=${removed} />`
    }
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {Member} props.member
 * @param {() => void} props.change asks for another role
 * @param {() => void} props.remove asks whether to remove them
 */
function MemberRow({ page, member, change, remove }) {
  const { rights, session } = page;
  const { userId, name, email, role, createdAt } = member;
  const isUser = userId === session.user.id;
  const reachable = role !== 'owner' || rights.appoints;
  const of = html`<span class="unseen"> <bdi>${name}</bdi></span>`;
  return html`
    <li id=${`member-${userId}`} tabindex="-1">
      <div class="who-cell">
        <h3><bdi>${name}</bdi>${isUser && ' (you)'}</h3>
        <p class="quiet"><bdi>${email}</bdi></p>
      </div>
      <p class="role-cell"><span class="tag" data-role=${role}>${roleName(role)}</span></p>
      <p class="quiet since-cell">Since <${Moment} at=${createdAt} /></p>
      <div class="actions">
        ${rights.changes && reachable && html`<button type="button" class="small" onClick=${change}>Change role<span class="unseen"> of</span>${of}</button>`}
        ${
          rights.manages &&
          reachable &&
          html`<button id=${`remove-${userId}`} type="button" class="small danger" onClick=${remove}>${isUser ? 'Leave' : 'Remove'}${of}</button>`
        }
      </div>
    </li>
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {Member} props.member
 * @param {() => void} props.close
 * @param {(member: Member, role: Member['role']) => void} props.changed
 * @param {(member: Member, byUser: boolean) => void} props.left is called if they are no longer in the Team
 */
function RoleDialog({ page, member, close, changed, left }) {
  const [role, setRole] = useState(member.role);
  const { busy, problem, request } = useAction(page.ask, TEXTS);
  const isUser = member.userId === page.session.user.id;
  const order = ROLES.map((known) => known.role);
  const isLower = order.indexOf(role) > order.indexOf(member.role);
  /** @param {Event} event */
  function choose({ target }) {
    const chosen = ROLES.find((known) => target instanceof HTMLSelectElement && known.role === target.value);
    if (chosen !== undefined) setRole(chosen.role);
  }
  /** @param {SubmitEvent} event */
  async function save(event) {
    event.preventDefault();
    if (role === member.role) return close();
    const reply = await request('PATCH', `team/members/${member.userId}`, { role });
    if (reply === null) return;
    if (isDone(reply)) changed(member, role);
    else if (reply.status === 404) left(member, false);
  }
  return html`
    <${Dialog} heading="Change role" busy=${busy} close=${close}>
      <form class="people-form" onSubmit=${save}>
        <label for="role">Role of <bdi>${member.name}</bdi></label>
        <select id="role" value=${role} aria-describedby="role-means" onChange=${choose}>
          ${ROLES.filter((known) => known.role !== 'owner' || page.rights.appoints).map(
            (known) => html`<option key=${known.role} value=${known.role}>${known.name}</option>`,
          )}
        </select>
        <p id="role-means" class="quiet">
          ${ROLES.find((known) => known.role === role)?.means}
          ${isLower && ' Open invites that a lower role cannot make are revoked.'}
          ${isLower && isUser && ' You cannot give yourself the role back.'}
        </p>
        <p role="alert">${problem}</p>
        <div class="actions">
          <${CloseButton} busy=${busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${busy ? 'true' : undefined}>Save</button>
        </div>
      </form>
    <//>
  `;
}

/**
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {Member} props.member
 * @param {() => void} props.close
 * @param {(member: Member, byUser: boolean) => void} props.removed
 */
function RemoveQuestion({ page, member, close, removed }) {
  const { busy, problem, request } = useAction(page.ask, TEXTS);
  const isUser = member.userId === page.session.user.id;
  async function remove() {
    const reply = await request('DELETE', `team/members/${member.userId}`);
    if (reply !== null && (isDone(reply) || reply.status === 404)) removed(member, isDone(reply));
  }
  const name = html`<bdi>${member.name}</bdi>`;
  return html`
    <${Question} heading=${isUser ? 'Leave this Team?' : 'Remove from this Team?'} yes=${isUser ? 'Leave' : 'Remove'} act=${remove} problem=${problem} busy=${busy} close=${close}>
      <p>${isUser ? 'You lose' : html`${name} loses`} the role and the grants for clients in this Team at once.</p>
      <ul>
        <li>Agent tokens for this Team end, unless a role in the Company still opens it.</li>
        <li>Open invites that ${isUser ? 'you' : 'this person'} made are revoked.</li>
        <li>What ${isUser ? 'you' : name} stored stays: sources, captures, memories and files.</li>
        <li>To come back, ${isUser ? 'you need' : 'this person needs'} a new invite. Grants must be given again.</li>
      </ul>
    <//>
  `;
}
