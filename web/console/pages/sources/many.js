import { html, useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf } from '../../parts/ask.js';
import { Question } from '../../parts/dialog.js';
import { count } from '../../parts/words.js';
import { ArchiveMeaning, Problem } from './labels.js';

/**
 * @typedef {import('./labels.js').PageProps} PageProps
 * @typedef {import('./labels.js').Source} Source
 * @typedef {import('../../html.js').Children} Children
 * @typedef {import('./matching.js').Done} Done
 * @typedef {{ id: string, title: string, text: string }} Failure what was not done with a source, and why
 */

const NOT_LOADED = 'The dialog could not be loaded. Check your connection and try again, or reload the page.';

/**
 * What is being done with several sources, and what was done. Other filters do not end it, so the list keeps it.
 * @typedef {ReturnType<typeof useWork>} Work
 */

/** @param {string} shown names the list. With another one, what was done before is no longer said */
export function useWork(shown) {
  const [progress, setProgress] = useState('');
  const [done, setDone] = useState(/** @type {Done | null} */ (null));
  const [failures, setFailures] = useState(/** @type {readonly Failure[]} */ ([]));
  const working = useRef(false);
  useLayoutEffect(() => {
    if (working.current) return;
    setDone(null);
    setFailures([]);
  }, [shown]);
  return { working, progress, setProgress, done, setDone, failures, setFailures };
}

/**
 * Selects sources of a list, and archives or restores them.
 * @param {object} props
 * @param {import('../../parts/ask.js').Ask} props.ask
 * @param {PageProps['session']} props.session
 * @param {PageProps['team']} props.team
 * @param {PageProps['link']} props.link
 * @param {import('./labels.js').Criteria} props.criteria
 * @param {import('../../parts/list.js').List<Source>} props.list
 * @param {readonly Source[]} props.items
 * @param {Work} props.work
 * @param {(question: string) => void} props.setUnfinished is called with what is asked before the page is left, or ''
 * @param {(source: Source) => ReturnType<typeof import('./labels.js').rightsOn>} props.rights
 * @param {(choice: (source: Source) => Children) => Children} props.children the list, with a box for each source
 */
