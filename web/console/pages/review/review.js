import { useLeaveQuestion } from '../../address.js';
import { html, useLayoutEffect, useMemo, useRef, useState } from '../../html.js';
import { useAsk } from '../../parts/ask.js';
import { useClientNames } from '../../parts/names.js';
import { count } from '../../parts/words.js';
import { Filters, Outcomes } from './around.js';
import { openDecisions } from './decisions.js';
import { CurrentItem } from './item.js';
import { keyOf } from './keys.js';
import { openQueue } from './queue.js';
import { QueueList } from './queue-list.js';

/**
 * @typedef {import('./queue.js').Item} Item
 *
 * The dialog that is open, and what draws it: it is loaded when a key opens the first one.
 * @typedef {{ kind: 'keys' | 'replaced' } & typeof import('./key-dialogs.js')} Dialog
 */

/** How often the list is read again while the page is shown: others decide too, and new items arrive. */
const EVERY_MS = 30_000;
const WAIT = 'Wait until the selected items are decided.';
const NOT_LOADED = 'The dialog could not be loaded. Check your connection and try again, or reload the page.';

/**
 * Memories that wait for a decision, one by one.
 * @param {import('../../section.d.ts').PageProps} props
 */
export function Page(props) {
  const { session, team, query, link, go, setTitle } = props;
  const ask = useAsk(props);
  const [, redraw] = useState(0);
  const { queue, decisions } = useMemo(() => {
    const changed = () => redraw((n) => n + 1);
    const opened = openQueue(ask, changed);
    return { queue: opened, decisions: openDecisions(ask, opened, session.user.id, changed) };
  }, [ask]);
  const [editing, setEditing] = useState(/** @type {string | null} */ (null));
  const [dialog, setDialog] = useState(/** @type {Dialog | null} */ (null));
  const clients = useClientNames(ask);
  const heading = useRef(/** @type {HTMLElement | null} */ (null));
  const [q, clientId] = [query.get('q'), query.get('client')];
  const canDecide = team.state === 'active';
  const item = queue.item();
  const { items, next, selected } = queue;
  const replaceable = (item?.state === 'review' ? (item.similar ?? []) : []).filter(
    ({ memoryId, state }) => (decisions.states.get(memoryId) ?? state ?? 'published') === 'published',
  );

  const texts = queue.drafts.size + decisions.orphans.length;
  useLeaveQuestion(
    texts === 0
      ? ''
      : `${count(texts, 'text')} that you have edited ${texts === 1 ? 'is' : 'are'} not saved. Leave all the same?`,
  );
  useLayoutEffect(() => void queue.open({ q, clientId }, query.get('item')), [queue, q, clientId]);
  useLayoutEffect(() => pollWhileShown(queue.reload), [queue]);
  useLayoutEffect(() => {
    if (items !== null)
      setTitle(
        items.length === 0 ? 'Nothing to review' : `${items.length}${next === null ? '' : '+'} to review`,
      );
  }, [items, next]);
  useLayoutEffect(() => {
    if (queue.focus > 0) (heading.current ?? document.getElementById('page-heading'))?.focus();
  }, [queue.focus]);

  /** @param {() => unknown} act */
  const unlessBusy = (act) => (decisions.bulk === null ? void act() : decisions.say(WAIT));

  /** @param {import('./decisions.js').Action} action @param {string | null} [supersedes] */
  function decide(action, supersedes = null) {
    setDialog(null);
    setEditing(null);
    // Between two keys, the page was drawn again, or there is nothing to decide on.
    if (item === null || queue.current !== item.id) return;
    unlessBusy(() => decisions.decide(item, action, supersedes));
  }

  /** @param {Dialog['kind']} kind */
  function openDialog(kind) {
    const { current } = queue;
    import('./key-dialogs.js').then(
      // The choice is of one item, which another key can have left.
      (loaded) => (kind === 'keys' || queue.current === current) && setDialog({ kind, ...loaded }),
      () => decisions.say(NOT_LOADED),
    );
  }

  function supersede() {
    const [first] = replaceable;
    if (first === undefined)
      decisions.say('No published memory is similar to this one, so it replaces none.');
    else if (replaceable.length === 1) decide('publish', first.memoryId);
    else unlessBusy(() => openDialog('replaced'));
  }

  /** @param {string} id */
  function select(id) {
    if (!selected.delete(id)) selected.add(id);
    redraw((n) => n + 1);
  }

  /** What can be done with the current item, by its key. @type {Readonly<Record<string, () => void>>} */
  const acts = {
    j: () => queue.move(1),
    k: () => queue.move(-1),
    '?': () => openDialog('keys'),
    ...(canDecide ? { u: () => unlessBusy(decisions.undo) } : {}),
    ...(canDecide && item !== null
      ? {
          e: () => unlessBusy(() => setEditing(item.id)),
          ...(item.state === 'review'
            ? {
                p: () => decide('publish'),
                d: () => decide('discard'),
                s: supersede,
                x: () => unlessBusy(() => select(item.id)),
              }
            : {
                p: () => decide(queue.drafts.has(item.id) ? 'update' : 'keep'),
                d: () => decide('delete'),
              }),
        }
      : {}),
  };
  if (item?.subject === 'source') delete (/** @type {any} */ (acts).e);
  const given = useRef(acts);
  given.current = acts;
  useLayoutEffect(() => {
    /** @param {KeyboardEvent} event */
    function press(event) {
      const act = given.current[keyOf(event) ?? ''];
      if (act === undefined) return;
      event.preventDefault();
      act();
    }
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);

  return html`
    <div class="page review">
      ${!canDecide && html`<p class="notice">This Team is archived: it can be read, and nothing in it can be changed.</p>`}
      <${Filters} q=${q} clientId=${clientId} clients=${clients} show=${(/** @type {any} */ wanted) => go(link('/review', wanted))} all=${link('/review')} />
      <${Outcomes} decisions=${decisions} queue=${queue} acts=${acts} canDecide=${canDecide} />
      <${QueueList}
        queue=${queue}
        decisions=${decisions}
        clients=${clients}
        canDecide=${canDecide}
        select=${select}
        redraw=${() => redraw((n) => n + 1)}
      />
      ${
        item !== null
          ? html`<${CurrentItem}
              key=${item.id}
              ask=${ask}
              item=${item}
              heading=${heading}
              queue=${queue}
              decisions=${decisions}
              clients=${clients}
              acts=${acts}
              replaceable=${replaceable}
              isEditing=${editing === item.id}
              stopEditing=${() => {
                setEditing(null);
                heading.current?.focus();
              }}
              changed=${() => redraw((n) => n + 1)}
              link=${link}
              leave=${() => go(link('/review', { q, client: clientId, item: item.id }), true)}
            />`
          : items !== null &&
            html`<${Nothing} heading=${heading} filtered=${q !== null || clientId !== null} link=${link} />`
      }
      ${dialog?.kind === 'keys' && html`<${dialog.Keys} close=${() => setDialog(null)} />`}
      ${
        dialog?.kind === 'replaced' &&
        html`<${dialog.Replaced}
          similar=${replaceable}
          choose=${(/** @type {string} */ id) => decide('publish', id)}
          close=${() => setDialog(null)}
        />`
      }
    </div>
  `;
}

/**
 * In place of an item.
 * @param {object} props
 * @param {{ current: HTMLElement | null }} props.heading
 * @param {boolean} props.filtered
 * @param {import('../../section.d.ts').PageProps['link']} props.link
 */
const Nothing = ({ heading, filtered, link }) => html`
  <section class="card review-none" aria-labelledby="nothing-heading">
    <h2 id="nothing-heading" tabindex="-1" ref=${heading}>${filtered ? 'No item matches' : 'Nothing waits for review'}</h2>
    ${
      filtered
        ? html`<p><a href=${link('/review')}>Show all items</a></p>`
        : html`
            <p>An item comes here when</p>
            <ul>
              <li>a program makes a memory that it is not sure of,</li>
              <li>someone without Full access publishes, and the Team wants this to be reviewed,</li>
              <li>someone who has found a text says that it is wrong or outdated.</li>
            </ul>
            <p>
              Memories are made of <a href=${link('/captures')}>captures</a>. What is decided is in the list of${' '}
              <a href=${link('/memories')}>memories</a>.
            </p>
          `
    }
  </section>
`;

/**
 * Calls now and then while the page is shown, and at once when it is shown again.
 * @param {() => unknown} read
 * @returns {() => void} stops it
 */
function pollWhileShown(read) {
  const whenShown = () => document.visibilityState === 'visible' && void read();
  const timer = setInterval(whenShown, EVERY_MS);
  document.addEventListener('visibilitychange', whenShown);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', whenShown);
  };
}
