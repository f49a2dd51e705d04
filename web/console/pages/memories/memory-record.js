import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, useAsk, withQuery } from '../../parts/ask.js';
import { Layer, useClients, useMembers } from '../../parts/names.js';
import { Missing, useRecord } from '../../parts/record.js';
import { count, Moment } from '../../parts/words.js';
import { Person, STATE_NAMES } from './labels.js';
import { MemoryChanges } from './memory-changes.js';
import { useDecisions } from './memory-edit.js';
import { GiveFeedback, OpenFeedback } from './memory-feedback.js';
import { Captures, Events, Versions } from './memory-history.js';

/**
 * @typedef {import('../../section.d.ts').PageProps} PageProps
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 * @typedef {import('../../../../shared/schemas/memories.ts').ListedMemory} ListedMemory
 */

/**
 * One memory: its text, where it comes from, what became of it, and what the user can do with it.
 * @param {PageProps & { record: string }} props
 */
export function MemoryRecord(props) {
  const { team, session, record, link, setTitle } = props;
  const ask = useAsk(props);
  const clients = useClients(ask);
  const members = useMembers(ask);
  const isFull = team.access === 'full';
  const canChange = isFull && team.state === 'active';
  const { value, problem, missing, reload, set } = useRecord(
    ask,
    `memory/memories/${encodeURIComponent(record)}`,
  );
  const memory = /** @type {Memory | null} */ (value);
  const [said, setSaid] = useState('');
  const [purged, setPurged] = useState(false);
  /** Counts the changes: each moves the focus to the heading, because the button that made it can be gone. */
  const [changes, setChanges] = useState(0);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));

  const title = missing ? 'No such memory' : (memory?.title ?? '');
  useLayoutEffect(() => setTitle(title), [title]);
  useLayoutEffect(() => {
    if (changes > 0) heading.current?.focus();
  }, [changes]);

  /**
   * @param {string} what was done
   * @param {Memory} [now]
   */
  function changed(what, now) {
    if (now === undefined) setPurged(true);
    else set(now);
    setSaid(what);
    setChanges((n) => n + 1);
  }

  const decisions = useDecisions({ ask, memory, changed, reload });

  const back = html`<p class="memory-back"><a href=${link('/memories')}>All memories</a></p>`;
  if (missing) return html`<${Missing} what="memory" href=${link('/memories')} link="Show all memories" />`;
  if (purged) {
    return html`
      <section class="card">
        <h2 tabindex="-1" ref=${heading}>Deleted</h2>
        <p role="status">${said}</p>
        ${back}
      </section>
    `;
  }
  if (memory === null) {
    return html`
      <section class="card">
        <p role="status">${problem === '' ? 'Loading …' : ''}</p>
        <p role="alert">${problem}</p>
        ${problem !== '' && html`<button type="button" class="small" onClick=${reload}>Try again</button>`}
      </section>
    `;
  }
  const shared = { ask, memory, session, team, clients, members, link };
  return html`
    <div class="memory-page">
      ${back}
      <section class="card memory-text" aria-labelledby="memory-heading">
        <div class="memory-title">
          <h2 id="memory-heading" tabindex="-1" ref=${heading}><bdi>${memory.title}</bdi></h2>
          <span class="tag" data-state=${memory.state}>${STATE_NAMES[memory.state]}</span>
        </div>
        <p role="status" class="memory-said">${said}</p>
        <p role="alert">${problem}</p>
        <${Notice} memory=${memory} isFull=${isFull} canChange=${canChange} link=${link} />
        <${MemoryChanges} ...${shared} canChange=${canChange} changed=${changed} decisions=${decisions} />
      </section>
      <div class="memory-side">
        <${Details} ...${shared} isFull=${isFull} />
        ${isFull && memory.state === 'published' && html`<${Questions} ...${shared} canChange=${canChange} decision=${decisions('feedback')} />`}
        ${memory.state === 'published' && team.state === 'active' && html`<${GiveFeedback} ask=${ask} memory=${memory} />`}
        ${isFull && memory.captureIds.length > 0 && html`<${Captures} ...${shared} />`}
      </div>
      <div class="memory-history">
        <${Versions} ...${shared} canChange=${canChange} changed=${changed} decisions=${decisions} />
        ${isFull && html`<${Events} ...${shared} />`}
      </div>
    </div>
  `;
}

/**
 * What the state of the memory means.
 * @param {{ memory: Memory, isFull: boolean, canChange: boolean, link: PageProps['link'] }} props
 */
