import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { useAsk, withQuery } from '../../parts/ask.js';
import { Filters, ListEnd, useList } from '../../parts/list.js';
import { Layer, useClients, useMembers } from '../../parts/names.js';
import { count, Moment } from '../../parts/words.js';
import { Person } from './labels.js';

/**
 * @typedef {import('../../section.d.ts').PageProps} PageProps
 * @typedef {import('../../../../shared/schemas/captures.ts').ListedCapture} ListedCapture
 * @typedef {import('../../../../shared/schemas/consolidation.ts').Batch} Batch
 */

/** @type {Readonly<Record<ListedCapture['state'], string>>} */
const STATES = { staged: 'Staged', claimed: 'Claimed', completed: 'Completed' };

/**
 * The captures of the user; with Full access those of everyone.
 * @param {PageProps} props
 */
export function Page(props) {
  const { query, link, go, team, session, setTitle } = props;
  const ask = useAsk(props);
  const isFull = team.access === 'full';
  const clients = useClients(ask);
  const members = useMembers(ask);
  const asked = query.get('state') ?? '';
  const state = Object.hasOwn(STATES, asked) ? /** @type {ListedCapture['state']} */ (asked) : null;
  const list = useList(ask, withQuery('memory/captures', { state, sessionId: query.get('session') }));
  const captures = /** @type {readonly ListedCapture[] | null} */ (list.items);
  useLayoutEffect(() => setTitle(state === null ? '' : STATES[state]), [state]);

  return html`
    <div class="page">
      <p class="memory-lead">
        A capture is the summary of a session of an agent. Searches do not read captures: a consolidator, a program with a
        language model, claims those that are staged and makes memories of them. ${isFull ? 'You see the captures of everyone in the Team.' : 'You see your own captures.'}
      </p>
      <${Filters} label="Filter the captures" path="/captures" query=${query} link=${link} go=${go} clients=${null}>
        <div>
          <label for="filter-state">State</label>
          <select id="filter-state" name="state">
            <option value="">All states</option>
            ${Object.entries(STATES).map(([value, name]) => html`<option value=${value}>${name}</option>`)}
          </select>
        </div>
        <div class="wide">
          <label for="filter-session">Session</label>
          <input id="filter-session" name="session" dir="auto" maxlength="300" autocomplete="off" />
        </div>
      <//>
      ${team.access !== 'read' && team.state === 'active' && html`<${Batches} ask=${ask} released=${list.reload} />`}
      <section class="card" aria-label="Captures">
        ${captures?.length === 0 && html`<${Empty} ...${props} />`}
        <ul class="records">
          ${captures?.map(
            (capture) => html`
              <li key=${capture.id}>
                <div class="memory-title">
                  <h2>
                    <a href=${link('/captures', { session: capture.sessionId })}><bdi>${capture.sessionId}</bdi></a>
                    ${capture.sequence !== null && html` <span class="quiet">part ${capture.sequence}</span>`}
                  </h2>
                  <span class="tag" data-state=${capture.state}>
                    ${STATES[capture.state]}
                  </span>
                </div>
                ${
                  capture.summary === null
                    ? html`<p class="quiet">Its text is shown to you while a memory in review or a published memory refers to it.</p>`
                    : html`<${Summary} text=${capture.summary} />`
                }
                <ul class="facts">
                  ${isFull && html`<li><${Person} id=${capture.createdBy} session=${session} members=${members} /></li>`}
                  ${capture.createdWith !== null && html`<li>with the token <bdi>${capture.createdWith.name}</bdi></li>`}
                  <li><${Layer} id=${capture.clientId} clients=${clients} /></li>
                  <li><${Moment} at=${capture.createdAt} /></li>
                  <${Outcome} capture=${capture} isFull=${isFull} link=${link} />
                </ul>
              </li>
            `,
          )}
        </ul>
        <${ListEnd} list=${list} one="capture" />
      </section>
    </div>
  `;
}

