import { askService } from '../../../shared/ask-service.js';
import { startPolling } from '../../../shared/polling.js';
import { useLayoutEffect, useRef, useState } from '../../html.js';
import { withQuery } from '../../parts/ask.js';
import { isActive } from './import-list.js';

/**
 * @typedef {import('../../../../shared/schemas/imports.ts').Import} Import
 * @typedef {import('../../../../shared/schemas/status.ts').Status} Status
 *
 * What is watched, and who is told.
 * @typedef {object} Watch
 * @property {{ token: string, team: { id: string }, lost: (reply: { status: number }) => void }} page
 * @property {readonly string[]} active the ids of the queued and running imports that are shown
 * @property {boolean} moving whether any import of the Team is queued or running
 * @property {(known: ReadonlyMap<string, Import | null>) => void} take is called with what was read; null: it no
 *   longer exists
 * @property {(status: Status) => void} setStatus
 */

/** The pages of imports that one poll reads at most. */
const MAX_PAGES = 20;
const [FEW, MANY] = [50, 200];
/** The figures of the Team are read again after this many polls, and whenever an import has ended. */
const POLLS_PER_STATUS = 10;

/**
 * Polls while an import is queued or running.
 * @param {Watch} watch
 * @returns {boolean} whether the service does not answer
 */
export function useWatch(watch) {
  const [silent, setSilent] = useState(false);
  const given = useRef(watch);
  given.current = watch;
  const { moving, page } = watch;
  useLayoutEffect(() => {
    if (!moving) return undefined;
    // What was read when the page was opened is new.
    let polls = 1;
    const polling = startPolling({
      look: (signal, pace) => look(given, signal, pace, polls++),
      answered: () => setSilent(false),
      unanswered: () => setSilent(true),
      ended: (reply) => given.current.page.lost(reply),
    });
    return () => {
      polling.stop();
      setSilent(false);
    };
  }, [moving, page.token, page.team.id]);
  return silent;
}

/**
 * Reads the newest imports, as far back as one is active, and then the figures if they can have changed.
 * @param {{ readonly current: Watch }} given
 * @param {AbortSignal} signal
 * @param {() => Promise<void>} pace
 * @param {number} polls how many there were before
 */
async function look(given, signal, pace, polls) {
  const { page, active } = given.current;
  const get = (/** @type {string} */ path) =>
    askService('GET', `v1/${path}`, { token: page.token, team: page.team.id, signal });
  /** @type {Map<string, Import | null>} */
  const known = new Map();
  const left = new Set(active);
  const limit = active.length > FEW ? MANY : FEW;
  /** @type {string | null} */
  let cursor = null;
  for (let read = 0; read < MAX_PAGES; read += 1) {
    if (read > 0) await pace();
    const reply = await get(withQuery('memory/imports', { limit, cursor }));
    if (reply.status !== 200) return reply;
    for (const item of /** @type {Import[]} */ (reply.answer.items)) {
      known.set(item.id, item);
      left.delete(item.id);
    }
    cursor = reply.answer.nextCursor;
    if (cursor === null || left.size === 0) break;
  }
  if (cursor === null) for (const id of left) known.set(id, null);
  if (!signal.aborted) given.current.take(known);
  const ended = active.some((id) => {
    const now = known.get(id);
    return now === null || (now !== undefined && !isActive(now));
  });
  if (!ended && active.length > 0 && polls % POLLS_PER_STATUS !== 0) return { status: 200 };
  await pace();
  const reply = await get('memory/status');
  if (reply.status === 200 && !signal.aborted) given.current.setStatus(reply.answer);
  return reply;
}
