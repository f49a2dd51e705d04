import { diffWordsWithSpace } from 'diff/lib/diff/word.js';
import { html, useLayoutEffect, useMemo, useState } from '../../html.js';
import { Changes } from '../../parts/changes.js';
import { useRecord } from '../../parts/record.js';
import { count, Moment } from '../../parts/words.js';

/**
 * @typedef {import('../../../../shared/schemas/memories.ts').SimilarMemory} Similar
 * @typedef {import('../../parts/changes.js').Change} Change
 *
 * @typedef {object} BesideProps
 * @property {import('./queue.js').Ask} ask
 * @property {import('./queue.js').Item} item
 * @property {import('./queue.js').Queue} queue
 * @property {import('./decisions.js').Decisions} decisions
 * @property {import('../../section.d.ts').PageProps['link']} link
 * @property {() => void} leave is called when a link to another page is followed
 */

/** Texts that are no longer are complete in the list. */
const EXCERPT = 1000;
/** The most words and spaces that differ: the time of a comparison grows with the square of their number. */
const MAX_DIFFERENCES = 400;
/** With less than this share of the characters in both, two texts are shown as they are. */
const LEAST_SHARED = 0.25;

/**
 * What helps to decide on an item: similar memories, compared with its text, and the captures that it was made of.
 * @param {BesideProps & { text: string }} props
 */
export function Beside(props) {
  const { item, queue, decisions, text } = props;
  const { captures = [], similar = [] } = item;
  const shown = similar.flatMap((other) => {
    const state = decisions.states.get(other.memoryId) ?? other.state ?? 'published';
    return state === 'published' || state === 'review' ? [{ ...other, state }] : [];
  });
  // First those that the item can take the place of.
  shown.sort((a, b) => Number(a.state === 'review') - Number(b.state === 'review'));
  if (item.state !== 'review') return null;
  return html`
    <div class="review-beside">
      <section class="card" aria-labelledby="similar-heading">
        <h2 id="similar-heading">Similar memories</h2>
        ${
          shown.length === 0
            ? html`<p class="quiet">No memory of this layer says almost the same.</p>`
            : shown.map(
                (other, index) => html`
                  <${SimilarMemory} key=${other.memoryId} ...${props} other=${other} text=${text} isFirst=${index === 0} inQueue=${queue.item(other.memoryId) !== null} />
                `,
              )
        }
      </section>
      <section class="card" aria-labelledby="captures-heading">
        <h2 id="captures-heading">Made of ${count(captures.length, 'capture')}</h2>
        ${captures.length === 0 && html`<p class="quiet">There is no capture of this memory that you can read.</p>`}
        <ol class="records">
          ${captures.map(
            ({ id, sessionId, sequence, summary, createdAt }) => html`
              <li key=${id}>
                <p class="review-session"><bdi>${sessionId}</bdi></p>
                <p class="facts">${sequence !== null && html`<span>number ${sequence}</span>`}<span><${Moment} at=${createdAt} /></span></p>
                <p class="text" dir="auto">${summary}</p>
              </li>
            `,
          )}
        </ol>
      </section>
    </div>
  `;
}

/**
 * A similar memory. Its text is compared with that of the item: what would change if the item took its place.
 * @param {BesideProps & { text: string, other: Similar & { state: 'published' | 'review' }, isFirst: boolean,
 *   inQueue: boolean }} props
 */
function SimilarMemory({ ask, other, text, isFirst, inQueue, queue, link, leave }) {
  const { memoryId, title, excerpt, similarity, basis, state } = other;
  const [open, setOpen] = useState(isFirst);
  useLayoutEffect(() => setOpen(isFirst), [isFirst]);
  const isLong = [...excerpt].length >= EXCERPT;
  const record = useRecord(ask, isLong && open ? `memory/memories/${memoryId}` : null);
  const content = isLong ? /** @type {{ content: string } | null} */ (record.value)?.content : excerpt;
  const changes = useMemo(
    () => (open && content !== undefined ? wordChanges(content, text) : null),
    [open, content, text],
  );
  return html`
    <details class="review-similar" open=${open} onToggle=${(/** @type {any} */ event) => setOpen(event.currentTarget.open)}>
      <summary>
        <bdi class="review-title">${title}</bdi>
        <span class="facts">
          <span class="tag">${state === 'review' ? 'in review too' : 'published'}</span>
          <span>${Math.round(similarity * 100)} % by ${basis}</span>
        </span>
      </summary>
      ${
        content === undefined
          ? html`<p class="quiet" role=${record.problem === '' ? undefined : 'alert'}>${record.problem || 'Loading the text …'}</p>`
          : changes === null
            ? html`<p class="quiet">Its text is quite different:</p><p class="text" dir="auto">${content}</p>`
            : changes.every(({ op }) => op === 'equal')
              ? html`<p class="quiet">Its text is the same.</p><p class="text" dir="auto">${content}</p>`
              : html`<p class="quiet">From its text to that of this item:</p><${Changes} changes=${changes} />`
      }
      <p class="actions">
        ${inQueue && html`<button type="button" class="small" onClick=${() => queue.show(memoryId)}>Go to it in the queue</button>`}
        <a href=${link(`/memories/${memoryId}`)} onClick=${leave}>Open this memory</a>
      </p>
    </details>
  `;
}

/**
 * Compares two texts by words, in the browser, so that a text can be compared while it is edited.
 * @param {string} before
 * @param {string} after
 * @returns {readonly Change[] | null} null if too little is the same for a comparison to help
 */
function wordChanges(before, after) {
  const parts = diffWordsWithSpace(before, after, { maxEditLength: MAX_DIFFERENCES });
  if (parts === undefined) return null;
  const shared = parts.reduce(
    (sum, { added, removed, value }) => sum + (added || removed ? 0 : value.length),
    0,
  );
  if (shared < LEAST_SHARED * Math.max(before.length, after.length)) return null;
  return parts.map(({ added, removed, value }) => ({
    op: added ? 'insert' : removed ? 'delete' : 'equal',
    text: value,
  }));
}
