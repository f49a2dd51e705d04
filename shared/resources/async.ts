import { setImmediate as nextTurn } from 'node:timers/promises';

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

/**
 * Waits for a result for at most `ms` milliseconds. A later result is passed to `late`.
 * @throws Error with `message` after that time
 */
export async function withTimeout<T>(
  ms: number,
  result: Promise<T>,
  message: string,
  late: (value: T) => void = () => undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(new Error(message));
    }, ms);
  });
  result.then(
    (value) => isLate && late(value),
    () => undefined,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Shares one thread between groups of tasks. One task has the turn at a time. The groups alternate; within a group,
 * tasks have their turns in the order in which they asked. However many tasks one group has, another group waits at
 * most for one turn of each group.
 */
export class Turns {
  readonly #waiting = new Map<string, (() => void)[]>();
  #busy = false;

  /** Waits for a turn. The caller must call `release` at its end. */
  async acquire(group: string): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    await new Promise<void>((resolve) => {
      const own = this.#waiting.get(group);
      if (own === undefined) this.#waiting.set(group, [resolve]);
      else own.push(resolve);
    });
  }

  /** Ends a turn. The next one begins after a turn of the event loop, in which new tasks can arrive. */
  release(): void {
    setImmediate(() => this.#next());
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#busy = false;
      return;
    }
    const [group, own] = first;
    const resolve = own.shift();
    // The group moves to the end of the queue.
    this.#waiting.delete(group);
    if (own.length > 0) this.#waiting.set(group, own);
    resolve?.();
  }
}

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
