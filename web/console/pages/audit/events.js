import { linkTo } from '../../address.js';
import { html } from '../../html.js';
import { useClientNames } from '../../parts/names.js';
import { count, Moment } from '../../parts/words.js';
import { AUDIT_MEANINGS } from './audit-kinds.js';

/**
 * @typedef {import('../../../../shared/schemas/audit.ts').AuditEvent} AuditEvent
 * @typedef {readonly [name: string, value: string]} Pair
 */

/** The actor of automatic work: NOBODY in shared/scope.ts. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** What a summary of details shows at most. */
const SHORT = { pairs: 3, length: 60 };

/**
 * A page of events, the newest first.
 * @param {object} props
 * @param {readonly AuditEvent[]} props.events
 * @param {import('../../section.d.ts').CompanyPageProps} props.page
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {string} props.of '' for the events of the Team that is shown
 * @param {ReadonlyMap<string, string>} props.teams their names by id
 */
export function Events({ events, page, ask, of, teams }) {
  const List = page.team === null ? EventTable : TeamEvents;
  return html`<${List} events=${events} page=${page} ask=${ask} of=${of} teams=${teams} clients=${new Map()} />`;
}

/** The same, with the names of the Team's clients. @param {Parameters<typeof EventTable>[0] & { ask: import('../../parts/ask.js').Ask }} props */
function TeamEvents({ ask, ...props }) {
  const clients = useClientNames(ask);
  return html`<${EventTable} ...${props} clients=${clients} />`;
}

/**
 * @param {object} props
 * @param {readonly AuditEvent[]} props.events
 * @param {import('../../section.d.ts').CompanyPageProps} props.page
 * @param {string} props.of
 * @param {ReadonlyMap<string, string>} props.teams
 * @param {ReadonlyMap<string, string>} props.clients
 */
function EventTable({ events, page, of, teams, clients }) {
  const { link } = page;
  /** @param {AuditEvent} event */
  function row(event) {
    const { id, kind, actorId, actorName, tokenId, subjectId, at } = event;
    return html`
      <tr key=${id}>
        <th scope="row" data-label="What">
          ${AUDIT_MEANINGS[kind] ?? ''} <small><code>${kind}</code></small>
        </th>
        <td data-label="When"><${Moment} at=${at} /></td>
        <td data-label="By">
          ${actorName === null ? html`<span class="quiet">${formerName(actorId)}</span>` : html`<bdi>${actorName}</bdi>`}
          ${tokenId !== null && html`<small>with an agent token</small>`}
        </td>
        <td data-label="About" class="audit-wide">
          <${Subject} event=${event} page=${page} clients=${clients} />
          <${Place} event=${event} of=${of} page=${page} teams=${teams} clients=${clients} />
        </td>
        <td data-label="Details" class="audit-wide"><${Details} event=${event} all=${subjectId === null ? null : link('/audit', { of, subject: subjectId })} /></td>
      </tr>
    `;
  }
  return html`
    <table class="stacked">
      <caption class="unseen">Audit events, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">When</th>
          <th scope="col">By</th>
          <th scope="col">About</th>
          <th scope="col">Details</th>
        </tr>
      </thead>
      <tbody>${events.map(row)}</tbody>
    </table>
  `;
}

/**
 * Who has no name: the service, or the pseudonym of a person who was erased, as shared/formats/names.ts makes it.
 * @param {string} userId
 */
const formerName = (userId) => (userId === NOBODY ? 'the service' : `Former member ${userId.slice(-6)}`);

/**
 * The record that an event is about, with a link if it has a page that the user can open.
 * @param {object} props
 * @param {AuditEvent} props.event
 * @param {import('../../section.d.ts').CompanyPageProps} props.page
 * @param {ReadonlyMap<string, string>} props.clients
 */
