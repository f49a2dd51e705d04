import { useLeaveQuestion } from '../../address.js';
import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { TagField, useTags } from '../../parts/fields.js';

/**
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 */

/** Why a decision was refused that is based on an older version. */
const STALE =
  'Someone else changed this memory in the meantime, so nothing was done. The page shows it as it is now: check it, then try again.';

/**
 * Decisions of one part of the page. `problem` says why its last one was refused, until another decision is made.
 * @typedef {{ busy: boolean, problem: string, clear: () => void,
 *   send: (body: object, what: string, done?: () => void) => Promise<void> }} Decision
 */

/**
 * Decisions on one memory, one at a time. Each is based on the version that is shown.
 * @param {object} options
 * @param {import('../../parts/ask.js').Ask} options.ask
 * @param {Memory | null} options.memory null until it is read
 * @param {(what: string, now: Memory) => void} options.changed is called after a decision, with what was done
 * @param {() => Promise<void>} options.reload
 * @returns {(part: string) => Decision}
 */
export function useDecisions({ ask, memory, changed, reload }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState({ part: '', text: '' });
  const sending = useRef(false);

  /**
   * @param {string} part
   * @param {object} body the decision, without the memory and its version
   * @param {string} what was done then
   * @param {() => void} done closes what asked for it, before the focus moves on
   */
  async function send(part, body, what, done) {
    if (sending.current || memory === null) return;
    sending.current = true;
    setBusy(true);
    setProblem({ part, text: '' });
    const reply = await ask('POST', 'memory/memories', {
      memoryId: memory.id,
      version: memory.version,
      ...body,
    });
    if (isDone(reply)) {
      done();
      changed(`${what}${redactionText(reply.answer.redactions)}`, reply.answer.memory);
    } else {
      // The page can be old in other ways too: the memory can be archived by now.
      if (reply.status === 409 || reply.status === 404) await reload();
      setProblem({ part, text: reply.answer?.code === 'version_conflict' ? STALE : problemOf(reply) });
    }
    sending.current = false;
    setBusy(false);
  }
  return (part) => ({
    busy,
    problem: problem.part === part ? problem.text : '',
    clear: () => setProblem({ part, text: '' }),
    send: (body, what, done = () => {}) => send(part, body, what, done),
  });
}

/**
 * What is said about credentials in a text that was stored.
 * @param {readonly { rule: string }[] | undefined} redactions
 */
function redactionText(redactions = []) {
  if (redactions.length === 0) return '';
  const rules = [...new Set(redactions.map(({ rule }) => rule))].join(', ');
  return ` Attention: the text has what looks like a credential (${rules}).`;
}

const MAX_TITLE = 300;
const MAX_CONTENT = 64_000;

/**
 * @param {string} text
 * @param {number} max
 * @param {string} what
 */
function faultOf(text, max, what) {
  if (text.trim() === '') return `Enter a ${what}.`;
  const length = [...text].length;
  if (length > max)
    return `A ${what} has at most ${max.toLocaleString('en')} characters. This one has ${length.toLocaleString('en')}.`;
  return '';
}

/**
 * The form to change the text of a published memory. What is typed stays until it is stored or cancelled.
 * @param {object} props
 * @param {Decision} props.decision
 * @param {Memory} props.memory as it is now; it can change while the form is open
 * @param {() => void} props.close
 * @param {() => void} props.saved is called when the change is stored
 */
export function EditForm({ decision, memory, close, saved }) {
  const [before] = useState(memory);
  const [title, setTitle] = useState(before.title);
  const [content, setContent] = useState(before.content);
  const tags = useTags(before.tags);
  const [faults, setFaults] = useState({ title: '', content: '' });
  const fields = {
    title: useRef(/** @type {HTMLInputElement | null} */ (null)),
    content: useRef(/** @type {HTMLTextAreaElement | null} */ (null)),
  };
  useLayoutEffect(() => fields.content.current?.focus(), []);
  const isChanged =
    title !== before.title || content !== before.content || !isSame(tags.tags) || tags.typed.trim() !== '';
  useLeaveQuestion(isChanged ? 'What you have changed is not saved. Leave all the same?' : '');

  /** Whether the memory had these tags. @param {readonly string[]} next */
  function isSame(next) {
    return next.length === before.tags.length && next.every((tag) => before.tags.includes(tag));
  }

  /** @param {SubmitEvent} event */
  function save(event) {
    event.preventDefault();
    const found = {
      title: faultOf(title, MAX_TITLE, 'title'),
      content: faultOf(content, MAX_CONTENT, 'text'),
    };
    setFaults(found);
    if (found.title !== '') return fields.title.current?.focus();
    if (found.content !== '') return fields.content.current?.focus();
    const next = tags.all();
    if (next === null) return document.getElementById('edit-tags')?.focus();
    const change = {
      ...(title === before.title ? {} : { title }),
      ...(content === before.content ? {} : { content }),
      ...(isSame(next) ? {} : { tags: next }),
    };
    if (Object.keys(change).length === 0) return close();
    void decision.send({ action: 'update', ...change }, 'Saved. Searches find the new text.', saved);
  }

  /** @param {(text: string) => void} set */
  const onInput =
    (set) =>
    (/** @type {InputEvent} */ { target }) => {
      if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) set(target.value);
    };
  /** @param {string} fault */
  const invalid = (fault) => (fault === '' ? undefined : 'true');
  return html`
    <form class="memory-edit" novalidate aria-label="Edit the memory" onSubmit=${save}>
      <label for="edit-title">Title</label>
      <p id="edit-title-problem" role="alert">${faults.title}</p>
      <input
        id="edit-title"
        dir="auto"
        required
        ref=${fields.title}
        aria-describedby="edit-title-problem"
        aria-invalid=${invalid(faults.title)}
        value=${title}
        onInput=${onInput(setTitle)}
      />
      <label for="edit-content">Text</label>
      <p id="edit-content-problem" role="alert">${faults.content}</p>
      <textarea
        id="edit-content"
        dir="auto"
        required
        rows="10"
        ref=${fields.content}
        aria-describedby="edit-content-problem"
        aria-invalid=${invalid(faults.content)}
        value=${content}
        onInput=${onInput(setContent)}
      ></textarea>
      <${TagField} id="edit-tags" field=${tags} />
      <p role="alert">${decision.problem}</p>
      ${
        memory.version !== before.version &&
        html`<div class="memory-now">
          <h3>The memory as it is now: <bdi>${memory.title}</bdi></h3>
          <p class="text" dir="auto">${memory.content}</p>
        </div>`
      }
      <div class="actions">
        <button type="submit" class="small primary" aria-busy=${decision.busy ? 'true' : undefined}>Save</button>
        <button type="button" class="small" onClick=${close}>Cancel</button>
      </div>
    </form>
  `;
}
