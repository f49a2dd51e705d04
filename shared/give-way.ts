import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one step of long work may keep the event loop from others. */
const STEP_MS = 10;

/** Text is looked at, hashed and decoded in slices of this many code units: about a millisecond each. */
const SLICE_LENGTH = 256 * 1024;

/**
 * For long work in small steps: what this returns is awaited after each step, and lets the event loop turn when the
 * steps since the last turn have taken a few milliseconds.
 */
export function giveWayBetweenSteps(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < STEP_MS) return;
    await nextTurn();
    since = performance.now();
  };
}

/** A text in slices that take no surrogate pair apart. An empty one gives none. */
export function* slicesOf(text: string, length = SLICE_LENGTH): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + length);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && to - from > 1 && last >= 0xd800 && last < 0xdc00) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}
