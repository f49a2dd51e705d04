import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work can block the event loop before it lets other work run. */
const STEP_MS = 10;

/** The most code units of a text that one step reads. Text is checked, hashed and decoded in slices of this length. */
export const SLICE_LENGTH = 64 * 1024;

/**
 * For long work in small steps. Returns a function to await after each step: it lets the event loop turn if the steps
 * since the last turn have taken 10 milliseconds.
 */
export function yieldBetweenSteps(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < STEP_MS) return;
    await nextTurn();
    since = performance.now();
  };
}

/**
 * Runs work that yields after each small step. The event loop turns between two steps if those since the last turn have taken
 * 10 milliseconds.
 */
export async function runInSteps<T>(steps: Generator<undefined, T>): Promise<T> {
  const yieldIfDue = yieldBetweenSteps();
  while (true) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldIfDue();
  }
}

/** Runs the same work at once, for callers that block no one. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  while (true) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The slices of a text. They split neither a surrogate pair nor a CRLF. An empty text has no slices. */
export function* slicesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + SLICE_LENGTH);
    if (to < text.length && isWithinPair(text, to)) to -= 1;
    yield text.slice(from, to);
    from = to;
  }
}

/** Whether `index` is between the two code units of a surrogate pair or of a CRLF. */
function isWithinPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const isHighSurrogate = before >= 0xd800 && before < 0xdc00;
  return isHighSurrogate || text.startsWith('\r\n', index - 1);
}
