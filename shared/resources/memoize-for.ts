/**
 * Caches the result of `read` for some time. Calls while it runs share the same result. A failure is not cached: the
 * next call reads again.
 * @param keptMs how long a result is cached, in milliseconds from the start of `read`
 */
export function memoizeFor<T>(keptMs: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { answer: Promise<T>; until: number } | null = null;
  return () => {
    if (kept !== null && performance.now() < kept.until) return kept.answer;
    const own = { answer: read(), until: performance.now() + keptMs };
    kept = own;
    own.answer.catch(() => {
      if (kept === own) kept = null;
    });
    return own.answer;
  };
}
