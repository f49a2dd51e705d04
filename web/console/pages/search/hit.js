import { html, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { copyText } from '../../parts/copy.js';
import { placeParts } from '../../parts/place-parts.js';
import { count, KINDS, Moment, Uri } from '../../parts/words.js';
import { excerptOf, lastBreak, Marked, nextBreak } from './marks.js';
import { Verdict } from './verdict.js';
import { Why } from './why.js';

/**
 * @typedef {import('../../../../shared/schemas/search.ts').Hit} Hit
 * @typedef {import('../../../../shared/schemas/sources.ts').Chunk} Chunk
 * @typedef {import('./marks.js').Sought} Sought
 */

/** How many passages on each side are shown, more with each step. One more is read, which says whether there are more. */
const WIDTHS = [2, 5, 9];
/** How much of a neighbour is shown at first. */
const GLIMPSE = 200;

/** @param {string} text */
const itsEnd = (text) =>
  text.length <= GLIMPSE ? text : `… ${text.slice(nextBreak(text, text.length - GLIMPSE))}`;
/** @param {string} text */
const itsStart = (text) => (text.length <= GLIMPSE ? text : `${text.slice(0, lastBreak(text, GLIMPSE))} …`);

/**
 * The text of a hit, with what is around it.
 * @param {object} props
 * @param {Hit} props.hit
 * @param {Sought} props.sought
 * @param {readonly Chunk[] | null} props.around the passages around it and itself, once they were asked for
 */
function Passage({ hit, sought, around }) {
  if (around !== null) {
    return around.map(
      (chunk) => html`
        <p key=${chunk.chunk_id} class=${chunk.chunk_id === hit.chunk_id ? 'text' : 'text quiet'} dir="auto">
          <${Marked} text=${chunk.text} sought=${sought} />
        </p>
      `,
    );
  }
  const { text } = hit;
  const { start, end } = excerptOf(text, sought);
  const before = start === 0 ? hit.before?.at(-1) : undefined;
  const after = end === text.length ? hit.after?.[0] : undefined;
  return html`
    ${before !== undefined && html`<p class="text quiet neighbour" dir="auto">${itsEnd(before.text)}</p>`}
    <p class="text" dir="auto">
      ${start > 0 && '… '}<${Marked} text=${text.slice(start, end)} sought=${sought} />${end < text.length && ' …'}
    </p>
    ${after !== undefined && html`<p class="text quiet neighbour" dir="auto">${itsStart(after.text)}</p>`}
  `;
}

/**
 * One hit of a search.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {Hit} props.hit
 * @param {string} props.queryId
 * @param {Sought} props.sought
 * @param {string | null} props.client the name of its client; null for the Team layer
 * @param {(path: string, query?: Readonly<Record<string, string | null>>) => string} props.link
 * @param {(tag: string) => string} props.tagLink the link to the same search with a tag
 * @param {boolean} props.isArchived whether the Team is archived, so that nothing can be said about a hit
 * @param {(() => Promise<import('./why.js').Explained | string>) | null} props.explain explains the search; null
 *   without the right to it
 */
export function HitItem({ ask, hit, queryId, sought, client, link, tagLink, isArchived, explain }) {
  const [around, setAround] = useState(/** @type {readonly Chunk[] | null} */ (null));
  const [step, setStep] = useState(0);
  const [outcome, setOutcome] = useState(/** @type {import('../../html.js').Children} */ (''));
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const less = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const more = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const href = link(`/sources/${hit.source_id}`, { chunk: hit.chunk_id });
  const place = placeParts(hit.location).map(
    ({ word, values }) =>
      html`${word} ${values.map((value, i) => html`${i > 0 && ' › '}<bdi key=${i}>${value}</bdi>`)}`,
  );

  async function expand() {
    const width = WIDTHS[step];
    if (busy || width === undefined) return;
    setBusy(true);
    setProblem('');
    const read = { before: width + 1, after: width + 1 };
    const reply = await ask('POST', 'memory/expand', { chunkId: hit.chunk_id, ...read });
    setBusy(false);
    if (!isDone(reply)) return setProblem(problemOf(reply));
    /** @type {Chunk[]} */
    const all = reply.answer.chunks;
    const at = all.findIndex(({ chunk_id }) => chunk_id === hit.chunk_id);
    if (at < 0) return setProblem('This passage is no longer stored. Search again.');
    const chunks = all.slice(Math.max(0, at - width), at + width + 1);
    const isWhole = chunks.length === all.length;
    const next = isWhole ? WIDTHS.length : step + 1;
    setAround(chunks);
    setStep(next);
    setOutcome(isWhole ? 'This is the whole text.' : `${chunks.length} passages of it are shown.`);
    if (next === WIDTHS.length) setTimeout(() => less.current?.focus());
  }
  function collapse() {
    setAround(null);
    setStep(0);
    setOutcome('');
    setTimeout(() => more.current?.focus());
  }
  async function copy() {
    const url = new URL(href, location.href).href;
    const isCopied = await copyText(url);
    setOutcome(
      isCopied ? 'The link is copied.' : html`Copy this link: <span class="search-link">${url}</span>`,
    );
  }

  const about = html`<span class="unseen">${' '}(<bdi>${hit.title}</bdi>)</span>`;
  return html`
    <li class="hit">
      <h2><a href=${href}><bdi><${Marked} text=${hit.title} sought=${sought} /></bdi></a></h2>
      <ul class="facts">
        <li>${KINDS[hit.kind]}</li>
        <li>${client === null ? 'Team' : html`<bdi>${client}</bdi>`}</li>
        ${place.map((part, i) => html`<li key=${i}>${part}</li>`)}
        <li><${Moment} at=${hit.created_at} /></li>
        ${hit.uri !== null && html`<li><${Uri} uri=${hit.uri} /></li>`}
        ${hit.duplicates > 0 && html`<li>${count(hit.duplicates, 'equal passage')} left out</li>`}
      </ul>
      ${
        hit.tags.length > 0 &&
        html`
          <ul class="facts search-tags" aria-label="Tags">
            ${hit.tags.map((tag) => html`<li key=${tag}><a class="tag" href=${tagLink(tag)}><bdi>${tag}</bdi></a></li>`)}
          </ul>
        `
      }
      <div class="passage"><${Passage} hit=${hit} sought=${sought} around=${around} /></div>
      <p role="alert">${problem}</p>
      <div class="actions">
        ${
          step < WIDTHS.length &&
          html`<button type="button" class="small" ref=${more} aria-busy=${busy ? 'true' : undefined} onClick=${expand}>
            ${step === 0 ? 'Show more of it' : 'Show still more'}${about}
          </button>`
        }
        ${
          around !== null &&
          html`<button type="button" class="small" ref=${less} onClick=${collapse}>Show less${about}</button>`
        }
        <a class="open" href=${href}>Open${about}</a>
        <button type="button" class="small" onClick=${copy}>Copy link${about}</button>
        ${
          !isArchived &&
          html`<${Verdict} ask=${ask} queryId=${queryId} hit=${hit} about=${about} said=${setOutcome} />`
        }
        <span class="quiet" role="status">${outcome}</span>
      </div>
      ${explain !== null && html`<${Why} hit=${hit} about=${about} explain=${explain} />`}
    </li>
  `;
}
