const MINUTE_MS = 60_000;

/** Limits a line of the log. What is returned answers true when it is first asked, and then once a minute at most. */
export function onceAMinute(): () => boolean {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now < quietUntil) return false;
    quietUntil = now + MINUTE_MS;
    return true;
  };
}
