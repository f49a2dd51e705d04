import { html, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 * @typedef {import('../../parts/ask.js').Ask} Ask
 */

const MAX_NOTE = 1000;
/** Characters of the text that are searched for if the title has no word that a search finds. */
const SEARCHED = 300;

/** @type {readonly ['useful' | 'outdated' | 'wrong', string, string][]} */
const VERDICTS = [
  ['useful', 'Useful', 'It is true, and it helped.'],
  ['outdated', 'Outdated', 'It was true, but is no longer.'],
  ['wrong', 'Wrong', 'It was never true.'],
];

/**
 * Searches for the memory, because feedback is about a hit of a search.
 * @param {Ask} ask
 * @param {Memory} memory
 * @returns {Promise<{ queryId: string, chunkId: string } | string>} a string says why there is no hit
 */
async function findHit(ask, { title, content, clientId, sourceId }) {
  for (const query of [title, [...content].slice(0, SEARCHED).join('')]) {
    const reply = await ask('POST', 'memory/search', {
      query,
      embeddingMode: 'auto',
      scope: clientId === null ? {} : { clientId, include: ['client'] },
      sourceIds: [sourceId],
      topK: 1,
    });
    if (!isDone(reply)) return problemOf(reply);
    const [hit] = reply.answer.hits;
    if (hit !== undefined) return { queryId: reply.answer.queryId, chunkId: hit.chunk_id };
  }
  return 'A search does not find this memory at the moment, and feedback is about what a search finds. Reload the page and try again.';
}

/**
 * The form to say whether the memory is right. Everyone who can read it can send it.
 * @param {object} props
 * @param {Ask} props.ask
 * @param {Memory} props.memory
 */
export function GiveFeedback({ ask, memory }) {
  const [verdict, setVerdict] = useState('');
  const [note, setNote] = useState('');
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const sending = useRef(false);

  /** @returns {Promise<string>} why it was not accepted, or '' */
  async function give() {
    const hit = await findHit(ask, memory);
    if (typeof hit === 'string') return hit;
    const text = note.trim();
    const reply = await ask('POST', 'memory/feedback', {
      ...hit,
      verdict,
      ...(text === '' ? {} : { note: text }),
    });
    return isDone(reply) ? '' : problemOf(reply);
  }

  /** @param {SubmitEvent} event */
  async function send(event) {
    event.preventDefault();
    if (sending.current) return;
    setSaid('');
    const length = [...note.trim()].length;
    if (verdict === '') return setProblem('Choose one of the three.');
    if (length > MAX_NOTE) return setProblem(`A note has at most 1,000 characters. This one has ${length}.`);
    sending.current = true;
    setBusy(true);
    setProblem('');
    const refusal = await give();
    sending.current = false;
    setBusy(false);
    if (refusal !== '') return setProblem(refusal);
    setVerdict('');
    setNote('');
    setSaid(
      verdict === 'useful'
        ? 'Thank you.'
        : 'Thank you. The reviewers see it. Until they decide, searches still find this memory.',
    );
  }

  return html`
    <section class="card" aria-labelledby="feedback-heading">
      <h2 id="feedback-heading">Is this right?</h2>
      <form novalidate aria-labelledby="feedback-heading" onSubmit=${send}>
        <fieldset class="memory-verdicts" aria-describedby="feedback-problem">
          <legend class="unseen">Your verdict</legend>
          ${VERDICTS.map(
            ([value, name, means]) => html`
              <label>
                <input
                  type="radio"
                  name="verdict"
                  value=${value}
                  checked=${verdict === value}
                  onChange=${() => setVerdict(value)}
                />
                <span>${name} <small>${means}</small></span>
              </label>
            `,
          )}
        </fieldset>
        <label for="feedback-note">Note for the reviewers</label>
        <p id="feedback-hint" class="quiet">If you can, say what is right.</p>
        <textarea
          id="feedback-note"
          class="memory-note"
          dir="auto"
          rows="3"
          aria-describedby="feedback-hint"
          value=${note}
          onInput=${(/** @type {InputEvent} */ { target }) => target instanceof HTMLTextAreaElement && setNote(target.value)}
        ></textarea>
        <p id="feedback-problem" role="alert">${problem}</p>
        <button type="submit" class="small" aria-busy=${busy ? 'true' : undefined}>Send</button>
        <p role="status" class="memory-said">${said}</p>
      </form>
    </section>
  `;
}

/**
 * Feedback that waits for a decision.
 * @param {object} props
 * @param {readonly import('../../../../shared/schemas/feedback.ts').OpenFeedback[]} props.feedback
 * @param {boolean} props.canChange
 * @param {import('./memory-edit.js').Decision} props.decision
 */
export function OpenFeedback({ feedback, canChange, decision }) {
  return html`
    <section class="card memory-open" aria-labelledby="open-heading">
      <h2 id="open-heading">Feedback to decide on</h2>
      <ul class="records">
        ${feedback.map(
          ({ verdict, note, createdAt }) => html`
            <li>
              <strong>${VERDICTS.find(([value]) => value === verdict)?.[1]}</strong>
              ${note !== null && html`<p class="text" dir="auto">${note}</p>`}
              <ul class="facts"><li><${Moment} at=${createdAt} /></li></ul>
            </li>
          `,
        )}
      </ul>
      ${
        canChange &&
        html`<p class="quiet">Edit the memory, put it back into review or archive it; or keep it as it is.</p>
          <button
            type="button"
            class="small"
            aria-busy=${decision.busy ? 'true' : undefined}
            onClick=${() => decision.send({ action: 'keep' }, 'Kept as it is. The feedback is settled.')}
          >
            Keep it as it is
          </button>
          <p role="alert">${decision.problem}</p>`
      }
    </section>
  `;
}
