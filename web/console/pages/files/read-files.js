import { askService } from '../../../shared/ask-service.js';
import { startPolling } from '../../../shared/polling.js';
import { useLayoutEffect, useRef, useState } from '../../html.js';
import { isDone, problemOf, withQuery } from '../../parts/ask.js';

/**
 * @typedef {import('./shape.js').File} File
 * @typedef {import('../../../../shared/schemas/workspace.ts').Manifest} Manifest
 *
 * What is known of the workspace. `revision` is null until all files are read; deleted files are among them only if they
 * were asked for, or were deleted since.
 * @typedef {object} Workspace
 * @property {ReadonlyMap<string, File>} files by path
 * @property {number | null} revision
 * @property {string} scopes
 * @property {string | null} cursor of the next page
 * @property {string} problem why the next page could not be read, or ''
 */

/** The longest page of a manifest. */
const LIMIT = 200;
const PATH = 'workspace/manifest';

/** @type {Workspace} */
const START = { files: new Map(), revision: null, scopes: '', cursor: null, problem: '' };

/**
 * Reads all files, page by page, and then follows what changes: others sync, and workers index files.
 * @param {import('../../section.d.ts').PageProps} page
 * @param {import('../../parts/ask.js').Ask} ask
 * @param {boolean} withDeleted whether deleted files are read too
 * @returns {{ workspace: Workspace, again: () => void }} `again` goes on after a problem
 */
export function useFiles({ session, team, lost }, ask, withDeleted) {
  const [workspace, setWorkspace] = useState(START);
  /** Counts the readings: only the answer to the last one is shown. */
  const reading = useRef(0);
  const given = useRef({ workspace, lost });
  given.current = { workspace, lost };

  /** @param {string | null} from the cursor of the page to begin with */
  async function read(from) {
    reading.current += 1;
    const mine = reading.current;
    setWorkspace((before) => (from === null ? START : { ...before, problem: '' }));
    let cursor = from;
    do {
      const reply = await ask(
        'GET',
        withQuery(PATH, { limit: LIMIT, cursor, ...(withDeleted && { since: 0 }) }),
      );
      if (mine !== reading.current) return;
      if (!isDone(reply)) {
        setWorkspace((before) => ({ ...before, problem: problemOf(reply) }));
        return;
      }
      /** @type {Manifest} */
      const { revision, scopes, items, nextCursor } = reply.answer;
      cursor = nextCursor;
      setWorkspace(({ files }) => ({
        files: merge(files, items),
        revision: nextCursor === null ? revision : null,
        scopes: scopes.join(),
        cursor: nextCursor,
        problem: '',
      }));
    } while (cursor !== null);
  }

  useLayoutEffect(() => void read(null), [ask, withDeleted]);

  /**
   * Reads what has changed.
   * @param {AbortSignal} signal
   * @param {() => Promise<void>} pace
   * @returns {Promise<{ status: number, retryAfter?: number }>}
   */
  async function look(signal, pace) {
    const { revision, scopes } = given.current.workspace;
    const get = (/** @type {Readonly<Record<string, string | number | null>>} */ query) =>
      askService('GET', `v1/${withQuery(PATH, { limit: LIMIT, ...query })}`, {
        token: session.token,
        team: team.id,
        signal,
      });
    /** @type {File[]} */
    const changed = [];
    let reply = await get({ since: revision });
    const first = reply;
    for (;;) {
      if (!isDone(reply) || signal.aborted) return reply;
      changed.push(...reply.answer.items);
      if (reply.answer.nextCursor === null) break;
      await pace();
      reply = await get({ since: revision, cursor: reply.answer.nextCursor });
    }
    if (first.answer.scopes.join() !== scopes) {
      void read(null);
      return reply;
    }
    // That a file was indexed is no change of the workspace. Those that wait are usually those that changed last.
    if ([...merge(given.current.workspace.files, changed).values()].some(waits)) {
      await pace();
      reply = await get({});
      if (!isDone(reply) || signal.aborted) return reply;
      changed.unshift(
        ...reply.answer.items.filter((/** @type {File} */ { indexed }) => indexed !== 'pending'),
      );
    }
    setWorkspace((before) => {
      if (before.revision === null) return before;
      const files = merge(before.files, changed);
      const now = first.answer.revision;
      return files === before.files && now === before.revision ? before : { ...before, files, revision: now };
    });
    return reply;
  }

  const isRead = workspace.revision !== null;
  useLayoutEffect(() => {
    if (!isRead) return;
    let isFirst = true;
    const polling = startPolling({
      look: async (signal, pace) => {
        // All files have just been read.
        if (!isFirst) return look(signal, pace);
        isFirst = false;
        return { status: 200 };
      },
      answered: () => undefined,
      // The next poll can succeed, and the files that are shown stay as they were.
      unanswered: () => undefined,
      ended: (reply) => given.current.lost(reply),
    });
    return polling.stop;
  }, [isRead, session.token, team.id]);

  return { workspace, again: () => void read(workspace.cursor) };
}

const waits = (/** @type {File} */ { indexed, deleted }) => indexed === 'pending' && !deleted;

/**
 * The files with the newer versions of some; the same object if none has changed.
 * @param {ReadonlyMap<string, File>} files
 * @param {readonly File[]} items
 */
function merge(files, items) {
  const newer = items.filter(({ path, version, indexed }) => {
    const known = files.get(path);
    return (
      known === undefined ||
      version > known.version ||
      (version === known.version && indexed !== known.indexed)
    );
  });
  return newer.length === 0
    ? files
    : new Map([...files, ...newer.map((item) => /** @type {const} */ ([item.path, item]))]);
}
