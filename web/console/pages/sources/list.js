import { useLeaveQuestion } from '../../address.js';
import { html, useLayoutEffect, useState } from '../../html.js';
import { toHeading } from '../../parts/action.js';
import { useKnown } from '../../parts/all.js';
import { useAsk, withQuery } from '../../parts/ask.js';
import { Filters, ListEnd, useList } from '../../parts/list.js';
import { Layer, LayerFilter, useClients } from '../../parts/names.js';
import { count, KINDS, Moment, size } from '../../parts/words.js';
import { criteriaOf, rightsOn, STATES } from './labels.js';
import { Many, useWork } from './many.js';
import { SourceRecord } from './record.js';

/**
 * @typedef {import('./labels.js').PageProps} PageProps
 * @typedef {import('./labels.js').Source} Source
 * @typedef {import('./labels.js').Client} Client
 * @typedef {import('./labels.js').Criteria} Criteria
 */

/**
 * The pages at /sources and /sources/{id}.
 * @param {PageProps} props
 */
export const Page = (props) =>
  props.record === null
    ? html`<${SourceList} ...${props} />`
    : html`<${SourceRecord} ...${props} id=${props.record} />`;

/**
 * All sources that the user can read.
 * @param {PageProps} props
 */
function SourceList(props) {
  const { query, setTitle } = props;
  const ask = useAsk(props);
  const clients = useClients(ask);
  const criteria = criteriaOf(query);
  const { client, state } = criteria;
  /** Is asked before the page is left while several sources are archived. */
  const [unfinished, setUnfinished] = useState('');
  useLeaveQuestion(unfinished);
  const work = useWork(query.toString());
  useLayoutEffect(() => setTitle(state === '' ? '' : (STATES[state] ?? '')), [state]);
  // A client that the user cannot reach is not asked for.
  const isKnown = client === '' || clients?.some(({ id }) => id === client);
  return html`
    <div class="page">
      <${SourceFilters} ...${props} ask=${ask} clients=${clients} />
      ${
        isKnown
          ? html`<${Results} ...${props} ask=${ask} clients=${clients} criteria=${criteria} work=${work} setUnfinished=${setUnfinished} />`
          : clients === null
            ? html`<section class="card"><p class="quiet" role="status">Loading sources …</p></section>`
            : html`<section class="card">
              <p role="status">There is no such client, or you do not have access to it.</p>
              <p><a href=${props.link('/sources')} onClick=${toHeading}>Show all sources</a></p>
            </section>`
      }
    </div>
  `;
}

/**
 * The filters. They live in the address.
 * @param {PageProps & { ask: import('../../parts/ask.js').Ask, clients: readonly Client[] | null }} props
 */
function SourceFilters({ ask, query, clients, link, go }) {
  /** @type {readonly { tag: string, count: number }[] | null} */
  const tags = useKnown(ask, 'memory/tags');
  return html`
    <${Filters} label="Filter the sources" path="/sources" query=${query} link=${link} go=${go} clients=${clients}>
      <div class="wide">
        <label for="filter-q">Title or address contains</label>
        <input id="filter-q" name="q" type="search" maxlength="300" />
      </div>
      <div>
        <label for="filter-kind">Kind</label>
        <select id="filter-kind" name="kind">
          <option value="">All kinds</option>
          ${Object.entries(KINDS).map(([kind, name]) => html`<option value=${kind}>${name}</option>`)}
        </select>
      </div>
      <div>
        <label for="filter-tag">Tag</label>
        <input id="filter-tag" name="tag" maxlength="50" list="filter-tags" autocomplete="off" />
        <datalist id="filter-tags">
          ${tags?.map(({ tag, count: n }) => html`<option key=${tag} value=${tag}>${count(n, 'source')}</option>`)}
        </datalist>
      </div>
      ${clients !== null && clients.length > 0 && html`<${LayerFilter} clients=${clients} />`}
      <div>
        <label for="filter-state">State</label>
        <select id="filter-state" name="state">
          ${Object.entries(STATES).map(([state, name]) => html`<option value=${state}>${name}</option>`)}
        </select>
      </div>
    <//>
  `;
}

