/** How well questions found what answers them, each by the place of its paragraph. */
export interface Quality {
  questions: number;
  /** Share of questions whose paragraph stood first. */
  hitAt1: number;
  /** Mean of 1 / place over all questions, 0 for what is not among the first ten. */
  mrrAt10: number;
  /** Share of questions whose paragraph is among the first ten. */
  recallAt10: number;
}

/** How well questions found the chunks that answer them, in shares. */
export interface ChunkQuality {
  /** Of the questions: one of the chunks is the first hit, ... */
  hitAt1: number;
  /** ... or among the first five. */
  hitAt5: number;
  /** Of the chunks that answer a question, those among the first ten hits. */
  recallAt10: number;
}

const DEPTH = 10;

/** @param places from 1; null where a paragraph was not found */
export function qualityOf(places: readonly (number | null)[]): Quality {
  const questions = places.length;
  const within = places.filter((place) => place !== null && place <= DEPTH) as number[];
  return {
    questions,
    hitAt1: within.filter((place) => place === 1).length / questions,
    mrrAt10: within.reduce((sum, place) => sum + 1 / place, 0) / questions,
    recallAt10: within.length / questions,
  };
}

/** Shares as they are compared with published figures: in points of a hundred. */
export function points(share: number): number {
  return share * 100;
}
