import { html, useLayoutEffect, useState } from '../../html.js';
import { isDone, withQuery } from '../../parts/ask.js';
import { Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../section.d.ts').PageProps} PageProps
 * @typedef {import('../../../../shared/schemas/memory.ts').Source} Source
 * @typedef {import('../../../../shared/schemas/identity.ts').Client} Client
 * @typedef {import('../../../../shared/schemas/memory.ts').Chunk} Chunk
 * @typedef {Omit<Source, 'chunks'> & { metadata: Record<string, unknown>, chunks: readonly Chunk[],
 *   nextCursor: string | null }} SourceText a source with the first of its passages
 * @typedef {Pick<PageProps, 'session' | 'team'>} User who looks at a source, and in which Team
 */

/** What kinds of sources are called. @type {Readonly<Record<Source['kind'], string>>} */
export const KINDS = {
  ingest: 'Stored text',
  import: 'Imported file',
  memory: 'Memory',
  file: 'Workspace file',
};

/** What the state in the address shows. @type {Readonly<Record<string, string>>} */
export const STATES = { '': 'Active', archived: 'Archived', all: 'Active and archived' };

/**
 * What the address asks for.
 * @param {URLSearchParams} query
 */
export function criteriaOf(query) {
  const given = (/** @type {string} */ name) => query.get(name)?.trim() ?? '';
  const kind = given('kind');
  const state = given('state');
  return {
    q: given('q').slice(0, 300),
    kind: Object.hasOwn(KINDS, kind) ? /** @type {Source['kind']} */ (kind) : null,
    tag: given('tag').slice(0, 50),
    client: given('client'),
    state: Object.hasOwn(STATES, state) ? state : '',
  };
}

/** @typedef {ReturnType<typeof criteriaOf>} Criteria */

/** For how long archived sources can be restored, unless the operator sets another time. */
const ARCHIVE_DAYS = 30;

/**
 * Reads a whole list of the Team, which is short, such as its clients.
 * @template Item
 * @param {import('../../parts/ask.js').Ask} ask
 * @param {string | null} path null reads nothing
 * @returns {readonly Item[] | null} null until it is read. What could not be read is missing
 */
export function useAll(ask, path) {
  const [items, setItems] = useState(/** @type {readonly Item[] | null} */ (null));
  useLayoutEffect(() => {
    async function read() {
      if (path === null) return;
      /** @type {Item[]} */
      const found = [];
      /** @type {string | null} */
      let cursor = null;
      do {
        const reply = await ask('GET', withQuery(path, { limit: 200, cursor }));
        if (!isDone(reply)) break;
        found.push(...reply.answer.items);
        cursor = reply.answer.nextCursor;
      } while (cursor !== null);
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
 * A name within a text that can have no elements, such as an option: with the characters that isolate its direction.
 * @param {string} name
 */
export const isolated = (name) => `\u2068${name}\u2069`;

/**
 * The layer of a source.
 * @param {object} props
 * @param {string | null} props.id of the client; null: the Team layer
 * @param {readonly Client[] | null} props.clients
 */
export function Layer({ id, clients }) {
  if (id === null) return html`<span>Team layer</span>`;
  const client = clients?.find((one) => one.id === id);
  return html`<span>Client${client !== undefined && html` <bdi>${client.name}</bdi>`}</span>`;
}

/** @param {Pick<Source, 'expiresAt'>} source */
export const isExpired = ({ expiresAt }) => expiresAt !== null && Date.parse(expiresAt) <= Date.now();

/**
 * Whether the user can write in a layer.
 * @param {User} user
 * @param {string | null} clientId null: the Team layer
 * @param {readonly Client[] | null} clients
 */
export function canWrite({ team }, clientId, clients) {
  if (team.state !== 'active' || team.access === 'read') return false;
  if (team.access === 'full' || clientId === null) return true;
  return clients?.some(({ id, access }) => id === clientId && access === 'write') === true;
}

/**
 * What the user can do with a source.
 * @param {User} user
 * @param {Omit<Source, 'chunks'>} source
 * @param {readonly Client[] | null} clients
 */
export function rightsOn(user, source, clients) {
  const { kind, state, clientId, createdBy } = source;
  const isFull = user.team.access === 'full';
  const changes =
    kind !== 'memory' && (isFull || createdBy === user.session.user.id) && canWrite(user, clientId, clients);
  const isOwn = changes && kind !== 'file';
  return {
    tags: changes && state === 'active',
    /** Its title, its expiry and its layer, and to archive it. */
    change: isOwn && state === 'active',
    restore: isOwn && state === 'archived' && !isExpired(source),
    purge: isOwn && isFull,
  };
}

/**
 * What archiving means.
 * @param {{ many?: boolean }} props
 */
export const ArchiveMeaning = ({ many = false }) => html`
  <p>
    Searches and agents no longer find ${many ? 'them' : 'it'}, and nobody can read
    ${many ? ' their texts' : ' its text'}. For ${ARCHIVE_DAYS} days, until
    ${' '}<${Moment} at=${daysAfter(new Date())} />, you can restore ${many ? 'them' : 'it'} with everything. After that,
    the ${many ? 'texts are' : 'text is'} deleted. The operator of the service can have set another time.
  </p>
`;

/**
 * Until when a source that was archived then can be restored.
 * @param {Date} archived
 */
export function daysAfter(archived) {
  const end = new Date(archived);
  end.setDate(end.getDate() + ARCHIVE_DAYS);
  return end.toISOString();
}

/**
 * Why something was not done. If the service names another source, with a link to it.
 * @param {{ text: string, link: PageProps['link'] }} props
 */
export function Problem({ text, link }) {
  const [id] = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/.exec(text) ?? [];
  if (id === undefined) return text;
  const [before, after] = text.split(id);
  // The id says nothing to people.
  return html`${before?.trimEnd()}${after} <a href=${link(`/sources/${id}`)}>Show that source</a>`;
}