/**
 * The sources that were asked for, and what can be done with several of them.
 * @param {PageProps & { ask: import('../../parts/ask.js').Ask, clients: readonly Client[] | null, criteria: Criteria,
 *   work: import('./many.js').Work, setUnfinished: (question: string) => void }} props
 */
function Results(props) {
  const { ask, clients, criteria, link } = props;
  const path = withQuery('memory/sources', {
    q: criteria.q,
    kind: criteria.kind,
    tag: criteria.tag,
    clientId: criteria.client,
    state: criteria.state === '' ? 'active' : criteria.state === 'all' ? null : criteria.state,
  });
  const list = useList(ask, path);
  const items = /** @type {readonly Source[] | null} */ (list.items);
  const rights = (/** @type {Source} */ source) => rightsOn(props, source, clients);
  return html`
    <section class="card" aria-label="Sources">
      ${items?.length === 0 && html`<${Empty} ...${props} />`}
      <${Many} key=${path} ...${props} list=${list} items=${items ?? []} rights=${rights}>
        ${(/** @type {(source: Source) => import('../../html.js').Children} */ choice) => html`
          <ul class="records">
            ${items?.map(
              (source) => html`
                <${Row} key=${source.id} source=${source} clients=${clients} link=${link} choice=${choice(source)} />
              `,
            )}
          </ul>
        `}
      <//>
      <${ListEnd} list=${list} one="source" />
    </section>
  `;
}

/**
 * @param {object} props
 * @param {Source} props.source
 * @param {readonly Client[] | null} props.clients
 * @param {PageProps['link']} props.link
 * @param {import('../../html.js').Children} props.choice the box that selects it
 */
function Row({ source, clients, link, choice }) {
  const { id, kind, title, state, tags, chunks, original, createdAt, updatedAt, expiresAt, found, opened } =
    source;
  return html`
    <li class="source-row">
      ${choice}
      <div>
        <h2><a href=${link(`/sources/${id}`)}><bdi>${title}</bdi></a></h2>
        <ul class="facts">
          ${state === 'archived' && html`<li class="source-archived">Archived <${Moment} at=${updatedAt} /></li>`}
          <li>${KINDS[kind]}${original !== null && `, ${size(original.bytes)}`}</li>
          <li><${Layer} id=${source.clientId} clients=${clients} /></li>
          ${state === 'active' && html`<li>${count(chunks, 'passage')}</li>`}
          <li>Stored <${Moment} at=${createdAt} /></li>
          ${state === 'active' && updatedAt !== createdAt && html`<li>Changed <${Moment} at=${updatedAt} /></li>`}
          ${expiresAt !== null && state === 'active' && html`<li>Expires <${Moment} at=${expiresAt} /></li>`}
          ${state === 'active' && html`<li>${found === 0 ? 'Not found by a search yet' : `Found ${count(found, 'time')}`}</li>`}
          ${opened > 0 && html`<li>Opened ${count(opened, 'time')}</li>`}
        </ul>
        ${
          tags.length > 0 &&
          html`<ul class="source-tags" aria-label="Tags">
            ${tags.map((tag) => html`<li key=${tag}><a class="tag" href=${link('/sources', { tag })} onClick=${toHeading}><bdi>${tag}</bdi></a></li>`)}
          </ul>`
        }
      </div>
    </li>
  `;
}

/**
 * What is said in place of an empty list.
 * @param {PageProps & { criteria: Criteria }} props
 */
function Empty({ query, team, link, criteria }) {
  if (criteria.state === 'archived' && query.size === 1) {
    return html`<p>Nothing is archived. <a href=${link('/sources')} onClick=${toHeading}>Show active sources</a></p>`;
  }
  if (query.size > 0)
    return html`<p>No source matches these filters. <a href=${link('/sources')} onClick=${toHeading}>Show all</a></p>`;
  return html`
    <h2>No sources yet</h2>
    <p>A source is a text that searches find: an imported file, a stored text, a memory or a workspace file.</p>
    ${
      team.state === 'archived'
        ? html`<p>This Team is archived, so nothing can be added to it.</p>`
        : team.access === 'read'
          ? html`<p>You can only read here. Ask an Owner or Admin of the Team to import files.</p>`
          : html`<p><a href=${link('/imports')}>Import the first files</a>, or let an agent store texts.</p>`
    }
  `;
}
