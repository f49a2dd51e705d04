const MINUTE_MS = 60_000;

/** Limits a log line: returns a function that returns true at its first call, and then at most once a minute. */
export function onceAMinute(): () => boolean {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now < quietUntil) return false;
    quietUntil = now + MINUTE_MS;
    return true;
  };
}
