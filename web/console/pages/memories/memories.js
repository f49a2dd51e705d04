import { html, useLayoutEffect } from '../../html.js';
import { useAsk, withQuery } from '../../parts/ask.js';
import { Filters, ListEnd, useList } from '../../parts/list.js';
import { Layer, LayerFilter, useClients } from '../../parts/names.js';
import { count, Moment } from '../../parts/words.js';
import { excerpt, STATE_NAMES } from './labels.js';
import { MemoryRecord } from './memory-record.js';

/**
 * @typedef {import('../../section.d.ts').PageProps} PageProps
 * @typedef {import('../../../../shared/schemas/memories.ts').ListedMemory} ListedMemory
 * @typedef {import('../../../../shared/schemas/sources.ts').Source} Source
 */

/**
 * The memories of the Team, or one of them.
 * @param {PageProps} props
 */
export function Page(props) {
  const { record, team } = props;
  if (record !== null) return html`<${MemoryRecord} ...${props} record=${record} />`;
  // The list of memories needs Full access. Everyone else reads the sources of those that are published.
  return team.access === 'full'
    ? html`<${MemoryList} ...${props} />`
    : html`<${PublishedList} ...${props} />`;
}

/**
 * A day of the address as a moment, in the time zone of the user; null if it is not a day.
 * @param {string | null} day
 * @param {number} add days to add
 */
