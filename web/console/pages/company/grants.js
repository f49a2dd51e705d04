import { leavesPart, useLeaveQuestion } from '../../address.js';
import { html, useState } from '../../html.js';
import { useFocus } from '../../parts/action.js';
import { useAll } from '../../parts/all.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { count } from '../../parts/words.js';
import { ACCESS } from './ask-for-access.js';

/**
 * @typedef {import('../../../../shared/schemas/people.ts').CompanyGrant} CompanyGrant
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('../../../../shared/schemas/teams.ts').Team} Team
 * @typedef {'none' | 'read' | 'full'} Access
 */

/** With more Teams, a row would be too narrow for them. */
const MAX_COLUMNS = 5;

/** @param {Member} admin @param {Team} team */
const keyOf = ({ userId }, { id }) => `${userId}-${id}`;

/**
 * The access of the Company's Admins to its Teams, as a table of people and Teams. An Owner changes it: the changes
 * are sent together, so that no other access is given while one is chosen with the keyboard.
 * @param {import('./part.d.ts').PartProps} props
 */
export function Grants({ ask, owner, link, say }) {
  /** @type {ReturnType<typeof useAll<Member>>} */
  const members = useAll(ask, 'company/members');
  /** @type {ReturnType<typeof useAll<Team>>} */
  const teams = useAll(ask, 'company/teams');
  /** @type {ReturnType<typeof useAll<CompanyGrant>>} */
  const grants = useAll(ask, 'company/grants');
  const [chosen, setChosen] = useState(/** @type {Readonly<Record<string, Access>>} */ ({}));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {import('../../html.js').Children} */ (''));
  const focus = useFocus();

  const lists = [members, teams, grants];
  const unread = lists.find((list) => list.problem !== '');
  const reload = () => Promise.all(lists.map((list) => list.reload()));
  const admins = (members.items ?? []).filter(({ role }) => role === 'admin');
  /** @type {Map<string, Access>} */
  const given = new Map(
    (grants.items ?? []).map(({ userId, teamId, access }) => [`${userId}-${teamId}`, access]),
  );
  // In an archived Team, grants can only be taken away.
  const columns = (teams.items ?? []).filter(
    (team) => team.state === 'active' || admins.some((admin) => given.has(keyOf(admin, team))),
  );
  const changes = admins.flatMap((admin) =>
    columns.flatMap((team) => {
      const access = chosen[keyOf(admin, team)];
      return access === undefined || access === (given.get(keyOf(admin, team)) ?? 'none')
        ? []
        : [{ admin, team, access }];
    }),
  );

  useLeaveQuestion(
    changes.length === 0
      ? ''
      : `${count(changes.length, 'change')} of grants ${changes.length === 1 ? 'is' : 'are'} not saved. Leave all the same?`,
    leavesPart,
  );

  async function save() {
    if (busy) return;
    setBusy(true);
    setProblem('');
    let made = 0;
    for (const { admin, team, access } of changes) {
      const path = `company/grants/${admin.userId}/${team.id}`;
      const reply = access === 'none' ? await ask('DELETE', path) : await ask('PUT', path, { access });
      // A grant that no longer exists has been taken away already.
      if (isDone(reply) || (access === 'none' && reply.status === 404)) {
        made += 1;
        continue;
      }
      setProblem(html`<bdi>${admin.name}</bdi> in <bdi>${team.name}</bdi>: ${problemOf(reply)}`);
      break;
    }
    await reload();
    setBusy(false);
    if (made > 0) say(`${count(made, 'grant')} changed.`);
    if (made === changes.length) {
      setChosen({});
      focus('part-heading');
    }
  }

  return html`
    <h2 id="part-heading" tabindex="-1">Grants</h2>
    <p class="quiet">
      What Admins of the Company can do in each Team. Owners have Full access everywhere; all others get their rights in each Team, on${' '}
      <a href=${link('/people')}>People</a>.
    </p>
    <p role="alert">${problem || unread?.problem}</p>
    ${unread !== undefined && html`<button type="button" class="small" onClick=${reload}>Try again</button>`}
    ${
      lists.every(({ items }) => items !== null)
        ? admins.length === 0
          ? html`<p>The Company has no Admin. ${owner && html`<a href=${link('/company', { part: 'invitations' })}>Invite one</a>, or make a member an Admin in <a href=${link('/company', { part: 'people' })}>People</a>.`}</p>`
          : columns.length === 0
            ? html`<p>The Company has no Team yet. <a href=${link('/company')}>Make one</a>.</p>`
            : html`<${Matrix} admins=${admins} columns=${columns} valueOf=${valueOf} owner=${owner} choose=${choose} given=${given} />`
        : unread === undefined && html`<p class="quiet" role="status">Loading grants …</p>`
    }
    ${
      owner &&
      admins.length > 0 &&
      html`
        <div class="actions save-bar">
          <span class="quiet" role="status">${changes.length > 0 && `${count(changes.length, 'change')} not saved`}</span>
          ${
            changes.length > 0 &&
            html`
              <button type="button" class="small" onClick=${discard}>Discard</button>
              <button type="button" class="fit" aria-busy=${busy ? 'true' : undefined} onClick=${save}>Save the changes</button>
            `
          }
        </div>
      `
    }
  `;

  /** @param {Member} admin @param {Team} team @returns {Access} */
  function valueOf(admin, team) {
    return chosen[keyOf(admin, team)] ?? given.get(keyOf(admin, team)) ?? 'none';
  }
  /** @param {string} key @param {Access} access */
  function choose(key, access) {
    setChosen((before) => ({ ...before, [key]: access }));
  }
  function discard() {
    setChosen({});
    setProblem('');
    focus('part-heading');
  }
}

