import { html, useState } from '../../html.js';
import { neighbour, useAction, useFocus } from '../../parts/action.js';
import { LinkDialog } from '../../parts/copy.js';
import { Question } from '../../parts/dialog.js';
import { LinkTime } from '../../parts/fields.js';
import { FormDialog, textOf } from '../../parts/form-dialog.js';
import { ListEnd, useList } from '../../parts/list.js';
import { Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('./part.d.ts').PartProps & { member: Member, self: boolean, close: () => void,
 *   done: (what: import('../../html.js').Children, next?: Member | null) => Promise<void> }} DialogProps
 * @typedef {'role' | 'reset' | 'remove' | 'erase'} Act
 */

const ROLES = {
  owner: ['Owner', 'Full access to every Team; changes the Company, its people and quotas.'],
  admin: ['Admin', 'Makes, renames and archives Teams; reads or changes only the Teams that a grant names.'],
  member: ['Member', 'Nothing in the Company; in each Team what its role there allows.'],
};

/**
 * The people of the Company: changes roles, makes reset links, removes and erases people.
 * @param {import('./part.d.ts').PartProps} props
 */
export function People(props) {
  const { ask, session, owner, link, say } = props;
  /** @type {import('../../parts/list.js').List<Member>} */
  const list = useList(ask, 'company/members');
  const [open, setOpen] = useState(/** @type {{ act: Act, member: Member } | null} */ (null));
  const focus = useFocus();

  /**
   * @param {import('../../html.js').Children} what
   * @param {Member | null} next the member as it is now, or null without them
   */
  async function done(what, next) {
    const { userId } = open?.member ?? { userId: '' };
    const after = neighbour(
      (list.items ?? []).map((item) => ({ id: item.userId })),
      userId,
    );
    if (next !== undefined)
      list.change((items) =>
        items.flatMap((item) => (item.userId !== userId ? [item] : next === null ? [] : [next])),
      );
    setOpen(null);
    say(what);
    if (next === null) focus(after === null ? 'part-heading' : `row-${after}`);
  }

  const Form =
    open === null ? null : { role: ChangeRole, reset: ResetLink, remove: Remove, erase: Erase }[open.act];
  return html`
    <h2 id="part-heading" tabindex="-1">People</h2>
    <p class="quiet">
      Everyone with an account in the Company. To add someone to a Team, invite them on <a href=${link('/people')}>People</a>; to add an
      Admin of the Company, use <a href=${link('/company', { part: 'invitations' })}>Invitations</a>.
    </p>
    <ul class="records">
      ${list.items?.map((member) => {
        const self = member.userId === session.user.id;
        /** @type {[Act, string][]} */
        const acts = owner
          ? [
              ['role', 'Change role'],
              ...(self
                ? []
                : /** @type {[Act, string][]} */ ([
                    ['reset', 'Reset link'],
                    ['remove', 'Remove'],
                    ['erase', 'Erase'],
                  ])),
            ]
          : [];
        return html`
          <li key=${member.userId} class="record-row">
            <div>
              <h3 id=${`row-${member.userId}`} tabindex="-1">
                <bdi>${member.name}</bdi>${' '}
                <span class="tag">${ROLES[member.role][0]}</span>${self && html`${' '}<span class="tag">you</span>`}
              </h3>
              <ul class="facts">
                <li><bdi>${member.email}</bdi></li>
                <li>since <${Moment} at=${member.createdAt} /></li>
              </ul>
            </div>
            ${
              acts.length > 0 &&
              html`
              <div class="actions">
                ${acts.map(
                  ([act, text]) => html`
                    <button key=${act} type="button" class=${act === 'remove' || act === 'erase' ? 'small danger' : 'small'} onClick=${() => setOpen({ act, member })}>
                      ${text}<span class="unseen"> – <bdi>${member.name}</bdi></span>
                    </button>
                  `,
                )}
              </div>
            `
            }
          </li>
        `;
      })}
    </ul>
    <${ListEnd} list=${list} one="person" many="people" />
    ${Form !== null && html`<${Form} ...${props} member=${open?.member} self=${open?.member.userId === session.user.id} done=${done} close=${() => setOpen(null)} />`}
  `;
}

