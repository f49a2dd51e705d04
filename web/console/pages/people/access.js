import { html, useState } from '../../html.js';
import { useAll } from '../../parts/all.js';
import { count } from '../../parts/words.js';
import { Filter, matches, useTitle } from './team-page.js';
import { cellKey, useGrants } from './use-grants.js';

/**
 * @typedef {import('./team-page.js').TeamPage} TeamPage
 * @typedef {import('../../../../shared/schemas/people.ts').Member} Member
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 * @typedef {import('../../../../shared/schemas/people.ts').ClientGrant} ClientGrant
 */

/** How many people and clients the table shows at a time. */
const ROWS = 25;
const COLUMNS = 6;

/** @param {{ name: string }} a @param {{ name: string }} b */
const byName = (a, b) => a.name.localeCompare(b.name);

/**
 * Who can open which client.
 * @param {object} props
 * @param {TeamPage} props.page
 */
export function View({ page }) {
  useTitle(page, 'Access to clients');
  return page.rights.manages ? html`<${Matrix} page=${page} />` : html`<${OwnAccess} page=${page} />`;
}

/**
 * Members and clients, with the access of each member to each client.
 * @param {object} props
 * @param {TeamPage} props.page
 */
function Matrix({ page }) {
  const { ask, link } = page;
  /** @type {ReturnType<typeof useAll<Member>>} */
  const members = useAll(ask, 'team/members');
  /** @type {ReturnType<typeof useAll<Client>>} */
  const clients = useAll(ask, 'team/clients');
  /** @type {ReturnType<typeof useAll<ClientGrant>>} */
  const grants = useAll(ask, 'team/grants');
  const lists = [members, clients, grants];
  const problem = lists.map((list) => list.problem).find((text) => text !== '') ?? '';
  const isRead = lists.every(({ items }) => items !== null);

  const people = [...(members.items ?? [])].filter(({ role }) => role === 'member').sort(byName);
  const columns = [...(clients.items ?? [])].sort(byName);
  const reload = () => void Promise.all(lists.map((list) => list.reload()));

  return html`
    <section class="card" aria-labelledby="access-heading">
      <h2 id="access-heading" tabindex="-1">Access to clients</h2>
      <p class="quiet">
        Every Member reads and writes the Team layer. Here you open clients to them, one by one. Owners and Admins reach
        every client, so they are not listed. A change takes effect on the next request of that person.
      </p>
      <p role="alert">${problem}</p>
      ${problem !== '' && html`<button type="button" class="small" onClick=${reload}>Try again</button>`}
      ${!isRead && problem === '' && html`<p class="quiet" role="status">Loading access …</p>`}
      ${
        isRead &&
        (people.length === 0
          ? html`<p>Nobody has the role of a Member yet. <a href=${link('/people')}>Invite someone</a>.</p>`
          : columns.length === 0
            ? html`<p>The Team has no clients yet. <a href=${link('/clients')}>Create one</a>.</p>`
            : html`
                <div class="filters two">
                  <${Filter} page=${page} path="/people" name="person" label="Find a person" />
                  <${Filter} page=${page} path="/people" name="client" label="Find a client" />
                </div>
                <${Grid} page=${page} people=${people} clients=${columns} grants=${grants.items} reload=${reload} />
              `)
      }
    </section>
  `;
}

/**
 * The table. It shows a part of the people and clients at a time.
 * @param {object} props
 * @param {TeamPage} props.page
 * @param {readonly Member[]} props.people
 * @param {readonly Client[]} props.clients
 * @param {readonly ClientGrant[]} props.grants
 * @param {() => void} props.reload reads everything again
 */