export function Many({
  ask,
  session,
  team,
  link,
  criteria,
  list,
  items,
  work,
  rights,
  setUnfinished,
  children,
}) {
  const [chosen, setChosen] = useState(/** @type {ReadonlySet<string>} */ (new Set()));
  const [asking, setAsking] = useState(/** @type {'chosen' | 'matching' | null} */ (null));
  const { working, progress, setProgress, done, setDone, failures, setFailures } = work;
  /** The dialog that archives all that match. It is loaded when it is asked for. */
  const [dialog, setDialog] = useState(/** @type {typeof import('./matching.js') | null} */ (null));
  const outcome = useRef(/** @type {HTMLElement | null} */ (null));
  /** Whether other filters were set since. */
  const left = useRef(false);
  useLayoutEffect(
    () => () => {
      left.current = true;
    },
    [],
  );

  const choosable = items.filter((source) => rights(source).change || rights(source).restore);
  const selected = choosable.filter(({ id }) => chosen.has(id));
  const toArchive = selected.filter(({ state }) => state === 'active');
  const toRestore = selected.filter(({ state }) => state === 'archived');
  const isMatching =
    team.access === 'full' &&
    team.state === 'active' &&
    criteria.state !== 'archived' &&
    criteria.kind !== 'memory' &&
    criteria.kind !== 'file' &&
    items.length > 0;

  // The rows and the buttons that had the focus can be gone. What was said before these filters were set is not new.
  const said = useRef({ done, failures });
  useLayoutEffect(() => {
    const isNew = said.current.done !== done || said.current.failures !== failures;
    said.current = { done, failures };
    if (isNew && (done !== null || failures.length > 0)) outcome.current?.focus();
  }, [done, failures]);

  /** @param {string} id */
  const toggle = (id) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };

  /**
   * Archives or restores sources, one after the other.
   * @param {readonly Pick<Source, 'id' | 'title'>[]} sources
   * @param {Done['verb']} verb
   */
  async function each(sources, verb) {
    if (working.current) return;
    working.current = true;
    setAsking(null);
    setDone(null);
    setFailures([]);
    /** @type {string[]} */
    const ids = [];
    /** @type {Failure[]} */
    const failed = [];
    for (const [n, { id, title }] of sources.entries()) {
      setUnfinished(
        `${ids.length} of ${count(sources.length, 'source')} ${verb === 'archive' ? 'archived' : 'restored'}. If you leave now, the others stay as they are. Leave all the same?`,
      );
      setProgress(`${verb === 'archive' ? 'Archiving' : 'Restoring'} ${n + 1} of ${sources.length} …`);
      const path = `memory/sources/${id}`;
      const reply = await (verb === 'archive' ? ask('DELETE', path) : ask('POST', `${path}/restore`));
      if (isDone(reply)) ids.push(id);
      else failed.push({ id, title, text: problemOf(reply) });
      // What keeps the service from one of them keeps it from the others too. They stay selected.
      if (reply.status === 0 || reply.status === 429 || reply.status >= 500) {
        const rest = sources.length - n - 1;
        if (rest > 0) failed.push({ id: '', title: count(rest, 'other'), text: 'not tried' });
        break;
      }
    }
    working.current = false;
    setUnfinished('');
    setProgress('');
    setChosen((before) => new Set([...before].filter((id) => !ids.includes(id))));
    if (ids.length > 0) setDone({ verb, n: ids.length, ids });
    setFailures(failed);
    const isShown = ids.every((id) => items.some((item) => item.id === id));
    // Where something failed, the list is not what the service has.
    if (failed.length > 0 || !isShown || criteria.state === 'all' || left.current) await list.reload();
    else list.change((before) => before.filter(({ id }) => !ids.includes(id)));
  }

  function askMatching() {
    import('./matching.js').then(
      (loaded) => {
        setDialog(loaded);
        setAsking('matching');
      },
      () => setFailures([{ id: '', title: 'Archive all that match', text: NOT_LOADED }]),
    );
  }

  /** @param {Done} undone */
  const undo = ({ ids, verb }) =>
    each(
      ids.map((id) => ({ id, title: items.find((item) => item.id === id)?.title ?? id })),
      verb === 'archive' ? 'restore' : 'archive',
    );

  const choice = (/** @type {Source} */ { id, title }) =>
    choosable.some((source) => source.id === id)
      ? html`<label class="source-choice">
          <input type="checkbox" checked=${chosen.has(id)} onChange=${() => toggle(id)} />
          <span class="unseen">Select <bdi>${title}</bdi></span>
        </label>`
      : choosable.length > 0 && html`<span class="source-choice"></span>`;
  const isAll = choosable.length > 0 && selected.length === choosable.length;

  return html`
    <div class="source-outcome" tabindex="-1" role="group" aria-label="What was done" ref=${outcome}>
      <p role="status">
        ${progress}${
          done !== null &&
          `${count(done.n, 'source')} ${done.verb === 'archive' ? 'archived' : 'restored'}. ${done.ids.length < done.n ? 'To undo it, show the archived sources, and restore them.' : ''}`
        }
      </p>
      ${
        done !== null &&
        done.ids.length === done.n &&
        html`<button type="button" class="small" onClick=${() => undo(done)}>Undo</button>`
      }
      <div role="alert">
        ${
          failures.length > 0 &&
          html`<p>Not everything was done:</p>
            <ul>
              ${failures.map(
                ({ id, title, text }) =>
                  html`<li key=${id}><bdi>${title}</bdi>: <${Problem} text=${text} link=${link} /></li>`,
              )}
            </ul>`
        }
      </div>
    </div>
    ${
      (choosable.length > 0 || isMatching) &&
      html`<div class="source-bar">
        ${
          choosable.length > 0 &&
          html`<label class="source-all">
              <input
                type="checkbox"
                checked=${isAll}
                onChange=${() => setChosen(new Set(isAll ? [] : choosable.map(({ id }) => id)))}
              />
              Select all shown
            </label>
            <span class="quiet" role="status">${selected.length > 0 && `${selected.length} selected`}</span>`
        }
        ${
          toArchive.length > 0 &&
          html`<button type="button" class="small" onClick=${() => setAsking('chosen')}>Archive selected</button>`
        }
        ${
          toRestore.length > 0 &&
          html`<button type="button" class="small" onClick=${() => each(toRestore, 'restore')}>Restore selected</button>`
        }
        ${
          isMatching &&
          html`<button type="button" class="small source-matching" onClick=${askMatching}>
            Archive all that match …
          </button>`
        }
      </div>`
    }
    ${children(choice)}
    ${
      asking === 'chosen' &&
      html`<${Question}
        heading=${`Archive ${count(toArchive.length, 'source')}?`}
        yes="Archive"
        act=${() => each(toArchive, 'archive')}
        problem=""
        busy=${false}
        close=${() => setAsking(null)}
      >
        <${ArchiveMeaning} many=${toArchive.length > 1} />
      <//>`
    }
    ${
      asking === 'matching' &&
      dialog !== null &&
      html`<${dialog.Matching}
        ask=${ask}
        user=${session.user.id}
        criteria=${criteria}
        close=${() => setAsking(null)}
        archived=${async (/** @type {Done | null} */ now, /** @type {string} */ problem) => {
          setAsking(null);
          setChosen(new Set());
          setFailures(problem === '' ? [] : [{ id: '', title: 'The others', text: problem }]);
          setDone(now);
          await list.reload();
        }}
      />`
    }
  `;
}
