import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { CloseButton, Dialog, Question } from '../../parts/dialog.js';
import { daysFrom, ExpiryField, fieldTime } from '../../parts/fields.js';
import { isolated, Moment } from '../../parts/words.js';
import { EditForm } from './memory-edit.js';

/**
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 * @typedef {'archive' | 'unpublish' | 'move' | 'expiry' | 'purge'} Asked
 */

/** For how long a discarded memory can be put back into review. */
const REOPEN_DAYS = 30;

/** Questions before a decision. */
const QUESTIONS = {
  archive: {
    action: 'delete',
    heading: 'Archive this memory?',
    yes: 'Archive',
    said: 'Archived. To publish it again, restore one of its versions.',
    means: 'Searches no longer find it. Its versions stay, so that it can be published again.',
  },
  unpublish: {
    action: 'unpublish',
    heading: 'Put this memory back into review?',
    yes: 'Put back into review',
    said: 'Back in review. Searches no longer find it.',
    means:
      'Searches no longer find it until someone publishes it again. If it replaced another memory that is archived, that one is published again.',
  },
};

/**
 * The text of a memory, and everything that those with Full access can do with it.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {Memory} props.memory
 * @param {readonly import('../../parts/names.js').Client[] | null} props.clients
 * @param {boolean} props.canChange
 * @param {(what: string, now?: Memory) => void} props.changed
 * @param {(part: string) => import('./memory-edit.js').Decision} props.decisions
 */