/**
 * Batches that the user, or an agent with their token, has claimed and can still complete.
 * @param {{ ask: import('../../parts/ask.js').Ask, released: () => Promise<void> }} props
 */
function Batches({ ask, released }) {
  const list = useList(ask, 'memory/consolidation/batches');
  const action = useAction(ask);
  const [said, setSaid] = useState('');
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const batches = /** @type {readonly Batch[]} */ (list.items ?? []);

  /** @param {Batch} batch */
  async function release({ id, captureIds }) {
    setSaid('');
    const reply = await action.send('POST', 'memory/consolidation/release', { batchId: id });
    // If it was refused, the batch has ended in another way.
    await Promise.all([list.reload(), released()]);
    if (reply !== null) setSaid(`${count(captureIds.length, 'capture')} can be claimed again.`);
    heading.current?.focus();
  }

  if (batches.length === 0 && said === '' && action.problem === '') return null;
  return html`
    <section class="card" aria-labelledby="batches-heading">
      <h2 id="batches-heading" tabindex="-1" ref=${heading}>Claimed by you or your agents</h2>
      <p class="quiet">If an agent has stopped, release its captures, so that they can be claimed again at once.</p>
      <ul class="records">
        ${batches.map(
          (batch) => html`
            <li key=${batch.id} class="capture-batch">
              <span>${count(batch.captureIds.length, 'capture')}, until <${Moment} at=${batch.expiresAt} /></span>
              <button
                type="button"
                class="small"
                aria-busy=${action.busy ? 'true' : undefined}
                onClick=${() => release(batch)}
              >
                Release
              </button>
            </li>
          `,
        )}
      </ul>
      <p role="status" class="memory-said">${said}</p>
      <p role="alert">${action.problem}</p>
    </section>
  `;
}

/** Longer texts are folded. */
const FOLDED = 600;

/** @param {{ text: string }} props */
function Summary({ text }) {
  if (text.length <= FOLDED) return html`<p class="text" dir="auto">${text}</p>`;
  return html`
    <details class="capture-text">
      <summary class="capture-start" dir="auto">${text.slice(0, FOLDED / 2)} …</summary>
      <p class="text" dir="auto">${text}</p>
    </details>
  `;
}

/**
 * What became of a capture, as far as the user can read it.
 * @param {{ capture: ListedCapture, isFull: boolean, link: PageProps['link'] }} props
 */
function Outcome({ capture: { state, memoryIds = [] }, isFull, link }) {
  if (state !== 'completed') return null;
  if (memoryIds.length === 0) {
    return html`<li>${isFull ? 'No memory was made of it' : 'No published memory was made of it'}</li>`;
  }
  return memoryIds.map(
    (id, index) => html`
      <li key=${id}>
        <a href=${link(`/memories/${id}`)}>${memoryIds.length === 1 ? 'Its memory' : `Memory ${index + 1}`}</a>
      </li>
    `,
  );
}

/**
 * What is said in place of an empty list.
 * @param {PageProps} props
 */
function Empty({ query, team, link }) {
  if (query.toString() !== '') {
    return html`<p>No capture matches these filters. <a href=${link('/captures')}>Show all</a></p>`;
  }
  return html`
    <h2>No captures yet</h2>
    <p>
      An agent stages a capture at the end of a session: with the tool <code>stage_session</code> of MCP, with${' '}
      <code>memory capture</code> in a terminal, or with <code>POST /v1/memory/captures</code>.
    </p>
    ${
      team.state === 'archived'
        ? html`<p>This Team is archived, so nothing can be added to it.</p>`
        : team.access === 'read'
          ? html`<p>You can only read in this Team. Ask an Owner or Admin of the Team for more access.</p>`
          : html`<p><a href=${link('/tokens')}>Make an agent token</a> with the permission <code>memory:write</code>.</p>`
    }
  `;
}
