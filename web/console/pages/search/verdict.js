import { html, useState } from '../../html.js';
import { useAction } from '../../parts/action.js';
import { CloseButton, Dialog } from '../../parts/dialog.js';

const THANKS = 'Thank you. It counts as useful.';
const QUESTIONED = 'Thank you. Reviewers will see it. Until they decide, searches still find it.';

/**
 * What the reader thinks of a hit.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {string} props.queryId
 * @param {import('../../../../shared/schemas/search.ts').Hit} props.hit
 * @param {import('../../html.js').Children} props.about the name of the hit, for the names of the buttons
 * @param {(outcome: string) => void} props.said is called with what came of it
 */
export function Verdict({ ask, queryId, hit, about, said }) {
  const [given, setGiven] = useState('');
  const [asking, setAsking] = useState(false);
  const [verdict, setVerdict] = useState('wrong');
  const [note, setNote] = useState('');
  const action = useAction(ask);

  /**
   * @param {string} which
   * @param {string} why
   */
  async function give(which, why) {
    const body = { queryId, chunkId: hit.chunk_id, verdict: which, ...(why === '' ? {} : { note: why }) };
    const reply = await action.send('POST', 'memory/feedback', body);
    if (reply === null) return;
    setGiven(which);
    setAsking(false);
    setNote('');
    said(which === 'useful' ? THANKS : QUESTIONED);
  }
  function open() {
    action.clear();
    setAsking(true);
  }
  /** @param {SubmitEvent} event */
  function send(event) {
    event.preventDefault();
    void give(verdict, note.trim());
  }

  const isQuestioned = given === 'wrong' || given === 'outdated';
  const busy = action.busy ? 'true' : undefined;
  return html`
    <button
      type="button"
      class="small"
      aria-pressed=${given === 'useful' ? 'true' : 'false'}
      aria-busy=${busy}
      onClick=${() => give('useful', '')}
    >
      Useful${about}
    </button>
    <button type="button" class="small" aria-pressed=${isQuestioned ? 'true' : 'false'} onClick=${open}>
      Wrong or outdated${about}
    </button>
    ${!asking && action.problem !== '' && html`<span role="alert">${action.problem}</span>`}
    ${
      asking &&
      html`
        <${Dialog} heading="What is wrong with this passage?" busy=${action.busy} close=${() => setAsking(false)}>
          <form onSubmit=${send}>
            <p><bdi>${hit.title}</bdi></p>
            <fieldset class="search-verdicts">
              <legend class="unseen">Verdict</legend>
              ${[
                ['wrong', 'It is wrong.'],
                ['outdated', 'It is no longer true.'],
              ].map(
                ([name, label]) => html`
                  <label key=${name} class="choice">
                    <input
                      type="radio"
                      name="verdict"
                      value=${name}
                      checked=${verdict === name}
                      onChange=${() => setVerdict(name ?? '')}
                    />
                    ${label}
                  </label>
                `,
              )}
            </fieldset>
            <label for="search-note">What is right? <span class="quiet">(optional)</span></label>
            <textarea
              id="search-note"
              maxlength="1000"
              dir="auto"
              value=${note}
              onInput=${(/** @type {Event} */ { currentTarget }) => setNote(/** @type {HTMLTextAreaElement} */ (currentTarget).value)}
            ></textarea>
            <p role="alert">${action.problem}</p>
            <div class="actions">
              <${CloseButton} busy=${action.busy} close=${() => setAsking(false)} />
              <button type="submit" class="small" aria-busy=${busy}>Send</button>
            </div>
          </form>
        <//>
      `
    }
  `;
}
