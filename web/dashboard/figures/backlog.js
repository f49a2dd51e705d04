/** How far back the samples go that a rate is made of. */
const WINDOW_MS = 3 * 60_000;
/** Less than this tells nothing. */
const ENOUGH_MS = 10_000;
/** Embeddings come in batches: only after this is a standstill one. */
const STANDSTILL_MS = 60_000;

/**
 * Measures how fast a backlog is worked off, from what is seen of it.
 * @returns `add` for a sample, taken at a time in milliseconds; `forget` for another backlog; and `read` for what the
 *   samples tell: what is done and by what the backlog shrinks, in a minute. `null`: it cannot be told yet.
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
        // A heap that comes in, or a source that goes, is no step back of the work.
        done += Math.max(0, now.done - before.done);
        shrinks += Math.max(0, before.pending - now.pending);
      }
      if (done === 0 && last.at - first.at < STANDSTILL_MS) return null;
      const minutes = (last.at - first.at) / 60_000;
      return { done: done / minutes, shrinks: shrinks / minutes };
    },
  };
}
