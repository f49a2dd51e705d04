import { linkTo } from '../../address.js';
import { html, useState } from '../../html.js';
import { useFocus } from '../../parts/action.js';
import { ListEnd, useList } from '../../parts/list.js';
import { Moment } from '../../parts/words.js';
import { AskForAccess } from './ask-for-access.js';
import { ArchiveTeam, ChangeTeam, DeleteTeam, NewTeam, RestoreTeam } from './team-dialogs.js';

/**
 * @typedef {import('../../../../shared/schemas/teams.ts').Team} Team
 * @typedef {'new' | 'change' | 'archive' | 'restore' | 'delete' | 'access'} Act
 */

/** What the user can do with a Team themselves. */
const ACCESS = { full: 'You have Full access', member: 'You are a member', read: 'You can read it' };

const DIALOGS = {
  new: NewTeam,
  change: ChangeTeam,
  archive: ArchiveTeam,
  restore: RestoreTeam,
  delete: DeleteTeam,
};

/**
 * The Teams of the Company: makes, renames, archives, restores and deletes them.
 * @param {import('./part.d.ts').PartProps} props
 */
export function Teams(props) {
  const { ask, session, owner, say, changed } = props;
  /** @type {import('../../parts/list.js').List<Team>} */
  const list = useList(ask, 'company/teams');
  const [open, setOpen] = useState(/** @type {{ act: Act, team: Team | null } | null} */ (null));
  const focus = useFocus();
  const close = () => setOpen(null);

  /**
   * @param {import('../../html.js').Children} what
   * @param {string} [focused] the id of the element that gets the focus, if the button is gone
   */
  async function done(what, focused) {
    await list.reload();
    await changed();
    setOpen(null);
    say(what);
    if (focused !== undefined) focus(focused);
  }

  const Form = open === null || open.act === 'access' ? null : DIALOGS[open.act];
  return html`
    <div class="bar">
      <h2 id="part-heading" tabindex="-1">Teams</h2>
      <button type="button" class="fit" onClick=${() => setOpen({ act: 'new', team: null })}>Make a Team</button>
    </div>
    <p class="quiet">
      A Team has its own sources, memories, clients and members.${' '}
      ${owner ? 'Owners of the Company have Full access to every Team.' : 'To a Team of others, you have only the access that an Owner of the Company gives you.'}
    </p>
    ${list.items?.length === 0 && html`<p>The Company has no Team yet. Make the first one: then people can be invited and files imported.</p>`}
    <ul class="records">
      ${list.items?.map(
        (team) => html`
          <${TeamRow} key=${team.id} team=${team} mine=${session.teams.find(({ id }) => id === team.id)} owner=${owner}
            open=${(/** @type {Act} */ act) => setOpen({ act, team })} />
        `,
      )}
    </ul>
    <${ListEnd} list=${list} one="Team" />
    ${Form !== null && html`<${Form} ...${props} team=${open?.team} items=${list.items ?? []} done=${done} close=${close} />`}
    ${open?.act === 'access' && html`<${AskForAccess} ask=${ask} teams=${open.team === null ? [] : [open.team]} close=${close} done=${done} />`}
  `;
}

/**
 * @param {object} props
 * @param {Team} props.team
 * @param {import('../../section.d.ts').Team | undefined} props.mine as the session has it, if the user has access
 * @param {boolean} props.owner
 * @param {(act: Act) => void} props.open
 */
function TeamRow({ team, mine, owner, open }) {
  const { id, name, state, createdAt } = team;
  const active = state === 'active';
  /** @type {[Act, string][]} */
  const acts = [
    ...(!owner && active && mine?.access !== 'full'
      ? [/** @type {[Act, string]} */ (['access', 'Ask for access'])]
      : []),
    ...(active ? [/** @type {[Act, string]} */ (['change', owner ? 'Name and quota' : 'Rename'])] : []),
    active ? ['archive', 'Archive'] : ['restore', 'Restore'],
    ...(owner && !active ? [/** @type {[Act, string]} */ (['delete', 'Delete'])] : []),
  ];
  return html`
    <li class="record-row">
      <div>
        <h3 id=${`row-${id}`} tabindex="-1">
          ${mine === undefined ? html`<bdi>${name}</bdi>` : html`<a href=${linkTo('/', id)}><bdi>${name}</bdi></a>`}
          ${!active && html`${' '}<span class="tag">archived</span>`}
        </h3>
        <ul class="facts">
          <li>${mine === undefined ? 'You have no access' : ACCESS[mine.access]}</li>
          <li>made <${Moment} at=${createdAt} /></li>
        </ul>
      </div>
      <div class="actions">
        ${acts.map(
          ([act, text]) => html`
            <button key=${act} type="button" class=${act === 'delete' ? 'small danger' : 'small'} onClick=${() => open(act)}>
              ${text}<span class="unseen"> – <bdi>${name}</bdi></span>
            </button>
          `,
        )}
      </div>
    </li>
  `;
}
