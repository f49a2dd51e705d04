import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone } from '../../parts/ask.js';
import { isolated, KINDS } from '../../parts/words.js';
import { isFiltered, searchKeyOf } from './criteria.js';

/**
 * @typedef {import('./criteria.js').Criteria} Criteria
 * @typedef {{ id: string, name: string }} Client
 */

/**
 * The query and the filters. What is typed is searched when the form is sent; a filter that is chosen, at once.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {Criteria} props.criteria those of the address
 * @param {readonly Client[]} props.clients
 * @param {string} props.without the link to the search without filters
 * @param {boolean} props.busy
 * @param {(criteria: Criteria, sent: boolean) => void} props.search is called with what is to be searched; `sent`: the
 *   form was sent, else a filter was chosen
 */
export function SearchForm({ ask, criteria, clients, without, busy, search }) {
  const [draft, setDraft] = useState(criteria);
  const [tags, setTags] = useState(/** @type {readonly string[] | null} */ (null));
  const field = useRef(/** @type {HTMLInputElement | null} */ (null));
  useLayoutEffect(() => setDraft(criteria), [searchKeyOf(criteria)]);
  useLayoutEffect(() => {
    if (criteria.q === '') field.current?.focus();
  }, []);

  /** @param {Partial<Criteria>} part */
  const changed = (part) => ({ ...draft, ...part, top: '' });
  /** @param {Partial<Criteria>} part */
  function choose(part) {
    setDraft(changed(part));
    search(changed(part), false);
  }
  /** @param {SubmitEvent} event */
  function send(event) {
    event.preventDefault();
    if (draft.q.trim() === '') field.current?.focus();
    search(changed({}), true);
  }
  /** @param {Event} event */
  async function offerTags({ currentTarget }) {
    if (!(currentTarget instanceof HTMLDetailsElement) || !currentTarget.open || tags !== null) return;
    setTags([]);
    const reply = await ask('GET', 'memory/tags?limit=200');
    // Without them, a tag can still be typed.
    if (isDone(reply)) setTags(reply.answer.items.map((/** @type {{ tag: string }} */ { tag }) => tag));
  }

  const isClient = draft.in !== '' && draft.in !== 'team';
  const isKnown = !isClient || clients.some(({ id }) => id === draft.in);
  const value = (/** @type {Event} */ { currentTarget }) =>
    /** @type {HTMLInputElement} */ (currentTarget).value;
  const more = criteria.tag !== '' || criteria.from !== '' || criteria.to !== '';
  return html`
    <form class="card search-form" role="search" aria-label="Passages" novalidate onSubmit=${send}>
      <div class="filters">
        <div class="wide">
          <label for="search-query">Search for</label>
          <input
            id="search-query"
            type="search"
            ref=${field}
            maxlength="4000"
            autocomplete="off"
            dir="auto"
            value=${draft.q}
            onInput=${(/** @type {Event} */ event) => setDraft({ ...draft, q: value(event) })}
          />
        </div>
        <button type="submit" aria-busy=${busy ? 'true' : undefined}>Search</button>
      </div>
      <div class="filters">
        ${
          (clients.length > 0 || draft.in !== '') &&
          html`
            <div>
              <label for="search-in">Where</label>
              <select
                id="search-in"
                value=${draft.in}
                onChange=${(/** @type {Event} */ event) => choose({ in: value(event), with: '' })}
              >
                <option value="">Everywhere</option>
                <option value="team">The Team layer only</option>
                ${!isKnown && html`<option value=${draft.in}>Another client</option>`}
                <optgroup label="One client">
                  ${clients.map(({ id, name }) => html`<option key=${id} value=${id}>${isolated(name)}</option>`)}
                </optgroup>
              </select>
            </div>
          `
        }
        <div>
          <label for="search-kind">Kind</label>
          <select
            id="search-kind"
            value=${draft.kind}
            onChange=${(/** @type {Event} */ event) => choose({ kind: value(event) })}
          >
            <option value="">All kinds</option>
            ${Object.entries(KINDS).map(([kind, name]) => html`<option key=${kind} value=${kind}>${name}</option>`)}
          </select>
        </div>
      </div>
      ${
        isClient &&
        html`
          <label class="choice">
            <input
              type="checkbox"
              checked=${draft.with === 'team'}
              onChange=${() => choose({ with: draft.with === 'team' ? '' : 'team' })}
            />
            Search the Team layer too
          </label>
        `
      }
      <details open=${more} onToggle=${offerTags}>
        <summary>Tag and date</summary>
        <div class="filters">
          <div>
            <label for="search-tag">Tag</label>
            <input
              id="search-tag"
              list="search-tags"
              maxlength="50"
              autocomplete="off"
              dir="auto"
              value=${draft.tag}
              onInput=${(/** @type {Event} */ event) => setDraft({ ...draft, tag: value(event) })}
            />
            <datalist id="search-tags">
              ${(tags ?? []).map((tag) => html`<option key=${tag} value=${tag}></option>`)}
            </datalist>
          </div>
          ${[
            { name: /** @type {const} */ ('from'), label: 'Stored from' },
            { name: /** @type {const} */ ('to'), label: 'Stored until' },
          ].map(
            ({ name, label }) => html`
              <div key=${name}>
                <label for=${`search-${name}`}>${label}</label>
                <input
                  id=${`search-${name}`}
                  type="date"
                  value=${draft[name]}
                  onInput=${(/** @type {Event} */ event) => setDraft({ ...draft, [name]: value(event) })}
                />
              </div>
            `,
          )}
          <button type="submit" class="small">Apply</button>
        </div>
      </details>
      ${isFiltered(criteria) && html`<p class="search-clear"><a href=${without} onClick=${() => field.current?.focus()}>Clear the filters</a></p>`}
    </form>
  `;
}
