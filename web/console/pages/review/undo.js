import { isDone, problemOf } from '../../parts/ask.js';

/**
 * @typedef {import('./queue.js').Item} Item
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 * @typedef {'publish' | 'discard' | 'update' | 'keep' | 'delete'} Action
 *
 * A decision of this visit. `made` is true once the service has accepted it, and `version` is that after it.
 * @typedef {{ item: Item, action: Action, supersedes: string | null, draft: import('./queue.js').Draft | null,
 *   made: Promise<boolean>, version: number, order: number }} Made
 */

const PATH = 'memory/memories';

/**
 * Undoes decisions, the last one first. Loaded with the first undo.
 * @param {import('./queue.js').Ask} ask
 * @param {import('./queue.js').Queue} queue
 * @param {{ made: Made[][], states: Map<string, Memory['state']> }} decisions what can be undone, and what is known of the
 *   memories
 * @param {object} on
 * @param {(before: string, item?: Item | null, after?: string) => void} on.say
 * @param {(item: Item, before: string, after: string) => void} on.fail
 * @param {() => void} on.changed
 * @returns {(entries: Made[]) => void} undoes decisions that were made together, and have left `decisions.made`
 */
export function openUndo(ask, queue, decisions, { say, fail, changed }) {
  /** One after the other, so that the item that was decided first is current in the end. */
  let undoing = Promise.resolve();

  /**
   * @param {Made} entry
   * @param {boolean} isOne whether it is said by its name
   * @returns {Promise<'undone' | 'refused' | 'unanswered'>}
   */
  async function undoOne(entry, isOne) {
    if (!(await entry.made)) return 'refused';
    const { item, action, supersedes, draft } = entry;
    if (action === 'keep') {
      say('Keeping cannot be undone:', item, 'Its feedback is settled. u undoes the decision before it.');
      return 'refused';
    }
    const reply = await sendUndo(entry);
    if (!isDone(reply)) {
      fail(item, 'Not undone:', problemOf(reply));
      return reply.status === 404 || reply.status === 409 ? 'refused' : 'unanswered';
    }
    const memory = item.subject === 'source' ? null : /** @type {Memory} */ (reply.answer.memory);
    decisions.states.set(item.id, memory?.state ?? 'published');
    if (supersedes !== null) decisions.states.set(supersedes, 'published');
    if (memory?.state === 'review') {
      // What was typed before it was discarded was not sent.
      const unsent = action === 'discard' && draft !== null ? { ...draft, version: memory.version } : null;
      queue.putBack({ ...item, ...memory }, unsent);
      queue.current = item.id;
      if (isOne) say('Back in review:', item);
    } else if (isOne) {
      say('Published again:', item, 'Its feedback stays settled.');
    }
    return 'undone';
  }

  /** @param {Made} entry */
  function sendUndo({ item, action, version }) {
    const { id } = item;
    if (item.subject === 'source') return ask('POST', `memory/sources/${id}/restore`);
    if (action === 'publish') return ask('POST', PATH, { action: 'unpublish', memoryId: id, version });
    if (action === 'discard') return ask('POST', PATH, { action: 'reopen', memoryId: id, version });
    return ask('POST', PATH, {
      action: 'restore',
      memoryId: id,
      version: item.version,
      baseVersion: version,
    });
  }

  /** @param {Made[]} entries are emptied, except for those that can be tried again */
  async function undoAll(entries) {
    const of = entries.length;
    let undone = 0;
    for (const entry of entries.toReversed()) {
      const outcome = await undoOne(entry, of === 1);
      if (outcome === 'unanswered') break;
      if (outcome === 'undone') undone += 1;
      entries.pop();
    }
    if (entries.length > 0) decisions.made.push(entries);
    decisions.made.sort(([a], [b]) => (a?.order ?? 0) - (b?.order ?? 0));
    if (of > 1) say(`Undone: ${undone} of ${of} decisions.`);
    queue.focus += 1;
    changed();
  }

  return (entries) => {
    undoing = undoing.then(() => undoAll(entries));
  };
}