export function MemoryChanges({ ask, memory, clients, canChange, changed, decisions }) {
  const { state, decidedAt } = memory;
  const [editing, setEditing] = useState(false);
  const [asked, setAsked] = useState(/** @type {Asked | null} */ (null));
  const decision = decisions('changes');
  const edit = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const wasEditing = useRef(false);
  useLayoutEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus();
    wasEditing.current = editing;
  }, [editing]);

  const close = () => setAsked(null);
  /** @param {Asked} what */
  function open(what) {
    decision.clear();
    setAsked(what);
  }
  const decide = (/** @type {object} */ body, /** @type {string} */ what) => decision.send(body, what, close);

  function saved() {
    // The focus goes to the heading, and not back to the button.
    wasEditing.current = false;
    setEditing(false);
  }

  if (editing) {
    return html`<${EditForm} decision=${decision} memory=${memory} close=${() => setEditing(false)} saved=${saved} />`;
  }
  const canReopen =
    state === 'discarded' && decidedAt !== null && new Date(decidedAt) > daysFrom(-REOPEN_DAYS);
  const stays = state === 'review' || state === 'published';
  const button = (/** @type {string} */ text, /** @type {() => void} */ act, look = '') =>
    html`<button type="button" class=${`small ${look}`} onClick=${act}>${text}</button>`;
  return html`
    <p class="text" dir="auto">${memory.content}</p>
    ${
      canChange &&
      html`<div class="actions memory-actions">
        ${state === 'published' && html`<button type="button" class="small" ref=${edit} onClick=${() => setEditing(true)}>Edit</button>`}
        ${stays && button('Set expiry', () => open('expiry'))}
        ${stays && clients !== null && clients.length > 0 && button('Move', () => open('move'))}
        ${state === 'published' && button('Put back into review', () => open('unpublish'))}
        ${canReopen && button('Put back into review', () => decide({ action: 'reopen' }, 'Back in review.'))}
        ${state === 'published' && button('Archive', () => open('archive'))}
        ${button('Delete for good', () => open('purge'), 'danger')}
      </div>`
    }
    ${canReopen && decidedAt !== null && html`<p class="quiet">It can be put back into review until <${Moment} at=${daysFrom(REOPEN_DAYS, decidedAt).toISOString()} />.</p>`}
    ${asked === null && html`<p role="alert">${decision.problem}</p>`}
    ${asked === 'expiry' && html`<${Expiry} memory=${memory} decision=${decision} decide=${decide} close=${close} />`}
    ${asked === 'move' && html`<${Move} memory=${memory} clients=${clients ?? []} decision=${decision} decide=${decide} close=${close} />`}
    ${asked === 'purge' && html`<${Purge} ask=${ask} memory=${memory} changed=${changed} close=${close} />`}
    ${
      (asked === 'archive' || asked === 'unpublish') &&
      html`<${Question}
        heading=${QUESTIONS[asked].heading}
        yes=${QUESTIONS[asked].yes}
        act=${() => decide({ action: QUESTIONS[asked].action }, QUESTIONS[asked].said)}
        problem=${decision.problem}
        busy=${decision.busy}
        close=${close}
      >
        <p>${QUESTIONS[asked].means}</p>
      <//>`
    }
  `;
}

/**
 * @typedef {object} FormProps
 * @property {Memory} memory
 * @property {import('./memory-edit.js').Decision} decision
 * @property {(body: object, what: string) => void} decide
 * @property {() => void} close
 */

/** @param {FormProps} props */
function Expiry({ memory, decision, decide, close }) {
  const [at, setAt] = useState(fieldTime(memory.expiresAt));
  const [fault, setFault] = useState('');
  /** @param {SubmitEvent} event */
  function save(event) {
    event.preventDefault();
    const time = at === '' ? null : new Date(at);
    if (time !== null && !(time > new Date())) {
      setFault('Choose a time that is not in the past.');
      return;
    }
    setFault('');
    decide(
      { action: 'renew', expiresAt: time?.toISOString() ?? null },
      time === null ? 'It never expires now.' : 'The expiry is set.',
    );
  }
  return html`
    <${Dialog} heading="Set expiry" busy=${decision.busy} close=${close}>
      <form novalidate onSubmit=${save}>
        <${ExpiryField} id="expires-at" value=${at} change=${setAt} fault=${fault}
          hint="From then on the memory counts as archived, and searches do not find it." />
        <p role="alert">${decision.problem}</p>
        <div class="actions">
          <${CloseButton} busy=${decision.busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${decision.busy ? 'true' : undefined}>Save</button>
        </div>
      </form>
    <//>
  `;
}

/** @param {FormProps & { clients: readonly import('../../parts/names.js').Client[] }} props */
function Move({ memory, clients, decision, decide, close }) {
  const [target, setTarget] = useState('');
  const [fault, setFault] = useState('');
  const layers = [{ id: 'team', name: 'Team layer' }, ...clients].filter(
    ({ id }) => id !== (memory.clientId ?? 'team'),
  );
  /** @param {SubmitEvent} event */
  function save(event) {
    event.preventDefault();
    setFault(target === '' ? 'Choose where to move it.' : '');
    if (target === '') return;
    decide({ action: 'move', clientId: target === 'team' ? null : target }, 'It is moved.');
  }
  return html`
    <${Dialog} heading="Move this memory" busy=${decision.busy} close=${close}>
      <form novalidate onSubmit=${save}>
        <p>Its versions and its source move along. Those who can read the other layer can read it then, and no others.</p>
        <label for="move-to">Move to</label>
        <select
          id="move-to"
          class="memory-wide"
          aria-describedby="move-problem"
          aria-invalid=${fault === '' ? undefined : 'true'}
          value=${target}
          onChange=${(/** @type {Event} */ event) => event.target instanceof HTMLSelectElement && setTarget(event.target.value)}
        >
          <option value="">Choose</option>
          ${layers.map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
        </select>
        <p id="move-problem" role="alert">${fault === '' ? decision.problem : fault}</p>
        <div class="actions">
          <${CloseButton} busy=${decision.busy} close=${close} />
          <button type="submit" class="small primary" aria-busy=${decision.busy ? 'true' : undefined}>Move</button>
        </div>
      </form>
    <//>
  `;
}

/**
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {Memory} props.memory
 * @param {(what: string) => void} props.changed
 * @param {() => void} props.close
 */
function Purge({ ask, memory, changed, close }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  async function purge() {
    if (busy) return;
    setBusy(true);
    const reply = await ask('POST', `memory/memories/${memory.id}/purge`);
    setBusy(false);
    if (isDone(reply)) changed('The memory is deleted for good.');
    else setProblem(problemOf(reply));
  }
  return html`
    <${Question} heading="Delete this memory for good?" yes="Delete for good" act=${purge} problem=${problem} busy=${busy} close=${close}>
      <p>
        All its versions, its source and the captures that only it was made of are deleted too. This cannot be undone. To
        only hide it from searches, archive it.
      </p>
    <//>
  `;
}