function Notice({ memory, isFull, canChange, link }) {
  const { state, supersededBy, expiresAt } = memory;
  if (state === 'published') return null;
  if (state === 'review') {
    return html`<p class="memory-notice">
      Searches do not find it before it is published. ${isFull && html`<a href=${link('/review')}>Review it</a>`}
    </p>`;
  }
  if (state === 'discarded') {
    return html`<p class="memory-notice">A reviewer discarded it. Searches do not find it.</p>`;
  }
  const why =
    supersededBy !== null
      ? html`<a href=${link(`/memories/${supersededBy}`)}>A newer memory</a> replaced it. `
      : isExpired(expiresAt)
        ? 'It has expired. '
        : '';
  return html`<p class="memory-notice">
    ${why}Searches do not find it.${canChange && ' To publish it again, restore one of its versions.'}
  </p>`;
}

/** @param {string | null} expiresAt */
const isExpired = (expiresAt) => expiresAt !== null && new Date(expiresAt) <= new Date();

/**
 * The feedback on the memory that waits for a decision. Only those with Full access see it.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {Memory} props.memory
 * @param {boolean} props.canChange
 * @param {import('./memory-edit.js').Decision} props.decision
 */
function Questions({ ask, memory, canChange, decision }) {
  const [found, setFound] = useState(/** @type {ListedMemory | null} */ (null));
  useLayoutEffect(() => {
    async function read() {
      const path = withQuery('memory/memories', { state: 'review', sourceId: memory.sourceId });
      const reply = await ask('GET', path);
      if (isDone(reply)) setFound(reply.answer.items[0] ?? null);
    }
    void read();
  }, [ask, memory]);
  if (found?.feedback === undefined) return null;
  return html`<${OpenFeedback} feedback=${found.feedback} canChange=${canChange} decision=${decision} />`;
}

/**
 * @param {object} props
 * @param {Memory} props.memory
 * @param {import('../../section.d.ts').Session} props.session
 * @param {ReturnType<typeof useClients>} props.clients
 * @param {ReturnType<typeof useMembers>} props.members
 * @param {PageProps['link']} props.link
 * @param {boolean} props.isFull
 */
function Details({ memory, session, clients, members, link, isFull }) {
  const { clientId, tags, createdBy, createdWith, decidedBy, decidedAt, expiresAt, sourceId, state } = memory;
  const { found, opened, lastFoundAt, supersedes } = memory;
  const person = (/** @type {string} */ id) =>
    html`<${Person} id=${id} session=${session} members=${members} />`;
  const other = (/** @type {string} */ id, /** @type {string} */ text) =>
    html`<a href=${link(`/memories/${id}`)}>${text}</a>`;
  /** @type {[string, unknown][]} */
  const pairs = [
    ['Layer', html`<${Layer} id=${clientId} clients=${clients} />`],
    [
      'Made by',
      html`${person(createdBy)}${createdWith !== null && html`, with the token <bdi>${createdWith.name}</bdi>`},${' '}
        <${Moment} at=${memory.createdAt} />`,
    ],
    ...(decidedBy !== null && decidedAt !== null
      ? /** @type {[string, unknown][]} */ ([
          ['Last decision', html`${person(decidedBy)}, <${Moment} at=${decidedAt} />`],
        ])
      : []),
    [
      isExpired(expiresAt) ? 'Expired' : 'Expires',
      expiresAt === null ? 'Never' : html`<${Moment} at=${expiresAt} />`,
    ],
    [
      'Found',
      lastFoundAt === null ? 'Not yet' : html`${count(found, 'time')}, last <${Moment} at=${lastFoundAt} />`,
    ],
    ['Opened', opened === 0 ? 'Not yet' : count(opened, 'time')],
  ];
  if (tags.length > 0) {
    pairs.push([
      'Tags',
      html`<span class="memory-tags">${tags.map((tag) => html`<span class="tag"><bdi>${tag}</bdi></span>`)}</span>`,
    ]);
  }
  // Those without Full access can only read published memories, and this one is archived.
  if (isFull && supersedes !== null) pairs.push(['Replaces', other(supersedes, 'an earlier memory')]);
  if (sourceId !== null && state === 'published') {
    pairs.push(['In searches', html`<a href=${link(`/sources/${sourceId}`)}>its source</a>`]);
  }
  for (const [name, value] of Object.entries(memory.metadata)) {
    pairs.push([name, html`<bdi>${typeof value === 'string' ? value : JSON.stringify(value)}</bdi>`]);
  }
  return html`
    <section class="card" aria-labelledby="details-heading">
      <h2 id="details-heading">Details</h2>
      <dl class="named">${pairs.map(([name, value]) => html`<dt><bdi>${name}</bdi></dt><dd>${value}</dd>`)}</dl>
    </section>
  `;
}
