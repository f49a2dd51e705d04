import { linkTo } from '../../address.js';
import { html, useState } from '../../html.js';
import { neighbour, useAction } from '../../parts/action.js';
import { useKnown } from '../../parts/all.js';
import { LinkDialog } from '../../parts/copy.js';
import { CloseButton, Dialog, Question } from '../../parts/dialog.js';
import { FormDialog, textOf } from '../../parts/form-dialog.js';
import { useRecord } from '../../parts/record.js';
import { isolated } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('../../../../shared/schemas/teams.ts').Team} Team
 *
 * What each dialog about a Team gets.
 * @typedef {import('./part.d.ts').PartProps & { team: Team, items: readonly Team[], close: () => void,
 *   done: (what: import('../../html.js').Children, focused?: string) => Promise<void> }} Props
 */

/** In the place of the id of a member: someone who is invited by email. */
const INVITED = 'invited';

/**
 * The body of a new Team.
 * @param {FormData} fields
 */
function newTeam(fields) {
  const [name, owner] = [fields.get('name'), textOf(fields, 'owner')];
  if (owner === '') return { name };
  return owner === INVITED ? { name, ownerEmail: textOf(fields, 'email') } : { name, ownerUserId: owner };
}

/** @param {Omit<Props, 'team'>} props */
export function NewTeam({ ask, session, go, changed, close, done }) {
  const action = useAction(ask, {
    not_found: 'This person is no longer in the Company. Choose another Owner.',
  });
  /** @type {readonly Member[] | null} */
  const members = useKnown(ask, 'company/members');
  const [owner, setOwner] = useState('');
  const [made, setMade] = useState(
    /** @type {{ team: Team, invite: { email: string, expiresAt: string } | null, url: string | null,
     *   isOpen: boolean } | null} */ (null),
  );
  /** @param {FormData} fields */
  async function make(fields) {
    const reply = await action.send('POST', 'company/teams', newTeam(fields));
    if (reply === null) return;
    const isOpen = session.company.role === 'owner' || owner === '';
    setMade({ ...reply.answer, isOpen });
  }
  if (made === null) {
    return html`
      <${FormDialog} heading="Make a Team" yes="Make the Team" act=${make} ...${action} close=${close}>
        <label for="team-name">Name</label>
        <input id="team-name" name="name" required maxlength="300" autocomplete="off" />
        <label for="team-owner">Owner</label>
        <select id="team-owner" name="owner" value=${owner} onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => setOwner(currentTarget.value)}>
          <option value="">You</option>
          ${members
            ?.filter(({ userId }) => userId !== session.user.id)
            .map(
              ({ userId, name, email }) =>
                html`<option key=${userId} value=${userId}>${`${isolated(name)}, ${isolated(email)}`}</option>`,
            )}
          <option value=${INVITED}>Someone else, invited by email</option>
        </select>
        ${
          owner === INVITED &&
          html`
            <label for="team-email">Email of its Owner</label>
            <input id="team-email" name="email" type="email" required maxlength="300" autocomplete="off" aria-describedby="team-email-hint" />
            <p id="team-email-hint" class="quiet hint">
              You get a link for this person. The Team has no Owner until they use it.
            </p>
          `
        }
      <//>
    `;
  }
  const { team, invite, url, isOpen } = made;
  const finish = () => done(html`The Team <bdi>${team.name}</bdi> is made.`, `row-${team.id}`);
  if (invite !== null && url !== null) {
    return html`
      <${LinkDialog} heading="The Team is made" label="invite of its Owner" url=${url} expiresAt=${invite.expiresAt} close=${finish}>
        <p>Send this link to <bdi>${invite.email}</bdi>, who becomes the Owner of <bdi>${team.name}</bdi> with it.</p>
      <//>
    `;
  }
  async function enter() {
    await changed();
    go(linkTo('/', team.id));
  }
  return html`
    <${Dialog} heading="The Team is made" close=${finish}>
      <p>
        <bdi>${team.name}</bdi> is empty. ${isOpen ? 'Open it to invite people, to import files and to connect agents.' : 'Its Owner can invite people, import files and connect agents.'}
      </p>
      <div class="actions">
        <button type="button" class="small" onClick=${finish}>Close</button>
        ${isOpen && html`<button type="button" class="fit" onClick=${enter}>Open the Team</button>`}
      </div>
    <//>
  `;
}

/** A quota in words that a form can hold. @param {number | null | undefined} value */
const inField = (value) => (value === null || value === undefined ? '' : String(value));
/** @param {FormDataEntryValue | null} value */
const limit = (value) => (value === null || value === '' ? null : Number(value));

