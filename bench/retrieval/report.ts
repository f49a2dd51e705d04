import type { Language } from '../../test/support/retrieval-set.ts';
import { Report } from '../support/report.ts';
import type { CodesFound } from './codes.ts';
import { type ChunkQuality, points, type Quality } from './quality.ts';

/**
 * Hit@1 of the keyword leg as it was measured when its terms and weights were chosen, over the same questions; of the
 * plain BM25 over words and bigrams en has 92.0, de 85.4, ru 79.9.
 */
const MEASURED_HIT_AT_1: Readonly<Record<Language, number>> = {
  en: 93.8,
  de: 93.8,
  es: 93.8,
  ru: 92.3,
  zh: 93.8,
  th: 92.9,
};

/** In points of a hundred. Above one standard error of 1,190 questions, 0.7. */
const KEYWORD_TOLERANCE = 1;

/** Articles whose title alone must find all of their paragraphs, in percent. */
const LEAST_TITLES = 97;

/** Sums of points are compared, so that 93.8 - 92.8 is 1. */
const ROUNDING = 1e-9;

/** Prints the tables of a run, and collects its faults: the bounds that it did not hold. */
export class RetrievalReport {
  readonly #report = new Report();
  readonly faults: string[];

  constructor(faults: string[]) {
    this.faults = faults;
    this.#report.width = 46;
  }

  #head(title: string, heads: readonly string[]): void {
    this.#report.print();
    this.#report.row(title, heads);
  }

  /** The head of a language's table. */
  table(title: string): void {
    this.#head(title, ['hit@1', 'MRR@10', 'recall@10']);
  }

  row(name: string, { hitAt1, mrrAt10, recallAt10 }: Quality): void {
    this.#report.row(name, [points(hitAt1).toFixed(1), mrrAt10.toFixed(3), points(recallAt10).toFixed(1)]);
  }

  /** The head of a table of chunks that are no paragraphs. */
  chunkTable(title: string): void {
    this.#head(title, ['hit@1', 'hit@5', 'recall@10']);
  }

  chunkRow(name: string, { hitAt1, hitAt5, recallAt10 }: ChunkQuality): void {
    this.#report.row(name, [hitAt1, hitAt5, recallAt10].map(points), '', 1);
  }

  /** Holds that the keyword leg is where it was measured to be. */
  holdKeywords(language: Language, quality: Quality): void {
    const [found, measured] = [points(quality.hitAt1), MEASURED_HIT_AT_1[language]];
    if (found < measured - KEYWORD_TOLERANCE - ROUNDING) {
      this.faults.push(`${language}: keywords have ${found.toFixed(1)}, where ${measured} was measured`);
    }
  }

  /** Holds that the database ranks as the same BM25 in JavaScript. */
  holdEqual(language: Language, database: Quality, reference: Quality): void {
    if (database.hitAt1 === reference.hitAt1) return;
    const [one, other] = [points(database.hitAt1), points(reference.hitAt1)];
    this.faults.push(
      `${language}: keywords have ${one.toFixed(2)} in the database, ${other.toFixed(2)} in JavaScript`,
    );
  }

  /** Holds that what is fused is not worse than the better of its legs by more than some points. */
  holdFused(name: string, legs: readonly Quality[], fused: Quality, tolerance: number): void {
    const better = points(Math.max(...legs.map((leg) => leg.hitAt1)));
    const loss = better - points(fused.hitAt1);
    if (loss > tolerance + ROUNDING) {
      this.faults.push(
        `${name}: fused ${points(fused.hitAt1).toFixed(1)}, ${loss.toFixed(1)} below the better leg (at most ${tolerance})`,
      );
    }
  }

  /** Holds that vectors add some points of hit@1 to the words. */
  holdGain(name: string, words: { hitAt1: number }, fused: { hitAt1: number }, least: number): void {
    const gain = points(fused.hitAt1) - points(words.hitAt1);
    if (gain < least - ROUNDING) {
      this.faults.push(`${name}: vectors add ${gain.toFixed(1)} points to words (at least ${least})`);
    }
  }

  /** How many articles their title alone finds, and that it finds nearly all. */
  titles(language: Language, found: number): void {
    this.#report.row('articles found whole by their title', [points(found)], '', 1);
    if (points(found) < LEAST_TITLES) {
      this.faults.push(`${language}: ${points(found).toFixed(1)} % of the articles are found whole by title`);
    }
  }

  /** How often the chunk with the code came first, and that it always did. */
  codes(language: Language, found: readonly CodesFound[]): void {
    this.#head(`${language}: first for its code`, ['codes', 'alone', 'in question']);
    for (const { kind, codes, alone, insideQuestion } of found) {
      const shares = [alone, insideQuestion].map((hits) => `${((hits / codes) * 100).toFixed(0)} %`);
      this.#report.row(kind, [String(codes), ...shares]);
      if (alone < codes) this.faults.push(`${language}: ${codes - alone} of ${codes} alone: ${kind}`);
      if (insideQuestion < codes) {
        this.faults.push(`${language}: ${codes - insideQuestion} of ${codes} inside a question: ${kind}`);
      }
    }
  }
}
