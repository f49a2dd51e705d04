import { isDone, problemOf } from '../../parts/ask.js';

/**
 * @typedef {import('./queue.js').Item} Item
 * @typedef {import('./queue.js').Draft} Draft
 * @typedef {import('./undo.js').Action} Action
 * @typedef {import('./undo.js').Made} Made
 * @typedef {import('../../parts/ask.js').Reply} Reply
 * @typedef {import('../../../../shared/schemas/memories.ts').Memory} Memory
 *
 * What a text says of an item: the title stands between the two parts.
 * @typedef {{ id: string, before: string, title: string, after: string }} Said
 * @typedef {ReturnType<typeof openDecisions>} Decisions
 */

const PATH = 'memory/memories';
/** @type {Readonly<Record<Action, string>>} */
const DONE = {
  publish: 'Published',
  discard: 'Discarded',
  update: 'Changed',
  keep: 'Kept',
  delete: 'Deleted',
};
/** What became of an item on which nobody can decide now. @type {Readonly<Record<Memory['state'], string>>} */
const STATES = {
  review: 'changed',
  published: 'published',
  discarded: 'discarded',
  archived: 'deleted or replaced',
};
/** The state that a decision leads to. @type {Readonly<Record<Action, Memory['state']>>} */
const LEADS_TO = {
  publish: 'published',
  discard: 'discarded',
  update: 'published',
  keep: 'published',
  delete: 'archived',
};

/**
 * The decisions of one visit. Each is sent at once, and the last ones can be undone.
 * @param {import('./queue.js').Ask} ask
 * @param {import('./queue.js').Queue} queue
 * @param {string} userId
 * @param {() => void} changed is called after every change
 */
