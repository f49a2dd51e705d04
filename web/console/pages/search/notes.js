import { html } from '../../html.js';
import { count } from '../../parts/words.js';

/** @typedef {import('../../../../shared/schemas/status.ts').Status} Status */

/**
 * Says that only words are searched, if it is so.
 * @param {object} props
 * @param {Status['embedder']} props.embedder
 * @param {boolean} props.degraded whether the search that is shown had no vector
 */
export function WordsOnly({ embedder, degraded }) {
  if (!embedder.serverModeEnabled) {
    return html`<p class="quiet search-note">
      This service searches by words and codes, not by meaning. Use words that the text contains.
    </p>`;
  }
  if (!degraded && embedder.problem === undefined) return null;
  return html`<p class="quiet search-note">
    The search by meaning is not available now, so only words and codes are searched. Try again later.
  </p>`;
}

/**
 * @param {object} props
 * @param {Status['imports']} props.imports
 * @param {(path: string) => string} props.link
 */
function Reading({ imports, link }) {
  const waiting = imports.queued + imports.running;
  if (waiting === 0) return null;
  return html`<p>
    ${count(waiting, 'file')} ${waiting === 1 ? 'is' : 'are'} still being read. Search again when${' '}
    <a href=${link('/imports')}>${waiting === 1 ? 'it is' : 'they are'} done</a>.
  </p>`;
}

/**
 * In place of passages, if there is nothing that could be found.
 * @param {object} props
 * @param {(path: string) => string} props.link
 * @param {boolean} props.canAdd whether the user can store something
 * @param {Status['imports']} props.imports
 */
export const NothingStored = ({ link, canAdd, imports }) => html`
  <section class="card" aria-labelledby="nothing-heading">
    <h2 id="nothing-heading">Nothing is stored here yet</h2>
    <${Reading} imports=${imports} link=${link} />
    ${
      canAdd
        ? html`<p>A search finds what was imported, and what agents have learned. <a href=${link('/imports')}>Import files</a> first.</p>`
        : html`<p>A search finds what was imported, and what agents have learned. Ask an Owner or Admin of the Team to import something.</p>`
    }
  </section>
`;

/**
 * In place of passages, if none was found: what to try.
 * @param {object} props
 * @param {string | null} props.everywhere the link to the search without filters, if there are any
 * @param {(path: string) => string} props.link
 * @param {Status['imports'] | null} props.imports
 */
export const NothingFound = ({ everywhere, link, imports }) => html`
  <section class="card" aria-labelledby="nothing-heading">
    <h2 id="nothing-heading">What you can try</h2>
    ${imports !== null && html`<${Reading} imports=${imports} link=${link} />`}
    <ul>
      ${everywhere !== null && html`<li><a href=${everywhere}>Search everywhere, without filters</a>.</li>`}
      <li>Use fewer words, or those that the text itself would use.</li>
      <li>Search for a code or a name exactly as it is written.</li>
      <li>Look in the <a href=${link('/sources')}>sources</a> whether the text is stored at all.</li>
    </ul>
  </section>
`;
