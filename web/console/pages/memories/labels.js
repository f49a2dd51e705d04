import { html, useLayoutEffect, useState } from '../../html.js';
import { isDone } from '../../parts/ask.js';

/**
 * @typedef {import('../../../../shared/schemas/library.ts').Memory} Memory
 * @typedef {{ id: string, name: string }} Client
 * @typedef {{ userId: string, name: string }} Member
 */

/** What each state of a memory is called. @type {Readonly<Record<Memory['state'], string>>} */
export const STATE_NAMES = {
  review: 'In review',
  published: 'Published',
  discarded: 'Discarded',
  archived: 'Archived',
};

/**
 * Reads a whole list of the Team, which is short, such as its clients.
 * @template Item
 * @param {import('../../parts/ask.js').Ask} ask
 * @param {string} path
 * @returns {readonly Item[] | null} null until it is read. What could not be read is missing
 */
function useAll(ask, path) {
  const [items, setItems] = useState(/** @type {readonly Item[] | null} */ (null));
  useLayoutEffect(() => {
    async function read() {
      /** @type {Item[]} */
      const found = [];
      for (let cursor = ''; ; ) {
        const reply = await ask('GET', `${path}?limit=200${cursor}`);
        if (!isDone(reply)) break;
        found.push(...reply.answer.items);
        if (reply.answer.nextCursor === null) break;
        cursor = `&cursor=${encodeURIComponent(reply.answer.nextCursor)}`;
      }
      setItems(found);
    }
    void read();
  }, [ask, path]);
  return items;
}

/**
 * The clients that the user can reach.
 * @param {import('../../parts/ask.js').Ask} ask
 * @returns {readonly Client[] | null}
 */
export const useClients = (ask) => useAll(ask, 'team/clients');

/**
 * The people with a role in the Team.
 * @param {import('../../parts/ask.js').Ask} ask
 * @returns {readonly Member[] | null}
 */
export const useMembers = (ask) => useAll(ask, 'team/members');

/**
 * The layer of a record.
 * @param {object} props
 * @param {string | null} props.id of the client; null: the Team layer
 * @param {readonly Client[] | null} props.clients
 */
export function Layer({ id, clients }) {
  if (id === null) return html`<span>Team layer</span>`;
  const client = clients?.find((one) => one.id === id);
  return html`<span>Client${client === undefined ? '' : html` <bdi>${client.name}</bdi>`}</span>`;
}

/**
 * Who did something.
 * @param {object} props
 * @param {string} props.id
 * @param {string | null} [props.name] if it is known already
 * @param {import('../../section.d.ts').Session} props.session
 * @param {readonly Member[] | null} props.members
 */
export function Person({ id, name, session, members }) {
  if (id === session.user.id) return html`<span>You</span>`;
  const known = name ?? members?.find(({ userId }) => userId === id)?.name;
  return known == null ? html`<span>Someone who is not in this Team</span>` : html`<bdi>${known}</bdi>`;
}

/**
 * The start of a text.
 * @param {string} text
 * @param {number} [length]
 */
export function excerpt(text, length = 280) {
  const all = Array.from(text.slice(0, 2 * length + 2));
  return all.length <= length ? text : `${all.slice(0, length).join('').trimEnd()} …`;
}

/**
 * The layers to show in a list: all, or that of one client.
 * @param {object} props
 * @param {readonly Client[]} props.clients
 */
export const ClientFilter = ({ clients }) => html`
  <div>
    <label for="filter-client">Layer</label>
    <select id="filter-client" name="client">
      <option value="">All layers</option>
      ${clients.map(({ id, name }) => html`<option key=${id} value=${id}>${`\u2068${name}\u2069`}</option>`)}
    </select>
  </div>
`;
