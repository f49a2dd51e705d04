const EVERY_MS = 2000;
/** Nobody looks: only the title of the tab is to stay true. */
const HIDDEN_EVERY_MS = 30_000;
/** The longest wait between two tries while the service does not answer. */
const LONGEST_MS = 30_000;
const ANSWER_WITHIN_MS = 15_000;

/**
 * Looks again and again, one look after the other: every two seconds, seldom while the page is hidden, and ever more
 * seldom while the service does not answer.
 * @param on.look asks the service, given a signal that breaks it off; gives the last answer
 * @param on.answered hears of a look that worked
 * @param on.unanswered hears of one that did not: the answer, and when to look again
 * @param on.ended hears of an answer after which there is nothing left to look at; no look follows
 * @returns `now` for a look at once, and `stop`
 */
export function startPolling(on) {
  let failures = 0;
  let timer;
  let controller = null;
  let again = false;
  let stopped = false;
  let last = -Infinity;
  /** Before this no look is welcome, whatever a person does. */
  let heldUntil = 0;

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
    // What fails here, of our own too, must not leave a page that looks live for ever.
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
    heldUntil = reply.status === 429 ? last + pause : 0;
    if (reply.status === 200) on.answered(reply);
    else on.unanswered(reply, last + pause);
    const wanted = again && reply.status === 200;
    again = false;
    timer = setTimeout(round, wanted ? 0 : pause);
  }

  function now() {
    if (stopped || Date.now() < heldUntil) return;
    if (controller === null) void round();
    // What a look under way will tell may be of the time before.
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