/** @param {DialogProps} props */
function ChangeRole({ ask, member, self, changed, close, done }) {
  const action = useAction(ask);
  /** @param {FormData} fields */
  async function change(fields) {
    const reply = await action.send('PATCH', `company/members/${member.userId}`, {
      role: fields.get('role'),
    });
    if (reply === null) return;
    const { name, role } = /** @type {Member} */ (reply.answer);
    await done(
      html`<bdi>${name}</bdi> is ${role === 'member' ? 'a Member' : `an ${ROLES[role][0]}`} of the Company now.`,
      reply.answer,
    );
    if (self) await changed();
  }
  return html`
    <${FormDialog} heading="Change the role in the Company" yes="Change the role" act=${change} ...${action} close=${close}>
      <p>${self ? 'You change your own role: what you lose, only another Owner can give back.' : html`The role of <bdi>${member.name}</bdi>.`}</p>
      <label for="role">Role</label>
      <select id="role" name="role" aria-describedby="role-hint">
        ${Object.entries(ROLES).map(
          ([role, [name]]) =>
            html`<option key=${role} value=${role} selected=${role === member.role}>${name}</option>`,
        )}
      </select>
      <ul id="role-hint" class="quiet hint">
        ${Object.entries(ROLES).map(([role, [name, about]]) => html`<li key=${role}><strong>${name}</strong>: ${about}</li>`)}
      </ul>
      <p class="quiet">
        An Admin who gets another role loses the grants for Teams, and open access requests are denied. Open invites that the person
        can no longer make are revoked.
      </p>
    <//>
  `;
}

/** @param {DialogProps} props */
function ResetLink({ ask, member, close }) {
  const action = useAction(ask);
  const [made, setMade] = useState(/** @type {{ url: string, expiresAt: string } | null} */ (null));
  /** @param {FormData} fields */
  async function make(fields) {
    const body = { ttlSeconds: Number(fields.get('hours')) * 3600 };
    const reply = await action.send('POST', `company/members/${member.userId}/reset-link`, body);
    if (reply !== null) setMade(reply.answer);
  }
  if (made !== null) {
    return html`
      <${LinkDialog} heading="Reset link" label="reset link" ...${made} close=${close}>
        <p>With this link, <bdi>${member.name}</bdi> sets a new password. Earlier sessions then end.</p>
      <//>
    `;
  }
  return html`
    <${FormDialog} heading="Make a reset link" yes="Make the link" act=${make} ...${action} close=${close}>
      <p>For <bdi>${member.name}</bdi>, who forgot the password. Anyone with the link can sign in as this person. A new link replaces the one before.</p>
      <${LinkTime} id="hours" hours=${[1, 4, 24]} start=${1} />
    <//>
  `;
}

/** @param {DialogProps} props */
function Remove({ ask, member, close, done }) {
  const action = useAction(ask);
  async function remove() {
    if ((await action.send('DELETE', `company/members/${member.userId}`)) === null) return;
    await done(html`<bdi>${member.name}</bdi> is removed from the Company.`, null);
  }
  return html`
    <${Question} heading="Remove from the Company?" yes="Remove the person" act=${remove} ...${action} close=${close}>
      <p>
        The account of <bdi>${member.name}</bdi> is closed: sessions, roles, grants, open invites and agent tokens end. What the person has stored stays
        in the Teams. To come back, the person needs a new invite.
      </p>
    <//>
  `;
}

/** @param {DialogProps} props */
function Erase({ ask, member, close, done }) {
  const action = useAction(ask);
  const [other, setOther] = useState(false);
  /** @param {FormData} fields */
  async function erase(fields) {
    const same = textOf(fields, 'typed').toLowerCase() === member.email;
    setOther(!same);
    if (!same) return;
    const reply = await action.send('POST', `company/members/${member.userId}/erase`);
    if (reply === null) return;
    await done(
      html`<bdi>${member.name}</bdi> is erased, and is called <bdi>${reply.answer.name}</bdi> from now on.`,
      null,
    );
  }
  return html`
    <${FormDialog} danger heading="Erase the person for good?" yes="Erase the person" act=${erase} busy=${action.busy} close=${close}
      problem=${other ? 'This is not the email of the person. Type it as it is shown above.' : action.problem}>
      <p>
        The account of <bdi>${member.name}</bdi>, <bdi>${member.email}</bdi>, is closed. The name, the email, the sessions, the agent tokens and the
        invites to this person are deleted. What the person has stored stays in the Teams, under a pseudonym. Nobody can undo this.
      </p>
      <label for="typed-email">Type the email of the person</label>
      <input id="typed-email" name="typed" required autocomplete="off" />
    <//>
  `;
}
