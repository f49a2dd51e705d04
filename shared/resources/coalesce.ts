/**
 * Runs `read` once for all who ask while it runs, so that no number of them costs more than one. Nothing is kept: who
 * asks later starts a new run.
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
