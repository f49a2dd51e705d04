import { html } from '../../html.js';
import { KINDS, Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../section.d.ts').PageProps} PageProps
 * @typedef {import('../../../../shared/schemas/sources.ts').Source} Source
 * @typedef {import('../../../../shared/schemas/clients.ts').Client} Client
 * @typedef {import('../../../../shared/schemas/sources.ts').Chunk} Chunk
 * @typedef {Omit<Source, 'chunks'> & { metadata: Record<string, unknown>, chunks: readonly Chunk[],
 *   nextCursor: string | null }} SourceText a source with the first of its passages
 * @typedef {Pick<PageProps, 'session' | 'team'>} User who looks at a source, and in which Team
 */

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