function Subject({ event, page: { session }, clients }) {
  const { subjectType, subjectId, subjectName, teamId, detail } = event;
  const type = words(subjectType);
  const { name: named, path } = detail;
  // The client is named next to it.
  const inLayer = typeof path === 'string' ? path.replace(/^(team|clients\/[^/]*)\//, '') : null;
  const other = subjectType === 'client' ? clients.get(subjectId ?? '') : undefined;
  const erased = subjectType === 'account' && subjectId !== null ? formerName(subjectId) : undefined;
  const name =
    subjectName ?? [named, inLayer, other, erased].find((text) => typeof text === 'string') ?? null;
  const text = name === null ? type : html`${type} <bdi>${name}</bdi>`;
  // The id of a deleted Team leads nowhere.
  if (teamId === null || !session.teams.some(({ id }) => id === teamId)) return text;
  if (subjectType === 'source' || subjectType === 'memory') {
    if (subjectId === null) return text;
    return html`<a href=${linkTo(subjectType === 'source' ? `/sources/${subjectId}` : `/memories/${subjectId}`, teamId)}>${text}</a>`;
  }
  if (subjectType === 'file' && typeof path === 'string') {
    return html`<a href=${linkTo('/files', teamId, { path })}>${text}</a>`;
  }
  return text;
}

/**
 * Where it happened: the client, and the Team on a list of several.
 * @param {object} props
 * @param {AuditEvent} props.event
 * @param {string} props.of
 * @param {import('../../section.d.ts').CompanyPageProps} props.page
 * @param {ReadonlyMap<string, string>} props.teams
 * @param {ReadonlyMap<string, string>} props.clients
 */
function Place({ event: { teamId, clientId }, of, page: { link }, teams, clients }) {
  const client = clientId === null ? null : clients.get(clientId);
  const team = teamId === null ? undefined : teams.get(teamId);
  return html`
    ${clientId !== null && html`<small>in ${client === undefined || client === null ? 'a client' : html`the client <bdi>${client}</bdi>`}</small>`}
    ${
      of !== '' &&
      teamId !== null &&
      html`<small>in <a href=${link('/audit', { of: teamId })}>${team === undefined ? 'a deleted Team' : html`the Team <bdi>${team}</bdi>`}</a></small>`
    }
  `;
}

/**
 * The details as pairs, behind the shortest of them.
 * @param {object} props
 * @param {AuditEvent} props.event
 * @param {string | null} props.all the link to all events about the same record
 */
function Details({ event, all }) {
  const { id, actorId, tokenId, subjectId, detail } = event;
  const pairs = pairsOf(detail);
  // The record is named by these already.
  const short = pairs
    .filter(([name, value]) => !['name', 'path'].includes(name) && name.length + value.length <= SHORT.length)
    .slice(0, SHORT.pairs);
  /** @type {readonly (readonly [string, string | null])[]} */
  const ids = [
    ['record', subjectId],
    ['person', actorId],
    ['agent token', tokenId],
    ['event', id],
  ];
  const summary = short.length === 0 ? (pairs.length === 0 ? 'Ids' : count(pairs.length, 'detail')) : null;
  return html`
    <details>
      <summary>
        ${summary ?? short.map(([name, value], index) => html`${index > 0 && ', '}${name} <bdi>${value}</bdi>`)}
      </summary>
      <dl class="named">
        ${pairs.map(([name, value]) => html`<dt>${name}</dt><dd><bdi>${value}</bdi></dd>`)}
        ${ids.map(([name, value]) => value !== null && html`<dt>Id of the ${name}</dt><dd><code>${value}</code></dd>`)}
      </dl>
      ${all !== null && html`<p><a href=${all}>All events about this record</a></p>`}
    </details>
  `;
}

/**
 * The pairs of a detail; what is nested has the names of both.
 * @param {Readonly<Record<string, unknown>>} detail
 * @param {string} above
 * @returns {Pair[]}
 */
function pairsOf(detail, above = '') {
  return Object.entries(detail).flatMap(([key, value]) => {
    const name = above === '' ? words(key) : `${above} ${words(key)}`;
    if (Array.isArray(value))
      return [/** @type {const} */ ([name, value.length === 0 ? 'none' : value.map(inWords).join(', ')])];
    if (typeof value === 'object' && value !== null) {
      return pairsOf(/** @type {Readonly<Record<string, unknown>>} */ (value), name);
    }
    return [/** @type {const} */ ([name, inWords(value)])];
  });
}

/** @param {unknown} value */
function inWords(value) {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** `hitIds` and `access_request` as words. */
const words = (/** @type {string} */ name) =>
  name
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
