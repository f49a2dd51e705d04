import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';

/*
 * Counts the characters that code reads, so that tests can prove that work on a text is done in pieces and grows in line with
 * the text, without measuring time. While it counts, the functions of the language that read texts are replaced by ones
 * that count and then call them. Only what the work itself causes is counted: other tests can run in the same process.
 */

/** A text of at most so many characters is short. */
const SHORT = 16;

/** What is counted where code runs. */
const counted = new AsyncLocalStorage<Reads>();

/** The characters that were read, for each expression and each function that reads. */
export class Reads {
  readonly #sinceTurn = new Map<RegExp | string, number>();
  readonly #most = new Map<RegExp | string, number>();
  /** The characters that were read in all. */
  total = 0;
  /** The most marks in a row that were to be sorted. Normalization sorts them in quadratic time. */
  marks = 0;

  add(reader: RegExp | string, characters: number): void {
    // Only where it matters: the question takes longer than most reads.
    if (characters > SHORT && counted.getStore() !== this) return;
    this.total += characters;
    this.#sinceTurn.set(reader, (this.#sinceTurn.get(reader) ?? 0) + characters);
  }

  /** Other work had a turn: what is read from now on is another step. */
  turn(): void {
    for (const [reader, characters] of this.#sinceTurn) {
      this.#most.set(reader, Math.max(characters, this.#most.get(reader) ?? 0));
    }
    this.#sinceTurn.clear();
  }

  /** The reader that read most between two turns, and how many characters. */
  longestStep(): [reader: RegExp | string, characters: number] {
    this.turn();
    return [...this.#most].sort(([, a], [, b]) => b - a)[0] ?? ['nothing', 0];
  }
}

type Method = (this: unknown, ...given: unknown[]) => unknown;

const { exec } = RegExp.prototype as unknown as {
  exec: (this: RegExp, text: string) => RegExpExecArray | null;
};

/** How far a search of an expression has read. An expression that begins at a place reads no further than it matches. */
function readBy(expression: RegExp, from: number, text: string, found: RegExpExecArray | null): number {
  if (found !== null) return found.index + found[0].length - from;
  return expression.sticky ? 1 : text.length - from;
}

const MARKS = /[\p{M}\uff9e\uff9f]+/gu;

function countMarks(text: string): number {
  let most = 0;
  MARKS.lastIndex = 0;
  for (let run = exec.call(MARKS, text); run !== null; run = exec.call(MARKS, text)) {
    most = Math.max(most, run[0].length);
  }
  return most;
}

/** The methods that read a whole text, and how much each read. */
const WHOLE: readonly [
  owner: object,
  name: string,
  read: (text: string, given: unknown[], result: unknown) => number,
][] = [
  ...['normalize', 'toLowerCase', 'toUpperCase', 'trim', 'trimEnd', 'split', 'replaceAll'].map(
    (name) => [String.prototype, name, (text: string) => text.length] as const,
  ),
  ...['includes', 'indexOf', 'lastIndexOf'].map(
    (name) =>
      [
        String.prototype,
        name,
        (text: string, [, from = 0]: unknown[], result: unknown) =>
          typeof result === 'number' && result >= 0 ? Math.abs(result - Number(from)) + 1 : text.length,
      ] as const,
  ),
].map(([owner, name, read]) => [owner, name, read]);

/** Counts what is read while the work runs. The work calls `turn` wherever other work can have a turn. */
export async function countReads(work: (reads: Reads) => unknown): Promise<Reads> {
  const reads = new Reads();
  const restore: (() => void)[] = [];
  const replace = (owner: object, name: string, make: (original: Method) => Method) => {
    const methods = owner as Record<string, Method>;
    const original = methods[name]!;
    methods[name] = make(original);
    restore.push(() => {
      methods[name] = original;
    });
  };
  for (const [owner, name, read] of WHOLE) {
    replace(
      owner,
      name,
      (original) =>
        function (this: unknown, ...given) {
          const result = original.apply(this, given);
          // A short text is a constant in which a character is looked up.
          if (String(this).length <= SHORT) return result;
          const isNormalize = name === 'normalize';
          reads.add(
            isNormalize ? `normalize to ${String(given[0])}` : name,
            read(String(this), given, result),
          );
          if (isNormalize) reads.marks = Math.max(reads.marks, countMarks(String(this)));
          return result;
        },
    );
  }
  for (const name of ['charCodeAt', 'codePointAt']) {
    replace(
      String.prototype,
      name,
      (original) =>
        function (this: unknown, ...given) {
          reads.total += 1;
          return original.apply(this, given);
        },
    );
  }
  replace(
    RegExp.prototype,
    'exec',
    () =>
      function (this: unknown, ...given) {
        const expression = this as RegExp;
        const text = String(given[0]);
        const from = expression.global || expression.sticky ? expression.lastIndex : 0;
        const found = exec.call(expression, text);
        reads.add(expression, readBy(expression, from, text, found));
        return found;
      },
  );
  replace(
    Intl.Segmenter.prototype,
    'segment',
    (original) =>
      function (this: unknown, ...given) {
        const { granularity } = (this as Intl.Segmenter).resolvedOptions();
        reads.add(`segments by ${granularity}`, String(given[0]).length);
        return original.apply(this, given);
      },
  );
  replace(
    Object.getPrototypeOf(createHash('sha256')) as object,
    'update',
    (original) =>
      function (this: unknown, ...given) {
        reads.add('hash', String(given[0]).length);
        return original.apply(this, given);
      },
  );
  try {
    await counted.run(reads, async () => work(reads));
  } finally {
    for (const each of restore) each();
  }
  return reads;
}
