/** At most one request in this time. */
const EVERY_MS = 2000;
/** The same while the page is hidden: only the title of the tab must stay correct. */
const HIDDEN_EVERY_MS = 60_000;
/** The longest pause between two attempts while the service does not answer. */
const LONGEST_MS = 30_000;
const ANSWER_WITHIN_MS = 15_000;

export const isHidden = () => document.visibilityState === 'hidden';

/**
 * Polls the service: every two seconds, once a minute while the page is hidden, and with growing pauses while the
 * service does not answer. Only one poll runs at a time.
 * @template {{ status: number, retryAfter?: number }} Reply
 * @param {object} on
 * @param {(signal: AbortSignal, pace: () => Promise<void>) => Promise<Reply>} on.look polls the service, with a signal
 *   that cancels it, and returns the last answer. It awaits `pace` before each request after its first, which keeps
 *   requests two seconds apart. The first poll and those after an action of the user are not slowed down.
 * @param {(reply: Reply) => void} on.answered is called after a successful poll
 * @param {(reply: Reply | { status: 0 }, next: number) => void} on.unanswered is called after a failed poll, with the
 *   answer and the time of the next poll
 * @param {(reply: Reply | { status: 0 }) => void} on.ended is called with an answer after which polling is useless;
 *   polling then stops
 * @returns {{ now: () => void, stop: () => void }} `now` polls at once
 */
export function startPolling(on) {
  let failures = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {AbortController | null} */
  let controller = null;
  /** Ends the pause within a poll. */
  let hurry = () => {};
  /** Whether the requests of the current poll follow each other at once. */
  let fast = true;
  let again = false;
  let stopped = false;
  let last = -Infinity;
  /** The service has asked not to be polled before this time, even if the user acts. */
  let pausedUntil = 0;

  function stop() {
    stopped = true;
    clearTimeout(timer);
    controller?.abort();
    hurry();
    document.removeEventListener('visibilitychange', seen);
    removeEventListener('online', now);
  }

  /** @param {{ status: number, retryAfter?: number }} reply */
  function pauseAfter({ status, retryAfter = 0 }) {
    const usual = isHidden() ? HIDDEN_EVERY_MS : EVERY_MS;
    if (status === 200) return usual;
    const asked = retryAfter * 1000;
    if (status === 429) return Math.max(usual, asked);
    return Math.max(usual, asked, Math.min(EVERY_MS * 2 ** failures, LONGEST_MS));
  }

  /** Waits until the next request may be sent. A request after it gets the full time for its answer. */
  async function pace() {
    if (fast) return;
    clearTimeout(timer);
    await new Promise((resolve) => {
      hurry = () => resolve(undefined);
      timer = setTimeout(hurry, isHidden() ? HIDDEN_EVERY_MS : EVERY_MS);
    });
    clearTimeout(timer);
    armDeadline();
  }

  function armDeadline() {
    const waiting = controller;
    timer = setTimeout(() => waiting?.abort(), ANSWER_WITHIN_MS);
  }

  async function round() {
    clearTimeout(timer);
    controller = new AbortController();
    armDeadline();
    // An error, also one of this page, counts as a failed poll. Otherwise old figures would look current forever.
    const reply = await on.look(controller.signal, pace).catch((error) => {
      console.error(error);
      return { status: /** @type {const} */ (0) };
    });
    clearTimeout(timer);
    if (stopped) return;
    controller = null;
    last = Date.now();
    if ([401, 403, 404].includes(reply.status)) {
      stop();
      on.ended(reply);
      return;
    }
    failures = reply.status === 200 || reply.status === 429 ? 0 : failures + 1;
    const pause = pauseAfter(reply);
    pausedUntil = reply.status === 429 ? last + pause : 0;
    if (reply.status === 200) on.answered(/** @type {Reply} */ (reply));
    else on.unanswered(reply, last + pause);
    fast = again && reply.status === 200;
    again = false;
    timer = setTimeout(round, fast ? 0 : pause);
  }

  function now() {
    if (stopped || Date.now() < pausedUntil) return;
    fast = true;
    if (controller === null) {
      void round();
      return;
    }
    // The current poll can return data from before this call, so another one follows.
    again = true;
    hurry();
  }

  function seen() {
    if (isHidden() || Date.now() - last < EVERY_MS) return;
    if (controller !== null) hurry();
    else if (!stopped && Date.now() >= pausedUntil) void round();
  }

  document.addEventListener('visibilitychange', seen);
  addEventListener('online', now);
  void round();
  return { now, stop };
}
