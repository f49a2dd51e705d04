import { html } from '../../html.js';
import { useCopy } from '../../parts/copy.js';
import { isolated } from '../../parts/words.js';
import { KeyButton } from './keys.js';

/**
 * Which items are listed.
 * @param {object} props
 * @param {string | null} props.q
 * @param {string | null} props.clientId
 * @param {ReadonlyMap<string, string>} props.clients
 * @param {(query: Readonly<Record<string, string | null>>) => void} props.show
 * @param {string} props.all the address of all items
 */
export function Filters({ q, clientId, clients, show, all }) {
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const data = new FormData(event.currentTarget);
    const [text, client] = [data.get('q'), data.get('client')];
    show({
      q: typeof text === 'string' ? text.trim() : '',
      client: typeof client === 'string' ? client : '',
    });
  }
  return html`
    <form class="filters" role="search" aria-label="Items" onSubmit=${submit}>
      <div class="wide">
        <label for="review-q">Text contains</label>
        <input id="review-q" name="q" type="search" maxlength="300" autocomplete="off" value=${q ?? ''} />
      </div>
      ${
        clients.size > 0 &&
        html`
          <div>
            <label for="review-client">Client</label>
            <select id="review-client" name="client" value=${clientId ?? ''}>
              <option value="">All</option>
              ${[...clients].map(([id, name]) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
            </select>
          </div>
        `
      }
      <button type="submit" class="small">Filter</button>
      ${(q !== null || clientId !== null) && html`<a href=${all}>Show all</a>`}
    </form>
  `;
}

/**
 * What became of the decisions: the last one, with its undo, and those that failed.
 * @param {object} props
 * @param {import('./decisions.js').Decisions} props.decisions
 * @param {import('./queue.js').Queue} props.queue
 * @param {Readonly<Record<string, () => void>>} props.acts
 * @param {boolean} props.canDecide
 */
export function Outcomes({ decisions, queue, acts, canDecide }) {
  const { news, failures, orphans, made, bulk } = decisions;
  return html`
    <div class="review-outcomes">
      <div class="review-bar">
        <p role="status">
          ${
            news === null
              ? canDecide &&
                html`<span class="quiet">A decision is sent at once, and can be undone. Each button has a key.</span>`
              : html`${news.before} ${news.title !== '' && html`<bdi>${news.title}</bdi>${'. '}`}${news.after}`
          }
        </p>
        <div class="actions">
          ${
            bulk !== null
              ? html`
                  <progress max=${bulk.of} value=${bulk.at} aria-label="Decided">${bulk.at}</progress>
                  <button
                    type="button"
                    class="small"
                    onClick=${() => {
                      bulk.stopped = true;
                    }}
                  >
                    Stop after ${bulk.at + 1} of ${bulk.of}
                  </button>
                `
              : canDecide &&
                made.length > 0 &&
                html`<${KeyButton} keys="u" act=${acts.u}>Undo${(made.at(-1)?.length ?? 0) > 1 && ` ${made.at(-1)?.length} decisions`}<//>`
          }
          <${KeyButton} keys="?" act=${acts['?']}>Keys<//>
        </div>
      </div>
      <div role="alert">
        ${failures.map(
          ({ id, before, title, after }) => html`
            <div key=${id} class="review-failure">
              <p>${before} <bdi>${title}</bdi>. ${after}</p>
              <div class="actions">
                ${
                  queue.item(id) !== null &&
                  queue.current !== id &&
                  html`<button type="button" class="small" onClick=${() => queue.show(id)}>Show it</button>`
                }
                <button type="button" class="small" onClick=${() => decisions.dismiss(id)}>
                  Close<span class="unseen"> this message</span>
                </button>
              </div>
            </div>
          `,
        )}
      </div>
      ${orphans.map(({ item, draft }) => html`<${Orphan} key=${item.id} item=${item} draft=${draft} close=${() => decisions.dismissOrphan(item.id)} />`)}
    </div>
  `;
}

/**
 * A text that was typed for an item which someone else has decided.
 * @param {object} props
 * @param {import('./queue.js').Item} props.item
 * @param {import('./queue.js').Draft} props.draft
 * @param {() => void} props.close
 */
function Orphan({ item, draft, close }) {
  const { outcome, copy } = useCopy('Select the text and copy it');
  const id = `orphan-${item.id}`;
  const text = `${draft.title}\n\n${draft.content}`;
  return html`
    <section class="card review-orphan">
      <label for=${id}>Your text for <bdi>${item.title}</bdi></label>
      <p class="quiet">It was not stored, because the item was decided on elsewhere. It is kept here until you leave the page.</p>
      <textarea id=${id} readonly dir="auto">${text}</textarea>
      <div class="actions">
        <button type="button" class="small" onClick=${() => copy(text)}>Copy</button>
        <button type="button" class="small" onClick=${close}>Remove</button>
        <span class="quiet" role="status">${outcome}</span>
      </div>
    </section>
  `;
}