/** @param {Props} props */
export function ChangeTeam({ ask, owner, team, close, done }) {
  const action = useAction(ask);
  /** The list has no quotas. */
  const { value, problem } = useRecord(
    /** @type {import('../../parts/ask.js').Ask} */ (ask),
    owner ? `company/teams/${team.id}` : null,
  );
  const quota = /** @type {Team | null} */ (value)?.quota;
  /** @param {FormData} fields */
  async function change(fields) {
    const wanted = { chunks: limit(fields.get('chunks')), bytes: limit(fields.get('bytes')) };
    const otherQuota =
      quota !== undefined && (wanted.chunks !== quota.chunks || wanted.bytes !== quota.bytes);
    const body = { name: fields.get('name'), ...(otherQuota ? { quota: wanted } : {}) };
    if ((await action.send('PATCH', `company/teams/${team.id}`, body)) === null) return;
    await done(html`The Team <bdi>${textOf(fields, 'name')}</bdi> is changed.`);
  }
  return html`
    <${FormDialog} heading=${owner ? 'Name and quota' : 'Rename the Team'} yes="Save" act=${change} busy=${action.busy} problem=${action.problem || problem} close=${close}>
      <label for="team-name">Name</label>
      <input id="team-name" name="name" required maxlength="300" autocomplete="off" defaultValue=${team.name} />
      ${
        quota !== undefined &&
        html`
          <label for="quota-chunks">Most passages that it can store</label>
          <input id="quota-chunks" name="chunks" type="number" min="0" step="1" defaultValue=${inField(quota.chunks)} aria-describedby="quota-hint" />
          <label for="quota-bytes">Most bytes that it can store</label>
          <input id="quota-bytes" name="bytes" type="number" min="0" step="1" defaultValue=${inField(quota.bytes)} aria-describedby="quota-hint" />
          <p id="quota-hint" class="quiet hint">
            Empty means no limit. A quota below what the Team stores deletes nothing: the Team cannot add until it stores less.
          </p>
        `
      }
      ${owner && quota === undefined && problem === '' && html`<p class="quiet" role="status">Loading the quota …</p>`}
    <//>
  `;
}

/** @param {Props} props */
export function ArchiveTeam({ ask, team, close, done }) {
  const action = useAction(ask);
  async function archive() {
    if ((await action.send('POST', `company/teams/${team.id}/archive`, {})) === null) return;
    await done(html`The Team <bdi>${team.name}</bdi> is archived.`, `row-${team.id}`);
  }
  return html`
    <${Question} heading="Archive the Team?" yes="Archive the Team" act=${archive} ...${action} close=${close}>
      <p><bdi>${team.name}</bdi> can then be read and searched, but nothing in it can be changed, by people or agents. You can restore it at any time.</p>
    <//>
  `;
}

/** @param {Props} props */
export function RestoreTeam({ ask, team, close, done }) {
  const action = useAction(ask);
  async function restore() {
    if ((await action.send('POST', `company/teams/${team.id}/restore`, {})) === null) return;
    await done(html`The Team <bdi>${team.name}</bdi> is restored.`, `row-${team.id}`);
  }
  return html`
    <${Dialog} heading="Restore the Team?" busy=${action.busy} close=${close}>
      <p><bdi>${team.name}</bdi> can be changed again, by the people and agents who could change it before.</p>
      <p role="alert">${action.problem}</p>
      <div class="actions">
        <${CloseButton} busy=${action.busy} close=${close} />
        <button type="button" class="fit" aria-busy=${action.busy ? 'true' : undefined} onClick=${restore}>Restore the Team</button>
      </div>
    <//>
  `;
}

/** @param {Props} props */
export function DeleteTeam({ ask, team, items, close, done }) {
  const action = useAction(ask);
  const [other, setOther] = useState(false);
  /** @param {FormData} fields */
  async function remove(fields) {
    const same = textOf(fields, 'typed') === team.name.trim();
    setOther(!same);
    if (!same || (await action.send('DELETE', `company/teams/${team.id}`)) === null) return;
    const next = neighbour(items, team.id);
    await done(
      html`The Team <bdi>${team.name}</bdi> is deleted.`,
      next === null ? 'part-heading' : `row-${next}`,
    );
  }
  return html`
    <${FormDialog} danger heading="Delete the Team for good?" yes="Delete the Team" act=${remove} busy=${action.busy} close=${close}
      problem=${other ? 'This is not the name of the Team. Type it as it is shown above.' : action.problem}>
      <p>
        All sources, memories, captures, files and clients of <bdi>${team.name}</bdi> are deleted, and its agent tokens end. Only its
        audit events stay. Nobody can undo this.
      </p>
      <label for="typed-name">Type the name of the Team</label>
      <input id="typed-name" name="typed" required autocomplete="off" />
    <//>
  `;
}
