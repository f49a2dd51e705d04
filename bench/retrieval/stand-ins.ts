import { EMBEDDING_DIM } from '../../shared/embeddings.ts';
import { embeddedText } from '../../shared/text/prepared-chunks.ts';
import { seededRandom } from '../../test/support/generated-text.ts';
import { type RetrievalSet, titleOf } from '../../test/support/retrieval-set.ts';
import { gaussianNumbers, unit } from '../../test/support/stand-in-vectors.ts';

/**
 * Vectors in place of a model's, where none is at hand: they say nothing of any model, only what fusion makes of a
 * vector leg that errs so or so. None is made from the terms of the keyword search or from its ranks.
 */

/** One vector of unit length a paragraph and a question, in the order of the set. */
export interface SetVectors {
  paragraphs: Float32Array[];
  questions: Float32Array[];
}

/** Seeds: the same vectors at every run. */
const SEED = { paragraphs: 101, questions: 102, useless: 103, likeness: 104 };

/**
 * Noise added to each number of a question's vector, as a multiple of the typical number in a vector of unit length.
 * With it, about 78 of 100 questions are nearest to their own of 240 paragraphs.
 */
const INDEPENDENT_NOISE = 8.7;

/** A direction that has nothing to do with any other. */
function anyDirection(gaussian: () => number): Float32Array {
  return unit(Float32Array.from({ length: EMBEDDING_DIM }, gaussian));
}

function withNoise(vector: Float32Array, gaussian: () => number): Float32Array {
  const each = INDEPENDENT_NOISE / Math.sqrt(EMBEDDING_DIM);
  return unit(vector.map((value) => value + each * gaussian()));
}

/**
 * Errors that have nothing to do with words: a paragraph has any direction, a question that of its paragraph and
 * noise. Hit@1 is about 78 %.
 */
export function independentVectors(set: RetrievalSet): SetVectors {
  const ofParagraphs = gaussianNumbers(SEED.paragraphs);
  const ofQuestions = gaussianNumbers(SEED.questions);
  const paragraphs = set.paragraphs.map(() => anyDirection(ofParagraphs));
  const questions = set.questions.map(({ paragraph }) =>
    withNoise(paragraphs[paragraph] as Float32Array, ofQuestions),
  );
  return { paragraphs, questions };
}

/** Paragraphs as of `independentVectors`, and questions that point anywhere: hit@1 is what chance gives. */
export function uselessVectors(set: RetrievalSet): SetVectors {
  const gaussian = gaussianNumbers(SEED.useless);
  const { paragraphs } = independentVectors(set);
  return { paragraphs, questions: set.questions.map(() => anyDirection(gaussian)) };
}

/**
 * Errors like those of keywords: a likeness of letters, by words and their pairs and trigrams of characters, damped by
 * log(1 + count) and weighed by how few paragraphs have them, projected to 1,024 numbers by random signs (Achlioptas
 * 2003). Hit@1 is between 79 % and 87 %.
 */
export function correlatedVectors(set: RetrievalSet): SetVectors {
  const counted = set.paragraphs.map(({ article, text }) =>
    features(embeddedText(titleOf(article), [], text)),
  );
  const holders = new Map<string, number>();
  for (const counts of counted) {
    for (const feature of counts.keys()) holders.set(feature, (holders.get(feature) ?? 0) + 1);
  }
  const directions = new Map([...holders.keys()].map((feature, index) => [feature, index]));
  const project = (counts: Map<string, number>) => {
    const vector = new Float32Array(EMBEDDING_DIM);
    for (const [feature, count] of counts) {
      const direction = directions.get(feature);
      if (direction === undefined) continue;
      const rarity = Math.log(set.paragraphs.length / (holders.get(feature) ?? 1));
      addSigns(vector, SEED.likeness + direction, Math.log1p(count) * rarity);
    }
    // Nothing in common with any paragraph is a direction too.
    return vector.some((value) => value !== 0) ? unit(vector) : addSigns(vector, SEED.likeness - 1, 1 / 32);
  };
  return {
    paragraphs: counted.map(project),
    questions: set.questions.map(({ question }) => project(features(question))),
  };
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const GRAMS = [2, 3];

/** How often each word, and each pair and trigram of its characters, stands in a text. */
function features(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    count(counts, `w${word}`);
    const characters = [...` ${word} `];
    for (const length of GRAMS) {
      for (let from = 0; from + length <= characters.length; from += 1) {
        count(counts, `g${characters.slice(from, from + length).join('')}`);
      }
    }
  }
  return counts;
}

function count(counts: Map<string, number>, feature: string): void {
  counts.set(feature, (counts.get(feature) ?? 0) + 1);
}

/** Bits of one random number. */
const SIGNS_AT_ONCE = 32;

/** Adds a feature's own direction, 1,024 random signs, times its weight. */
function addSigns(vector: Float32Array, seed: number, weight: number): Float32Array {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1));
  for (let at = 0; at < vector.length; at += SIGNS_AT_ONCE) {
    const signs = Math.floor(random() * 2 ** SIGNS_AT_ONCE);
    for (let bit = 0; bit < SIGNS_AT_ONCE; bit += 1) {
      vector[at + bit]! += (signs >>> bit) & 1 ? weight : -weight;
    }
  }
  return vector;
}