function Grid({ page, people, clients, grants, reload }) {
  const { query } = page;
  const { accessOf, set, outcome, problem } = useGrants(page.ask, grants, reload);
  const [shownRows, setShownRows] = useState(ROWS);
  const [from, setFrom] = useState(0);
  const person = query.get('person') ?? '';
  const client = query.get('client') ?? '';
  const found = people.filter(({ name, email }) => matches(person, [name, email]));
  const columns = clients.filter(({ name }) => matches(client, [name]));
  const first = from < columns.length ? from : 0;
  const shown = columns.slice(first, first + COLUMNS);
  const rows = found.slice(0, shownRows);
  /** Names that several people have are told apart by their emails. */
  const names = new Map();
  for (const { name } of people) names.set(name, (names.get(name) ?? 0) + 1);
  /** @param {Member} member */
  const spoken = ({ name, email }) => (names.get(name) > 1 ? `${name} (${email})` : name);

  if (found.length === 0)
    return html`<p class="quiet" role="status">No Member has this in their name or email.</p>`;
  if (columns.length === 0) return html`<p class="quiet" role="status">No client has this in its name.</p>`;
  return html`
    <div class="bar">
      <p class="quiet" role="status">
        ${columns.length <= COLUMNS ? count(columns.length, 'client') : `Clients ${first + 1} to ${first + shown.length} of ${columns.length}`}
      </p>
      ${
        columns.length > COLUMNS &&
        html`<div class="actions">
          <button type="button" class="small" aria-disabled=${first === 0 ? 'true' : undefined} onClick=${() => first > 0 && setFrom(first - COLUMNS)}>Previous clients</button>
          <button type="button" class="small" aria-disabled=${first + COLUMNS >= columns.length ? 'true' : undefined}
            onClick=${() => first + COLUMNS < columns.length && setFrom(first + COLUMNS)}>Next clients</button>
        </div>`
      }
    </div>
    <p role="alert" dir="auto">${problem}</p>
    <p role="status" class="outcome" dir="auto">${outcome}</p>
    <table class="access-grid" role="table">
      <caption class="unseen">Access of each Member to each client</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">Member</th>
          ${shown.map(({ id, name }) => html`<th key=${id} scope="col" role="columnheader"><bdi>${name}</bdi></th>`)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (member) => html`
            <tr key=${member.userId} role="row">
              <th scope="row" role="rowheader"><bdi>${member.name}</bdi><small><bdi>${member.email}</bdi></small></th>
              ${shown.map(
                (column) => html`
                  <td key=${column.id} role="cell">
                    <span class="cell-name" aria-hidden="true"><bdi>${column.name}</bdi></span>
                    <${Cell} label=${`${spoken(member)}, client ${column.name}`} access=${accessOf(cellKey(member.userId, column.id))}
                      mayGive=${page.rights.changes} choose=${(/** @type {string} */ access) => set(member, column, access)} />
                  </td>
                `,
              )}
            </tr>
          `,
        )}
      </tbody>
    </table>
    <div class="list-end">
      <p class="quiet" role="status">${rows.length < found.length ? `${rows.length} of ${count(found.length, 'Member')}` : count(found.length, 'Member')}</p>
      ${rows.length < found.length && html`<button type="button" class="small" onClick=${() => setShownRows(shownRows + ROWS)}>Show more</button>`}
    </div>
  `;
}

const LEVELS = [
  { access: '', name: 'None' },
  { access: 'read', name: 'Read' },
  { access: 'write', name: 'Write' },
];

/**
 * @param {object} props
 * @param {string} props.label
 * @param {string} props.access '' without access
 * @param {boolean} props.mayGive otherwise it can only be revoked
 * @param {(access: string) => void} props.choose
 */
function Cell({ label, access, mayGive, choose }) {
  /** @param {Event} event */
  function change({ currentTarget }) {
    if (currentTarget instanceof HTMLSelectElement) choose(currentTarget.value);
  }
  const offered = LEVELS.filter((level) => mayGive || level.access === '' || level.access === access);
  return html`
    <select aria-label=${label} data-access=${access} value=${access} onChange=${change}>
      ${offered.map((level) => html`<option key=${level.access} value=${level.access}>${level.name}</option>`)}
    </select>
  `;
}

/**
 * What the user can open, for those who give no access.
 * @param {object} props
 * @param {TeamPage} props.page
 */
function OwnAccess({ page }) {
  const { ask, team, link } = page;
  /** @type {ReturnType<typeof useAll<Client>>} */
  const { items, problem, reload } = useAll(ask, 'team/clients');
  const clients = [...(items ?? [])].sort(byName);
  return html`
    <section class="card" aria-labelledby="access-heading">
      <h2 id="access-heading" tabindex="-1">Your access to clients</h2>
      <p class="quiet">
        ${
          team.access === 'read'
            ? 'You read the Team layer and every client. To write, you need Full access from an Owner of the Company.'
            : 'You read and write the Team layer. Owners and Admins of the Team open clients to you.'
        }
      </p>
      <p role="alert">${problem}</p>
      ${problem !== '' && html`<button type="button" class="small" onClick=${reload}>Try again</button>`}
      ${items === null && problem === '' && html`<p class="quiet" role="status">Loading access …</p>`}
      ${items?.length === 0 && html`<p>No client is open to you. Ask one of the <a href=${link('/people')}>Owners or Admins</a> of the Team.</p>`}
      <ul class="records">
        ${clients.map(
          ({ id, name, access }) => html`
            <li key=${id} class="own-access">
              <bdi>${name}</bdi> <span class="tag">${access === 'write' ? 'Read and write' : 'Read'}</span>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}
