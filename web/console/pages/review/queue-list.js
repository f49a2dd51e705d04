import { html, useLayoutEffect, useRef } from '../../html.js';
import { ListEnd } from '../../parts/list.js';
import { isolated } from '../../parts/words.js';

/**
 * The items that wait, and decisions on several of them.
 * @param {object} props
 * @param {import('./queue.js').Queue} props.queue
 * @param {import('./decisions.js').Decisions} props.decisions
 * @param {ReadonlyMap<string, string>} props.clients
 * @param {boolean} props.canDecide
 * @param {(id: string) => void} props.select
 * @param {() => void} props.redraw
 */
export function QueueList({ queue, decisions, clients, canDecide, select, redraw }) {
  const { items, current, selected, drafts } = queue;
  const scroller = useRef(/** @type {HTMLElement | null} */ (null));
  const selectable = (items ?? []).filter(({ state }) => state === 'review');
  const chosen = selectable.filter(({ id }) => selected.has(id));
  const isBusy = decisions.bulk !== null;

  // An entry can leave the list while it has the focus.
  const had = scroller.current?.contains(document.activeElement) === true;
  useLayoutEffect(() => {
    const entry = scroller.current?.querySelector('[aria-current]');
    if (had && document.activeElement === document.body && entry instanceof HTMLElement) entry.focus();
  }, [items]);

  // Only the list scrolls: the page stays where its reader is.
  useLayoutEffect(() => {
    const list = scroller.current;
    const entry = list?.querySelector('[aria-current]')?.closest('li');
    if (!list || !entry) return;
    const [top, bottom] = [
      entry.offsetTop - list.offsetTop,
      entry.offsetTop - list.offsetTop + entry.offsetHeight,
    ];
    if (top < list.scrollTop) list.scrollTop = top;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
  }, [current, items]);

  function selectAll() {
    if (chosen.length === selectable.length) selected.clear();
    else for (const { id } of selectable) selected.add(id);
    redraw();
  }

  /** @param {import('./queue.js').Item} item */
  const facts = ({ id, clientId, feedback = [], similar = [] }) => [
    ...(clientId === null ? [] : [html`<bdi>${clients.get(clientId) ?? 'A client'}</bdi>`]),
    ...(feedback.length > 0 ? [html`<span class="tag">${feedback[0]?.verdict}</span>`] : []),
    ...(similar.length > 0 ? [`${similar.length} similar`] : []),
    ...(drafts.has(id) ? [html`<span class="tag">edited</span>`] : []),
    ...(decisions.failures.some((failure) => failure.id === id)
      ? [html`<span class="tag">refused</span>`]
      : []),
  ];

  return html`
    <section class="card review-queue" aria-labelledby="queue-heading" hidden=${items?.length === 0 && queue.next === null}>
      <h2 id="queue-heading">Queue</h2>
      ${
        canDecide &&
        selectable.length > 1 &&
        html`
          <div class="review-bulk">
            <label class="choice">
              <input
                type="checkbox"
                checked=${chosen.length === selectable.length}
                indeterminate=${chosen.length > 0 && chosen.length < selectable.length}
                disabled=${isBusy}
                onChange=${selectAll}
              />
              Select all shown
            </label>
            <span class="quiet">${chosen.length > 0 && `${chosen.length} selected`}</span>
            ${
              chosen.length > 0 &&
              !isBusy &&
              html`
                <div class="actions">
                  <button type="button" class="small" onClick=${() => decisions.decideAll(chosen, 'publish')}>Publish ${chosen.length}</button>
                  <button type="button" class="small danger" onClick=${() => decisions.decideAll(chosen, 'discard')}>Discard ${chosen.length}</button>
                </div>
              `
            }
          </div>
        `
      }
      <div class="review-scroll" ref=${scroller}>
        <ul class="review-list">
          ${(items ?? []).map((item) => {
            const { id, title, state } = item;
            const about = facts(item);
            return html`
              <li key=${id}>
                ${
                  canDecide &&
                  html`<span class="review-check">
                    ${
                      state === 'review' &&
                      html`<input
                        type="checkbox"
                        checked=${selected.has(id)}
                        disabled=${isBusy}
                        aria-label=${`Select ${isolated(title)}`}
                        onChange=${() => select(id)}
                      />`
                    }
                  </span>`
                }
                <button
                  type="button"
                  class="review-entry"
                  aria-current=${id === current ? 'true' : undefined}
                  onClick=${() => queue.show(id)}
                >
                  <bdi class="review-title">${title}</bdi>
                  ${about.length > 0 && html`<span class="facts">${about.map((fact) => html`<span>${fact}</span>`)}</span>`}
                </button>
              </li>
            `;
          })}
        </ul>
        <${ListEnd} list=${queue} one="item" />
      </div>
    </section>
  `;
}
