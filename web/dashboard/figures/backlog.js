/** The age of the oldest samples from which a rate is computed. */
const WINDOW_MS = 3 * 60_000;
/** A rate needs samples over at least this time. */
const ENOUGH_MS = 10_000;
/** Embeddings are made in batches, so only a pause longer than this counts as no progress. */
const STANDSTILL_MS = 60_000;

/**
 * Measures how fast a backlog is processed, from samples.
 * @returns `add` adds a sample with its time in milliseconds. `forget` removes all samples. `read` returns the items
 *   done and the decrease of the backlog, both per minute, or `null` if there are not enough samples.
 */
export function measureBacklog() {
  let samples = [];
  return {
    add(sample) {
      samples = [...samples.filter(({ at }) => at > sample.at - WINDOW_MS), sample];
    },
    forget() {
      samples = [];
    },
    read() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last.at - first.at < ENOUGH_MS) return null;
      let [done, shrinks] = [0, 0];
      for (const [index, now] of samples.entries()) {
        const before = samples[index - 1] ?? now;
        // Many new chunks, or the deletion of a source, must not count as negative progress.
        done += Math.max(0, now.done - before.done);
        shrinks += Math.max(0, before.pending - now.pending);
      }
      if (done === 0 && last.at - first.at < STANDSTILL_MS) return null;
      const minutes = (last.at - first.at) / 60_000;
      return { done: done / minutes, shrinks: shrinks / minutes };
    },
  };
}
