import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf, withQuery } from '../../parts/ask.js';
import { placeParts } from '../../parts/place-parts.js';
import { count } from '../../parts/words.js';

/**
 * @typedef {import('./labels.js').Chunk} Chunk
 *
 * The passages that are shown, in a row.
 * @typedef {object} Part
 * @property {readonly Chunk[]} chunks
 * @property {string | null} cursor the next page; null: none is known
 * @property {boolean} isEnd whether the last one is the last of the source
 */

/** How many passages are read at once. */
export const CHUNKS = 25;
/** How many are read around a passage, on each side: as many as the service returns. */
const AROUND = 10;
const GONE =
  'This passage is no longer in the source, because its text was replaced. Here is the text as it is now.';

/**
 * The text of a source, from its start or around the passage that the address names.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {import('./labels.js').SourceText} props.source
 * @param {string | null} props.chunk the id of the passage to show
 * @param {import('./labels.js').PageProps['link']} props.link
 * @param {() => Promise<void>} props.reload reads the source again
 */
export function Passages({ ask, source, chunk, link, reload }) {
  const { id, nextCursor } = source;
  const first = { chunks: source.chunks, cursor: nextCursor, isEnd: nextCursor === null };
  const [part, setPart] = useState(/** @type {Part} */ (first));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const [note, setNote] = useState('');
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  /** The passage to move to once it is shown. */
  const target = useRef(/** @type {string | null} */ (null));
  const shownFirst = part.chunks[0];
  const shownLast = part.chunks.at(-1);

  useLayoutEffect(() => setPart(first), [source.chunks]);
  useLayoutEffect(() => {
    setNote('');
    if (chunk === null) return;
    target.current = chunk;
    if (isIn(part.chunks, chunk) || isIn(source.chunks, chunk)) move();
    else void around(chunk);
  }, [chunk, source.chunks]);
  useLayoutEffect(() => move(), [part]);

  function move() {
    if (target.current === null) return;
    const row = list.current?.querySelector(`[data-chunk="${CSS.escape(target.current)}"]`);
    if (!(row instanceof HTMLElement)) return;
    target.current = null;
    row.scrollIntoView({ block: 'start' });
    row.focus({ preventScroll: true });
  }

  /**
   * The passages around one; null if they could not be read, and `[]` if it is not one of this source.
   * @param {string} chunkId
   * @param {{ before: number, after: number }} width
   * @returns {Promise<readonly Chunk[] | null>}
   */
  async function expand(chunkId, width) {
    setBusy(true);
    setProblem('');
    const reply = await ask('POST', 'memory/expand', { chunkId, ...width });
    setBusy(false);
    if (!isDone(reply)) {
      setProblem(problemOf(reply));
      return null;
    }
    /** @type {{ chunks: readonly Chunk[] }} */
    const { chunks } = reply.answer;
    return chunks.filter(({ source_id }) => source_id === id);
  }

  /** @param {string} chunkId */
  async function around(chunkId) {
    const chunks = await expand(chunkId, { before: AROUND, after: AROUND });
    if (chunks === null || target.current !== chunkId) return;
    const at = chunks.findIndex(({ chunk_id }) => chunk_id === chunkId);
    if (at < 0) {
      target.current = null;
      return setNote(GONE);
    }
    setPart({ chunks, cursor: null, isEnd: chunks.length - 1 - at < AROUND });
  }

  async function earlier() {
    if (busy || shownFirst === undefined) return;
    const chunks = await expand(shownFirst.chunk_id, { before: AROUND, after: 0 });
    if (chunks === null) return;
    if (chunks.length < 2) return stale();
    target.current = chunks[0]?.chunk_id ?? null;
    setPart((now) => ({ ...now, chunks: [...chunks.slice(0, -1), ...now.chunks] }));
  }

  async function later() {
    if (busy || shownLast === undefined) return;
    if (part.cursor === null) {
      const chunks = await expand(shownLast.chunk_id, { before: 0, after: AROUND });
      if (chunks === null) return;
      if (chunks.length === 0) return stale();
      // The button is gone after the last passage.
      target.current = (chunks[1] ?? shownLast).chunk_id;
      setPart((now) => ({
        chunks: [...now.chunks, ...chunks.slice(1)],
        cursor: null,
        isEnd: chunks.length <= AROUND,
      }));
      return;
    }
    setBusy(true);
    setProblem('');
    const reply = await ask('GET', withQuery(`memory/sources/${id}`, { limit: CHUNKS, cursor: part.cursor }));
    setBusy(false);
    // The cursor belongs to the text that was read.
    if (reply.status === 400 || reply.status === 404) return stale();
    if (!isDone(reply)) return setProblem(problemOf(reply));
    /** @type {{ chunks: Chunk[], nextCursor: string | null }} */
    const { chunks, nextCursor: cursor } = reply.answer;
    target.current = chunks[0]?.chunk_id ?? null;
    setPart((now) => ({ chunks: [...now.chunks, ...chunks], cursor, isEnd: cursor === null }));
  }

  async function stale() {
    target.current = null;
    await reload();
    setNote('The text was replaced or archived in the meantime. Here is the source as it is now.');
  }

  const isWhole = shownFirst?.ordinal === 0 && part.isEnd;
  const numbers =
    shownFirst === undefined || shownLast === undefined
      ? 'No passages'
      : isWhole
        ? count(part.chunks.length, 'passage')
        : `Passages ${shownFirst.ordinal + 1} to ${shownLast.ordinal + 1}${part.isEnd ? ', the last' : ''}`;
  return html`
    <section class="card source-text" aria-labelledby="passages-heading">
      <div class="bar">
        <h2 id="passages-heading">Text</h2>
        <span class="quiet" role="status">${busy ? 'Loading …' : numbers}</span>
      </div>
      <p role="status" class="source-note">${note}</p>
      ${
        shownFirst !== undefined &&
        shownFirst.ordinal > 0 &&
        html`<div class="actions">
          <button type="button" class="small" aria-busy=${busy ? 'true' : undefined} onClick=${earlier}>Show earlier passages</button>
          <a href=${link(`/sources/${id}`)} onClick=${() => setPart(first)}>From the start</a>
        </div>`
      }
      <ol class="records source-passages" ref=${list}>
        ${part.chunks.map(
          ({ chunk_id, ordinal, location, text }) => html`
            <li key=${chunk_id} data-chunk=${chunk_id} tabindex="-1" aria-current=${chunk_id === chunk ? 'true' : undefined}>
              <ul class="facts">
                <li><a href=${link(`/sources/${id}`, { chunk: chunk_id })}>Passage ${ordinal + 1}</a></li>
                ${placeParts(location).map(
                  ({ word, values }) => html`
                    <li key=${word}>${word} ${values.map((value, i) => html`${i > 0 && ' › '}<bdi key=${i}>${value}</bdi>`)}</li>
                  `,
                )}
              </ul>
              <p class="text" dir="auto">${text}</p>
            </li>
          `,
        )}
      </ol>
      <p role="alert">${problem}</p>
      ${
        !part.isEnd &&
        html`<div class="actions">
          <button type="button" class="small" aria-busy=${busy ? 'true' : undefined} onClick=${later}>Show more</button>
        </div>`
      }
    </section>
  `;
}

/**
 * @param {readonly Chunk[]} chunks
 * @param {string} id
 */
const isIn = (chunks, id) => chunks.some(({ chunk_id }) => chunk_id === id);
