const MINUTE_MS = 60_000;

/** For a line of the log: a function that returns true when it is first called, and then once a minute at most. */
export function onceAMinute(): () => boolean {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now < quietUntil) return false;
    quietUntil = now + MINUTE_MS;
    return true;
  };
}
