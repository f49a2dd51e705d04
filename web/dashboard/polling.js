const EVERY_MS = 2000;
/** The interval while the page is hidden: only the title of the tab must stay correct. */
const HIDDEN_EVERY_MS = 30_000;
/** The longest pause between two attempts while the service does not answer. */
const LONGEST_MS = 30_000;
const ANSWER_WITHIN_MS = 15_000;

/**
 * Polls the service: every two seconds, less often while the page is hidden, and with growing pauses while the service
 * does not answer. Only one poll runs at a time.
 * @param on.look polls the service, with a signal that cancels it, and returns the last answer
 * @param on.answered is called after a successful poll
 * @param on.unanswered is called after a failed poll, with the answer and the time of the next poll
 * @param on.ended is called with an answer after which polling is useless; polling then stops
 * @returns `now`, which polls at once, and `stop`
 */
export function startPolling(on) {
  let failures = 0;
  let timer;
  let controller = null;
  let again = false;
  let stopped = false;
  let last = -Infinity;
  /** The service has asked not to be polled before this time, even if the user acts. */
  let pausedUntil = 0;

  function stop() {
    stopped = true;
    clearTimeout(timer);
    controller?.abort();
    document.removeEventListener('visibilitychange', seen);
    removeEventListener('online', now);
  }

  function pauseAfter({ status, retryAfter }) {
    const usual = document.visibilityState === 'hidden' ? HIDDEN_EVERY_MS : EVERY_MS;
    if (status === 200) return usual;
    const asked = (retryAfter || 0) * 1000;
    if (status === 429) return Math.max(usual, asked);
    return Math.max(usual, asked, Math.min(EVERY_MS * 2 ** failures, LONGEST_MS));
  }

  async function round() {
    clearTimeout(timer);
    controller = new AbortController();
    const late = setTimeout(() => controller?.abort(), ANSWER_WITHIN_MS);
    // An error, also one of this page, counts as a failed poll. Otherwise old figures would look current forever.
    const reply = await on.look(controller.signal).catch((error) => {
      console.error(error);
      return { status: 0 };
    });
    clearTimeout(late);
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
    if (reply.status === 200) on.answered(reply);
    else on.unanswered(reply, last + pause);
    const wanted = again && reply.status === 200;
    again = false;
    timer = setTimeout(round, wanted ? 0 : pause);
  }

  function now() {
    if (stopped || Date.now() < pausedUntil) return;
    if (controller === null) void round();
    // The current poll can return data from before this call, so another one follows.
    else again = true;
  }

  function seen() {
    if (document.visibilityState === 'visible' && Date.now() - last >= EVERY_MS) now();
  }

  document.addEventListener('visibilitychange', seen);
  addEventListener('online', now);
  void round();
  return { now, stop };
}