function startOf(day, add = 0) {
  if (day === null || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const at = new Date(`${day}T00:00:00`);
  if (Number.isNaN(at.getTime())) return null;
  at.setDate(at.getDate() + add);
  return at;
}

/**
 * All memories, for those with Full access.
 * @param {PageProps} props
 */
function MemoryList(props) {
  const { query, link, go, setTitle } = props;
  const ask = useAsk(props);
  const clients = useClients(ask);
  const asked = query.get('state') ?? '';
  const state = Object.hasOwn(STATE_NAMES, asked) ? /** @type {ListedMemory['state']} */ (asked) : null;
  const from = startOf(query.get('from'));
  // What was created in the first millisecond of the day counts too.
  if (from !== null) from.setMilliseconds(-1);
  const path = withQuery('memory/memories', {
    state,
    clientId: query.get('client'),
    q: query.get('q'),
    createdAfter: from?.toISOString(),
    createdBefore: startOf(query.get('until'), 1)?.toISOString(),
  });
  const list = useList(ask, path);
  const items = /** @type {readonly ListedMemory[] | null} */ (list.items);
  useLayoutEffect(() => setTitle(state === null ? '' : STATE_NAMES[state]), [state]);

  return html`
    <div class="page">
      <${Filters} label="Filter the memories" path="/memories" query=${query} link=${link} go=${go} clients=${clients}>
        <div class="wide memory-q">
          <label for="filter-q">Title or text contains</label>
          <input id="filter-q" name="q" type="search" maxlength="300" />
        </div>
        <div>
          <label for="filter-state">State</label>
          <select id="filter-state" name="state">
            <option value="">In review and published</option>
            ${Object.entries(STATE_NAMES).map(([value, name]) => html`<option value=${value}>${name}</option>`)}
          </select>
        </div>
        ${clients !== null && clients.length > 0 && html`<${LayerFilter} clients=${clients} />`}
        <div>
          <label for="filter-from">Created from</label>
          <input id="filter-from" name="from" type="date" />
        </div>
        <div>
          <label for="filter-until">Created until</label>
          <input id="filter-until" name="until" type="date" />
        </div>
      <//>
      <section class="card" aria-label="Memories">
        ${items?.length === 0 && html`<${Empty} ...${props} />`}
        <ul class="records">
          ${items?.map((memory) => html`<${Row} key=${memory.id} memory=${memory} clients=${clients} link=${link} />`)}
        </ul>
        <${ListEnd} list=${list} one="memory" many="memories" />
      </section>
    </div>
  `;
}

/**
 * @param {object} props
 * @param {ListedMemory} props.memory
 * @param {ReturnType<typeof useClients>} props.clients
 * @param {PageProps['link']} props.link
 */
function Row({ memory, clients, link }) {
  const { id, subject, state, title, content, clientId, tags, feedback = [] } = memory;
  return html`
    <li>
      <div class="memory-title">
        <h2><a href=${link(`/${subject === 'source' ? 'sources' : 'memories'}/${id}`)}><bdi>${title}</bdi></a></h2>
        <span class="tag" data-state=${state}>${subject === 'source' ? 'Source' : STATE_NAMES[state]}</span>
      </div>
      <p class="text memory-excerpt" dir="auto">${excerpt(content)}</p>
      <ul class="facts">
        ${feedback.length > 0 && html`<li class="memory-questioned">${count(feedback.length, 'open verdict')}</li>`}
        <li><${Layer} id=${clientId} clients=${clients} /></li>
        <${Uses} record=${memory} />
        ${tags.map((tag) => html`<li key=${tag}>#<bdi>${tag}</bdi></li>`)}
      </ul>
    </li>
  `;
}

/**
 * When a record was made and expires, and how often it was found.
 * @param {object} props
 * @param {Pick<Source, 'createdAt' | 'updatedAt' | 'expiresAt' | 'found'>} props.record
 */
const Uses = ({ record: { createdAt, updatedAt, expiresAt, found } }) => html`
  <li>
    ${updatedAt === createdAt ? 'Created' : 'Changed'} <${Moment} at=${updatedAt === createdAt ? createdAt : updatedAt} />
  </li>
  <li>${found === 0 ? 'Not found by a search yet' : `Found ${count(found, 'time')}`}</li>
  ${expiresAt !== null && html`<li>Expires <${Moment} at=${expiresAt} /></li>`}
`;

/**
 * The published memories, for those without Full access.
 * @param {PageProps} props
 */
function PublishedList(props) {
  const { query, link, go } = props;
  const ask = useAsk(props);
  const clients = useClients(ask);
  const path = withQuery('memory/sources', {
    kind: 'memory',
    state: 'active',
    clientId: query.get('client'),
    q: query.get('q'),
  });
  const list = useList(ask, path);
  const items = /** @type {readonly Source[] | null} */ (list.items);

  return html`
    <div class="page">
      <${Filters} label="Filter the memories" path="/memories" query=${query} link=${link} go=${go} clients=${clients}>
        <div class="wide">
          <label for="filter-q">Title contains</label>
          <input id="filter-q" name="q" type="search" maxlength="300" />
        </div>
        ${clients !== null && clients.length > 0 && html`<${LayerFilter} clients=${clients} />`}
      <//>
      <section class="card" aria-label="Memories">
        ${items?.length === 0 && html`<${Empty} ...${props} />`}
        <ul class="records">
          ${items?.map(
            (source) => html`
              <li key=${source.id}>
                <h2>
                  <a href=${link(source.memoryId === undefined ? `/sources/${source.id}` : `/memories/${source.memoryId}`)}>
                    <bdi>${source.title}</bdi>
                  </a>
                </h2>
                <ul class="facts">
                  <li><${Layer} id=${source.clientId} clients=${clients} /></li>
                  <${Uses} record=${source} />
                  ${source.tags.map((tag) => html`<li key=${tag}>#<bdi>${tag}</bdi></li>`)}
                </ul>
              </li>
            `,
          )}
        </ul>
        <${ListEnd} list=${list} one="memory" many="memories" />
      </section>
    </div>
  `;
}

/**
 * What is said in place of an empty list.
 * @param {PageProps} props
 */
function Empty({ query, team, link }) {
  if (query.toString() !== '') {
    return html`<p>No memory matches these filters. <a href=${link('/memories')}>Show all</a></p>`;
  }
  return html`
    <h2>No memories yet</h2>
    <p>
      Agents stage <a href=${link('/captures')}>captures</a>, summaries of their sessions. A consolidator, a program with
      a language model, makes memories of them: short texts that searches find.
    </p>
    ${
      team.state === 'archived'
        ? html`<p>This Team is archived, so nothing can be added to it.</p>`
        : team.access === 'read'
          ? html`<p>You can only read here. Ask an Owner or Admin of the Team to connect an agent.</p>`
          : html`<p><a href=${link('/tokens')}>Make an agent token</a> to connect the first agent.</p>`
    }
  `;
}
