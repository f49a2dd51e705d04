/** Text and vectors for measurements: the same at every run, and shaped like what people write. */

/** Numbers from 0 up to 1, the same for the same seed (mulberry32, Ettinger). */
export function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What words of a script are made of, and what stands between them. */
interface Script {
  syllables: readonly string[];
  between: string;
  stop: string;
}

const latin = [...'bcdfglmnprstvz'].flatMap((c) =>
  [...'aeiouäé'].flatMap((v) => [c + v, `${c + v}n`, `${c + v}r`]),
);
const cyrillic = [...'бвгдклмнпрст'].flatMap((c) => [...'аеиоуя'].flatMap((v) => [c + v, `${c + v}н`]));
const arabic = [...'بتجدرسعفقكلمنهوي'].flatMap((c) => [...'اوي'].map((v) => c + v));
const thai = [...'กขคงจชดตทนบปพมยรลวส'].flatMap((c) => [...'ะาิีุู'].map((v) => c + v));
const chinese = Array.from({ length: 3000 }, (_, index) => String.fromCodePoint(0x4e00 + index * 6));

/** Latin is listed twice, because most stored text is Latin. */
const SCRIPTS: readonly Script[] = [
  { syllables: latin, between: ' ', stop: '. ' },
  { syllables: latin, between: ' ', stop: '. ' },
  { syllables: cyrillic, between: ' ', stop: '. ' },
  { syllables: arabic, between: ' ', stop: '. ' },
  { syllables: thai, between: '', stop: ' ' },
  { syllables: chinese, between: '', stop: '。' },
];

const VOCABULARY = 30_000;

/** Writes paragraphs: words by Zipf's law, now and then a code, each paragraph in one script. */
export class Writer {
  readonly #random: () => number;
  readonly #words: string[][];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#words = SCRIPTS.map(({ syllables, between }) =>
      Array.from({ length: VOCABULARY }, (_, rank) => {
        // Frequent words are short; a script without spaces has short words throughout.
        const length =
          between === '' ? 1 + (rank > 500 ? 1 : 0) : 1 + Math.floor(Math.log10(rank + 3) + this.#random());
        return Array.from({ length }, () => this.#pick(syllables)).join('');
      }),
    );
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)]!;
  }

  /** A code such as `PX-48213`, which few texts hold. */
  code(): string {
    return `PX-${10_000 + Math.floor(this.#random() * 90_000)}`;
  }

  /** Some words, drawn so that the word of rank r comes up about 1/r as often as the first. */
  words(script: number, count: number): string[] {
    const vocabulary = this.#words[script]!;
    return Array.from({ length: count }, () => vocabulary[Math.floor(VOCABULARY ** this.#random()) - 1]!);
  }

  /** A paragraph of about 600 characters. */
  paragraph(script = Math.floor(this.#random() * SCRIPTS.length)): string {
    const { between, stop } = SCRIPTS[script]!;
    let text = '';
    while (text.length < 600) {
      text += this.words(script, 8 + Math.floor(this.#random() * 12)).join(between) + stop;
      if (this.#random() < 0.05) text += `${this.code()} `;
    }
    return text.trim();
  }

  /** A Markdown document of about so many bytes of UTF-8. */
  document(bytes: number): string {
    const parts: string[] = [];
    for (let written = 0; written < bytes; ) {
      const part = parts.length % 12 === 0 ? `## ${this.words(0, 4).join(' ')}` : this.paragraph();
      parts.push(part);
      written += Buffer.byteLength(part) + 2;
    }
    return parts.join('\n\n');
  }

  /** A direction in 1,024 dimensions, of unit length. */
  unitVector(): Float32Array {
    const vector = Float32Array.from(
      { length: 1024 },
      () => this.#random() + this.#random() + this.#random() - 1.5,
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  }
}

/** The value below which the given share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