export function openDecisions(ask, queue, userId, changed) {
  let order = 0;

  const decisions = {
    /** What can be undone, the last one at the end. Decisions made together are one entry. @type {Made[][]} */
    made: [],
    /** @type {Said | null} */
    news: null,
    /** What was not done, and why. @type {readonly Said[]} */
    failures: [],
    /** Texts for items that others have decided. @type {readonly { item: Item, draft: Draft }[]} */
    orphans: [],
    /** @type {{ action: Action, at: number, of: number, stopped: boolean } | null} */
    bulk: null,
    /** What decisions of this visit made of memories. @type {Map<string, Memory['state']>} */
    states: new Map(),
    decide,
    decideAll,
    undo,
    say,
    dismiss: (/** @type {string} */ id) => {
      decisions.failures = decisions.failures.filter((failure) => failure.id !== id);
      queue.focus += 1;
      changed();
    },
    dismissOrphan: (/** @type {string} */ id) => {
      decisions.orphans = decisions.orphans.filter(({ item }) => item.id !== id);
      queue.focus += 1;
      changed();
    },
  };
  /** @type {Promise<ReturnType<typeof import('./undo.js').openUndo>> | null} */
  let undoer = null;
  queue.orphaned = (item, draft) => {
    decisions.orphans = [
      ...decisions.orphans.filter((orphan) => orphan.item.id !== item.id),
      { item, draft },
    ];
  };

  /** @param {string} before @param {Item | null} [item] @param {string} [after] */
  function say(before, item = null, after = '') {
    decisions.news = { id: item?.id ?? '', before, title: item?.title ?? '', after };
    changed();
  }

  /** @param {Item} item @param {string} before @param {string} after */
  function fail({ id, title }, before, after) {
    const others = decisions.failures.filter((failure) => failure.id !== id);
    decisions.failures = [...others, { id, before, title, after }];
  }

  /**
   * Decides on an item, which leaves the list.
   * @param {Item} item
   * @param {Action} action
   * @param {string | null} [supersedes] the id of the published memory that it replaces
   */
  function decide(item, action, supersedes = null) {
    const entry = start(item, action, supersedes);
    queue.focus += 1;
    queue.take(item.id);
    decisions.made.push([entry]);
    changed();
    return entry.made.then((made) => {
      if (!made) decisions.made = decisions.made.filter(([first]) => first !== entry);
      else
        say(
          DONE[action],
          entry.item,
          supersedes === null ? left() : `It replaces the other memory. ${left()}`,
        );
      changed();
    });
  }

  /** Undoes the last decision, or the last ones that were made together. */
  function undo() {
    // They leave the list at once: a decision that is made while the script loads is not meant.
    const entries = decisions.made.pop();
    if (entries === undefined) return say('There is nothing to undo.');
    changed();
    undoer ??= import('./undo.js').then(({ openUndo }) =>
      openUndo(ask, queue, decisions, { say, fail, changed }),
    );
    undoer.then(
      (undoAll) => undoAll(entries),
      () => {
        undoer = null;
        decisions.made.unshift(entries);
        decisions.made.sort(([a], [b]) => (a?.order ?? 0) - (b?.order ?? 0));
        say(
          'Nothing was undone: a script could not be loaded. Check your connection and try again, or reload the page.',
        );
      },
    );
  }

  const left = () => {
    const n = queue.items?.length ?? 0;
    return queue.next === null ? `${n} left.` : `More than ${n} left.`;
  };

  /**
   * @param {Item} item
   * @param {Action} action
   * @param {string | null} supersedes
   * @returns {Made}
   */
  function start(item, action, supersedes) {
    const { id, title, content, version } = item;
    const draft = queue.drafts.get(id) ?? null;
    const isSent = draft !== null && (action === 'publish' || action === 'update');
    order += 1;
    /** @type {Made} */
    const entry = { item, action, supersedes, draft, made: Promise.resolve(false), version, order };
    const body = {
      action,
      memoryId: id,
      version: draft?.version ?? version,
      ...(isSent && draft.title !== title ? { title: draft.title } : {}),
      ...(isSent && draft.content !== content ? { content: draft.content } : {}),
      ...(supersedes === null ? {} : { supersedes }),
    };
    queue.pending.add(id);
    decisions.failures = decisions.failures.filter((failure) => failure.id !== id);
    entry.made = ask('POST', PATH, body).then((reply) => settle(entry, reply));
    return entry;
  }

  /**
   * @param {Made} entry
   * @param {Reply} reply
   * @returns {Promise<boolean>} whether the decision was made
   */
  async function settle(entry, reply) {
    const { item, action, draft } = entry;
    if (isDone(reply)) return succeed(entry, reply.answer.memory);
    const isCertain = reply.status >= 400 && reply.status < 500;
    const found = item.subject === 'memory' ? await ask('GET', `${PATH}/${item.id}`) : null;
    const now = found !== null && isDone(found) ? /** @type {Memory} */ (found.answer) : null;
    // The answer was lost on its way, not the decision.
    const isOwn = now !== null && now.decidedBy === userId && now.version > item.version;
    if (!isCertain && now?.state === LEADS_TO[action] && isOwn) return succeed(entry, now);
    queue.pending.delete(item.id);
    refuse(entry, reply, now, isOwn);
    if (draft !== null && queue.item(item.id) === null) queue.orphaned(item, draft);
    // Feedback can have been settled by others: the list says whether it still waits.
    if (reply.status === 409 && item.state === 'published') void queue.reload();
    changed();
    return false;
  }

  /** @param {Made} entry @param {Memory} memory */
  function succeed(entry, memory) {
    const { item, supersedes } = entry;
    entry.item = { ...item, title: memory.title };
    entry.version = memory.version;
    decisions.states.set(item.id, memory.state);
    if (supersedes !== null) decisions.states.set(supersedes, 'archived');
    queue.pending.delete(item.id);
    queue.touch(item.id);
    return true;
  }

  /**
   * Says what was not done, and puts the item back if it can still be decided on.
   * @param {Made} entry
   * @param {Reply} reply
   * @param {Memory | null} now what the memory is now, if that could be read
   * @param {boolean} isOwn whether this user has decided on it
   */
  function refuse({ item, action, draft }, reply, now, isOwn) {
    const verb = `Not ${DONE[action].toLowerCase()}:`;
    // A 404 and a 409 of a source mean that others have decided.
    const isOpen = now === null && reply.status !== 404 && reply.status !== 409;
    if (isOpen || (now?.state === item.state && now.version === item.version)) {
      fail(item, verb, problemOf(reply));
      queue.putBack(item, draft);
      return;
    }
    if (now?.state === 'review') {
      fail(item, verb, 'It was changed in the meantime. Read it again.');
      queue.putBack({ ...item, ...now }, draft && { ...draft, version: now.version });
      return;
    }
    const who = isOwn ? 'You have' : 'Someone else has';
    const done = now === null || now.state === item.state ? 'decided on' : STATES[now.state];
    fail(item, verb, now === null ? problemOf(reply) : `${who} already ${done} it.`);
    queue.take(item.id);
  }

  /**
   * Decides on several items one after the other, and stops at the first that fails.
   * @param {readonly Item[]} items
   * @param {Action} action
   */
  async function decideAll(items, action) {
    const bulk = { action, at: 0, of: items.length, stopped: false };
    decisions.bulk = bulk;
    changed();
    /** @type {Made[]} */
    const made = [];
    for (const item of items) {
      if (bulk.stopped) break;
      // Others can have decided on it since the first one was sent.
      if (queue.item(item.id) === null) continue;
      const entry = start(item, action, null);
      if (!(await entry.made)) break;
      made.push(entry);
      bulk.at += 1;
      queue.take(item.id);
      changed();
    }
    decisions.bulk = null;
    if (made.length > 0) decisions.made.push(made);
    queue.focus += 1;
    const rest = made.length < items.length ? ' The others are still selected.' : '';
    say(`${DONE[action]} ${made.length} of ${items.length}.${rest} ${left()}`);
  }

  return decisions;
}
