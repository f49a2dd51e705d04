import { html, useState } from '../../html.js';
import { count } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/search.ts').Hit} Hit
 * @typedef {import('../../../../shared/schemas/search.ts').HitExplanation} HitExplanation
 * @typedef {import('../../../../shared/schemas/search.ts').SearchExplanation} SearchExplanation
 *
 * An explained search: the search itself, and each of its hits by the id of the chunk.
 * @typedef {{ search: SearchExplanation, hits: ReadonlyMap<string, { hit: Hit, explain: HitExplanation }> }} Explained
 */

/** So many words are listed; the others weigh less. */
const MAX_WORDS = 12;

const GONE = 'A search made now does not find this passage. Search again.';

/** @param {number} n */
const figure = (n) => n.toLocaleString('en', { maximumFractionDigits: 2 });

/**
 * What led to the place of a hit, in sentences.
 * @param {Hit} hit
 * @param {HitExplanation} explain
 * @param {SearchExplanation} search
 * @returns {string[]}
 */
function reasons(hit, explain, search) {
  const parts = explain.terms.filter(({ kind }) => kind === 'gram').length;
  const evidence = explain.source_evidence ?? 0;
  return [
    explain.identifier && 'It contains a rare code of the query, so it is before all passages without one.',
    hit.keyword_rank === null
      ? 'The search by words did not find it.'
      : `The search by words has it at place ${hit.keyword_rank}.`,
    parts > 0 && `It shares ${count(parts, 'part')} of words with the query.`,
    evidence > 0 && 'Other passages of the same source were found too, which moves it up.',
    search.semantic === null
      ? 'The search by meaning did not run: the query has no vector.'
      : hit.semantic_rank !== null
        ? `The search by meaning has it at place ${hit.semantic_rank}.`
        : explain.similarity === null
          ? 'It has no vector yet, so the search by meaning could not find it.'
          : 'It is not among the nearest passages of the search by meaning.',
  ].filter((sentence) => typeof sentence === 'string');
}

/**
 * Why a hit is where it is.
 * @param {object} props
 * @param {Hit} props.hit
 * @param {import('../../html.js').Children} props.about the name of the hit
 * @param {() => Promise<Explained | string>} props.explain a string says why it cannot be explained
 */
export function Why({ hit, about, explain }) {
  const [read, setRead] = useState(/** @type {Explained | string | null} */ (null));
  /** @param {Event} event */
  async function toggle({ currentTarget }) {
    if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) setRead(await explain());
  }
  const own = read === null || typeof read === 'string' ? undefined : read.hits.get(hit.chunk_id);
  return html`
    <details class="why" onToggle=${toggle}>
      <summary>Why this place${about}</summary>
      ${
        read === null
          ? html`<p class="quiet" role="status">Reading why …</p>`
          : typeof read === 'string' || own === undefined
            ? html`<p role="alert">${typeof read === 'string' ? read : GONE}</p>`
            : html`<${Reasons} hit=${own.hit} explain=${own.explain} search=${read.search} />`
      }
    </details>
  `;
}

/**
 * @param {object} props
 * @param {Hit} props.hit
 * @param {HitExplanation} props.explain
 * @param {SearchExplanation} props.search
 */
function Reasons({ hit, explain, search }) {
  const words = explain.terms.filter(({ kind }) => kind === 'exact');
  const known = new Map(search.terms.filter(({ kind }) => kind === 'exact').map((term) => [term.term, term]));
  const { keyword_z: byWords, semantic_z: byMeaning, similarity } = explain;
  return html`
    <ul>
      ${reasons(hit, explain, search).map((sentence) => html`<li key=${sentence}>${sentence}</li>`)}
    </ul>
    <dl>
      <dt>Points for words</dt>
      <dd>${figure(byWords)}</dd>
      <dt>Points for meaning</dt>
      <dd>${figure(byMeaning)}${similarity !== null && ` (similarity ${figure(similarity)} of 1)`}</dd>
      <dt>Together</dt>
      <dd>${figure(hit.score)}</dd>
    </dl>
    ${
      words.length > 0 &&
      html`
        <table>
          <caption>Words of the query in it</caption>
          <thead>
            <tr><th scope="col">Word</th><th scope="col">In passages</th><th scope="col">Weight</th></tr>
          </thead>
          <tbody>
            ${words.slice(0, MAX_WORDS).map(({ term, weight }) => {
              const all = known.get(term);
              return html`
                <tr key=${term}>
                  <th scope="row"><bdi>${term}</bdi></th>
                  <td>${all !== undefined && `${all.scaled ? 'about ' : ''}${all.documents.toLocaleString('en')}`}</td>
                  <td>${figure(weight)}</td>
                </tr>
              `;
            })}
          </tbody>
        </table>
        ${words.length > MAX_WORDS && html`<p class="quiet">${words.length - MAX_WORDS} more weigh less.</p>`}
      `
    }
    <p class="quiet">Points say how far it is above the average of the passages found. A word counts more the fewer passages have it.</p>
  `;
}
