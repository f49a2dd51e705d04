/**
 * Caches the result of `read` for some time. Calls while it runs share the same result. A failure is not cached: the
 * next call reads again.
 * @param cacheMs how long a result is cached, in milliseconds from the start of `read`
 */
export function memoizeFor<T>(cacheMs: number, read: () => Promise<T>): () => Promise<T> {
  let cached: { result: Promise<T>; until: number } | null = null;
  return () => {
    if (cached !== null && performance.now() < cached.until) return cached.result;
    const own = { result: read(), until: performance.now() + cacheMs };
    cached = own;
    own.result.catch(() => {
      if (cached === own) cached = null;
    });
    return own.result;
  };
}
