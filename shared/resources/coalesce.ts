/**
 * Calls that are made while `read` runs share its result, so that many callers cost no more than one. The result is not
 * cached: the next call after the run starts a new one.
 */
export function coalesce<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= read().finally(() => {
      running = null;
    });
    return running;
  };
}