/**
 * @param {object} props
 * @param {readonly Member[]} props.admins
 * @param {readonly Team[]} props.columns
 * @param {(admin: Member, team: Team) => Access} props.valueOf
 * @param {ReadonlyMap<string, Access>} props.given what is saved
 * @param {boolean} props.owner
 * @param {(key: string, access: Access) => void} props.choose
 */
function Matrix({ admins, columns, valueOf, given, owner, choose }) {
  const archived = (/** @type {Team} */ { state }) =>
    state === 'archived' && html`${' '}<span class="tag">archived</span>`;
  return html`
    <table class=${columns.length > MAX_COLUMNS ? 'matrix' : 'matrix small'}>
      <caption class="unseen">The access of each Admin in each Team</caption>
      <thead>
        <tr>
          <th scope="col">Admin</th>
          ${columns.map((team) => html`<th key=${team.id} scope="col"><bdi>${team.name}</bdi>${archived(team)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${admins.map(
          (admin) => html`
            <tr key=${admin.userId}>
              <th scope="row"><bdi>${admin.name}</bdi><small><bdi>${admin.email}</bdi></small></th>
              ${columns.map((team) => {
                const key = keyOf(admin, team);
                const value = valueOf(admin, team);
                // What can be chosen in an archived Team is what it has, or nothing.
                const fixed = !owner || (team.state === 'archived' && !given.has(key));
                const name = html`<bdi>${team.name}</bdi>${archived(team)}`;
                if (fixed)
                  return html`<td key=${team.id}><span class="cell-name">${name}</span> <span>${value === 'none' ? 'No access' : ACCESS[value]}</span></td>`;
                return html`
                  <td key=${team.id} data-changed=${value === (given.get(key) ?? 'none') ? undefined : 'true'}>
                    <label class="cell-name" for=${key}>${name}<span class="unseen"> for <bdi>${admin.name}</bdi></span></label>
                    <select id=${key} value=${value} onChange=${(/** @type {Event} */ { target }) => target instanceof HTMLSelectElement && choose(key, /** @type {Access} */ (target.value))}>
                      ${
                        /** @type {const} */ (['none', 'read', 'full'])
                          .filter(
                            (access) =>
                              team.state === 'active' || access === 'none' || access === given.get(key),
                          )
                          .map(
                            (access) =>
                              html`<option key=${access} value=${access}>${access === 'none' ? 'No access' : ACCESS[access]}</option>`,
                          )
                      }
                    </select>
                  </td>
                `;
              })}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}
