import { html, useMemo } from '../html.js';
import { useKnown } from './all.js';
import { isolated } from './words.js';

/**
 * @typedef {import('../../../shared/schemas/clients.ts').Client} Client
 * @typedef {{ userId: string, name: string }} Member
 * @typedef {ReadonlyMap<string, string>} Names names by id
 */

/**
 * The clients of the Team that the user can reach.
 * @param {import('./ask.js').Ask} ask
 * @returns {readonly Client[] | null} null until they are read
 */
export const useClients = (ask) => useKnown(ask, 'team/clients');

/**
 * The people with a role in the Team.
 * @param {import('./ask.js').Ask} ask
 * @returns {readonly Member[] | null} null until they are read
 */
export const useMembers = (ask) => useKnown(ask, 'team/members');

/** The names of the clients of the Team that the user can reach. @param {import('./ask.js').Ask} ask */
export function useClientNames(ask) {
  const clients = useClients(ask);
  return useMemo(
    () => /** @type {Names} */ (new Map((clients ?? []).map(({ id, name }) => [id, name]))),
    [clients],
  );
}

/**
 * The names of the people that the user can see, by the id of their account.
 * @param {import('./ask.js').Ask} ask
 * @param {Pick<import('../section.d.ts').Session, 'user' | 'company'>} session
 * @returns {Names | null} null until they are read
 */
export function usePeopleNames(ask, { user, company }) {
  /** @type {readonly Member[] | null} */
  const people = useKnown(ask, company.role === 'member' ? 'team/members' : 'company/members');
  return useMemo(
    () =>
      people &&
      /** @type {Names} */ (
        new Map([
          [user.id, user.name],
          ...people.map(({ userId, name }) => /** @type {const} */ ([userId, name])),
        ])
      ),
    [people, user],
  );
}

/**
 * The layer of a record.
 * @param {object} props
 * @param {string | null} props.id of the client; null: the Team layer
 * @param {readonly Client[] | null} props.clients
 */
export function Layer({ id, clients }) {
  if (id === null) return html`<span>Team layer</span>`;
  const client = clients?.find((one) => one.id === id);
  return html`<span>Client${client !== undefined && html` <bdi>${client.name}</bdi>`}</span>`;
}

/**
 * The layers to show in a list: all, or that of one client. A field for a form of filters.
 * @param {object} props
 * @param {readonly Client[]} props.clients
 */
export const LayerFilter = ({ clients }) => html`
  <div>
    <label for="filter-client">Layer</label>
    <select id="filter-client" name="client">
      <option value="">All layers</option>
      ${clients.map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
    </select>
  </div>
`;
