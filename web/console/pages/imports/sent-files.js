import { html, useState } from '../../html.js';
import { count, size } from '../../parts/words.js';
import { Decisions, isActive, Outcome, RowButton, STATES, State, useRowFocus } from './import-list.js';

/**
 * @typedef {import('./sender.js').Sending} Sending
 * @typedef {import('./import-list.js').Rows} Rows
 */

const SHOWN = 50;
/** What the states before the import are called. */
const BEFORE = {
  refused: 'Cannot be imported',
  waiting: 'Waiting',
  sending: 'Sending',
  unsent: 'Not sent',
  sent: 'Sent',
  unchanged: 'Already imported',
};

/**
 * What has become of a file.
 * @param {Sending} file
 * @returns {{ state: string, words: string }}
 */
function stateOf({ state, made }) {
  if (state === 'unchanged' && made !== null) {
    return isActive(made)
      ? { state: made.state, words: STATES[made.state] }
      : { state, words: BEFORE.unchanged };
  }
  if (state !== 'sent' && state !== 'unchanged') return { state, words: BEFORE[state] };
  return made === null
    ? { state: 'cancelled', words: 'Forgotten' }
    : { state: made.state, words: STATES[made.state] };
}

/** @param {Sending} file */
const isProblem = (file) => ['refused', 'unsent', 'failed'].includes(stateOf(file).state);

/**
 * The outcome of all files, in one sentence.
 * @param {readonly Sending[]} files
 */
function summaryOf(files) {
  const states = files.map((file) => stateOf(file).state);
  const number = (/** @type {string[]} */ ...some) => states.filter((state) => some.includes(state)).length;
  const parts = [
    [number('completed'), 'completed'],
    [number('unchanged'), 'already imported'],
    [number('queued', 'running'), 'being imported'],
    [number('waiting', 'sending'), 'not sent yet'],
    [number('failed'), 'failed'],
    [number('unsent', 'refused'), 'not imported'],
    [number('cancelled'), 'cancelled'],
  ];
  const words = parts
    .filter(([n]) => n !== 0)
    .map(([n, what]) => `${Number(n).toLocaleString('en')} ${what}`);
  return `${count(files.length, 'file')}: ${words.join(', ')}.`;
}

/**
 * The files that were added, with what has become of each.
 * @param {object} props
 * @param {import('./sender.js').Sender} props.sender
 * @param {Rows} props.rows
 */
export function SentFiles({ sender, rows }) {
  const { files, held, pause, busy } = sender.view();
  const [limit, setLimit] = useState(SHOWN);
  const [problemsOnly, setProblemsOnly] = useState(false);
  const focus = useRowFocus('sent-heading');
  if (files.length === 0) return null;
  /**
   * Does what a button says that then disappears: the heading gets the focus.
   * @param {() => void} does
   */
  function act(does) {
    does();
    const heading = sender.view().files.length === 0 ? 'add-heading' : 'sent-heading';
    document.getElementById(heading)?.focus();
  }
  const problems = files.filter(isProblem);
  const listed = problemsOnly ? problems : files;
  const sent = files.filter(({ state }) => state !== 'waiting' && state !== 'sending').length;
  const waits = files.some(({ state }) => state === 'waiting');
  return html`
    <section class="card" aria-labelledby="sent-heading">
      <div class="bar">
        <h2 id="sent-heading" tabindex="-1">Added files</h2>
        <div class="actions imports-controls">
          ${
            busy &&
            held === '' &&
            html`<button type="button" class="small" onClick=${() => act(() => sender.hold('You have stopped sending. The files that wait were not sent.'))}>Stop</button>`
          }
          ${!busy && waits && html`<button type="button" class="small" onClick=${() => act(() => sender.resume([]))}>Send the rest</button>`}
          ${!busy && html`<button type="button" class="small" onClick=${() => act(() => sender.clear())}>Clear this list</button>`}
        </div>
      </div>
      <p role="status">${summaryOf(files)}</p>
      ${sent < files.length && html`<progress aria-label="Files sent" max=${files.length} value=${sent}></progress>`}
      <p class="imports-note" role="status">${pause}</p>
      <p role="alert">${held}</p>
      ${
        problems.length > 0 &&
        problems.length < files.length &&
        files.length > 5 &&
        html`<label class="choice">
          <input type="checkbox" checked=${problemsOnly} onChange=${(/** @type {any} */ event) => setProblemsOnly(event.target.checked)} />
          Show only files that were not imported
        </label>`
      }
      <ul class="records" ref=${focus}>
        ${listed.slice(0, limit).map((file) => html`<${Row} key=${file.key} file=${file} sender=${sender} rows=${rows} />`)}
      </ul>
      ${
        listed.length > limit &&
        html`<div class="list-end">
          <p class="quiet">${limit} of ${count(listed.length, 'file')} are shown.</p>
          <button type="button" class="small" onClick=${() => setLimit(limit + 200)}>Show more</button>
        </div>`
      }
    </section>
  `;
}

/**
 * @param {object} props
 * @param {Sending} props.file
 * @param {import('./sender.js').Sender} props.sender
 * @param {Rows} props.rows
 */
function Row({ file, sender, rows }) {
  const { state, words } = stateOf(file);
  const { name, made, problem } = file;
  const source = made?.state === 'completed' ? made.sourceId : null;
  const text = html`<bdi>${name}</bdi>`;
  return html`
    <li data-row=${file.key}>
      <div class="imports-head">
        <h3 tabindex="-1">${source === null || source === undefined ? text : html`<a href=${rows.link(`/sources/${source}`)}>${text}</a>`}</h3>
        <span class="quiet">${size(file.file.size)}</span>
        <${State} state=${state}>${words}<//>
      </div>
      ${problem !== '' && html`<p class="imports-reason">${problem}</p>`}
      ${state === 'unchanged' && html`<p class="quiet">The same file is stored under this name.</p>`}
      ${file.state === 'unsent' && html`<div class="actions"><${RowButton} word="Send again" name=${name} act=${() => sender.resume([file])} /></div>`}
      ${state !== 'unchanged' && made !== null && html`<${Outcome} item=${made} link=${rows.link} /><${Decisions} item=${made} rows=${rows} />`}
    </li>
  `;
}
