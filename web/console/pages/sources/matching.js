import { useLeaveQuestion } from '../../address.js';
import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { Dialog } from '../../parts/dialog.js';
import { count, KINDS } from '../../parts/words.js';
import { ArchiveMeaning } from './labels.js';

/**
 * What was done with several sources, and with which, so that it can be undone. `n` can be more than the ids that are
 * known.
 * @typedef {{ verb: 'archive' | 'restore', n: number, ids: readonly string[] }} Done
 */

/**
 * What the service is to archive: the filters of the list, and a day.
 * @param {import('./labels.js').Criteria} criteria
 * @param {string} day before which they were stored; '' does not restrict it
 */
function filterOf({ kind, client, tag, q }, day) {
  // The day begins in the time zone of the user.
  const start = day === '' ? null : new Date(`${day}T00:00:00`);
  const createdBefore = start === null || Number.isNaN(start.getTime()) ? '' : start.toISOString();
  const given = Object.entries({ kind, clientId: client, tag, q, createdBefore });
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== ''));
}

/**
 * Asks before all sources are archived that match the filters, also those that the list does not show yet.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {string} props.user the id of the user
 * @param {import('./labels.js').Criteria} props.criteria
 * @param {() => void} props.close
 * @param {(done: Done | null, problem: string) => void} props.archived is called at the end, with
 *   what was done and why not all was
 */
export function Matching({ ask, user, criteria, close, archived }) {
  const [day, setDay] = useState('');
  const [found, setFound] = useState(/** @type {{ n: number, filter: object } | null} */ (null));
  const [problem, setProblem] = useState('');
  const [progress, setProgress] = useState('');
  /** Counts the dry runs: only the answer to the last one is shown. */
  const runs = useRef(0);
  const stopped = useRef(false);
  useLeaveQuestion(
    progress === '' ? '' : `${progress} If you leave now, the others stay as they are. Leave all the same?`,
  );
  const isOpen = Object.keys(filterOf(criteria, day)).length === 0;

  useLayoutEffect(() => {
    async function dryRun() {
      runs.current += 1;
      const mine = runs.current;
      setFound(null);
      setProblem('');
      const filter = filterOf(criteria, day);
      if (Object.keys(filter).length === 0) return;
      const reply = await ask('POST', 'memory/sources/archive', { filter, dryRun: true });
      if (mine !== runs.current) return;
      if (!isDone(reply)) return setProblem(problemOf(reply));
      // What is stored after this count stays. The service tells the time in whole seconds.
      const now = new Date((Number.isNaN(reply.answeredAt) ? Date.now() : reply.answeredAt) + 1000);
      setFound({ n: reply.answer.count, filter: { createdBefore: now.toISOString(), ...filter } });
    }
    void dryRun();
  }, [day]);

  /** The ids of the sources that the user has archived last, from the event of it. */
  async function lastIds(/** @type {number} */ n, /** @type {readonly string[]} */ before) {
    const reply = await ask('GET', 'memory/audit?kind=memory.archive&limit=20');
    if (!isDone(reply)) return [];
    /** @type {readonly { actorId: string, detail: { sourceIds?: string[] } }[]} */
    const events = reply.answer.items;
    const event = events.find(
      ({ actorId, detail: { sourceIds } }) => actorId === user && sourceIds?.length === n,
    );
    const ids = event?.detail.sourceIds ?? [];
    return ids.some((id) => before.includes(id)) ? [] : ids;
  }

  async function archive() {
    if (found === null || progress !== '') return;
    /** @type {string[]} */
    const ids = [];
    let n = 0;
    let failure = '';
    while (n < found.n) {
      setProgress(`Archived ${n.toLocaleString('en')} of ${count(found.n, 'source')} …`);
      const body = { filter: found.filter, dryRun: false };
      const reply = await ask('POST', 'memory/sources/archive', body);
      if (!isDone(reply)) failure = problemOf(reply);
      if (failure !== '' || reply.answer.count === 0) break;
      n += reply.answer.count;
      ids.push(...(await lastIds(reply.answer.count, ids)));
      if (stopped.current && n < found.n) failure = 'You have stopped it.';
      if (failure !== '') break;
    }
    if (n === 0 && failure === '') failure = 'They were changed or archived since they were counted.';
    archived(n === 0 ? null : { verb: 'archive', n, ids }, failure);
  }

  /** What was archived already is told at the end. */
  function cancel() {
    stopped.current = true;
    if (progress === '') close();
  }

  const filters = [
    criteria.kind !== null && ['Kind', KINDS[criteria.kind]],
    criteria.q !== '' && ['Title or address contains', html`<bdi>${criteria.q}</bdi>`],
    criteria.tag !== '' && ['Tag', html`<bdi>${criteria.tag}</bdi>`],
    criteria.client !== '' && ['Layer', 'the chosen client'],
  ].filter((filter) => filter !== false);
  return html`
    <${Dialog} heading="Archive all that match" busy=${progress !== ''} close=${cancel}>
      ${
        filters.length > 0 &&
        html`<dl class="named source-filters">${filters.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
      }
      <label for="archive-day">${filters.length > 0 ? 'And stored before (can be empty)' : 'Stored before'}</label>
      <input
        id="archive-day"
        type="date"
        value=${day}
        onChange=${(/** @type {Event & { currentTarget: HTMLInputElement }} */ event) => setDay(event.currentTarget.value)}
      />
      <p role="status" class="source-count">
        ${
          progress !== ''
            ? progress
            : isOpen
              ? 'Choose a day, or close this and filter the list first.'
              : found === null
                ? problem === '' && 'Counting …'
                : `${count(found.n, 'source matches', 'sources match')}. Memories and workspace files are left out.`
        }
      </p>
      ${found !== null && found.n > 0 && html`<${ArchiveMeaning} many=${true} />`}
      <p role="alert">${problem}</p>
      <div class="actions">
        <button type="button" class="small" onClick=${cancel}>${progress === '' ? 'Cancel' : 'Stop'}</button>
        ${
          found !== null &&
          found.n > 0 &&
          html`<button type="button" class="small danger" aria-busy=${progress === '' ? undefined : 'true'} onClick=${archive}>
            Archive ${count(found.n, 'source')}
          </button>`
        }
      </div>
    <//>
  `;
}
