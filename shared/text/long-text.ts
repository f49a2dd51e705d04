/**
 * Where to cut a stretch of text that is too long for one piece, in any script. `Intl.Segmenter` is only ever
 * given a window of one piece: over a whole document it is slow, and every cut needs one boundary only.
 */

/** Offsets from where the window begins, in UTF-16 code units. */
export interface CutRange {
  /** The cut lies behind this. */
  floor: number;
  /** The cut is as near below this as can be. */
  target: number;
  /** The cut lies behind the target, up to this, only if that spares a sentence or a word. */
  max: number;
}

/** What to keep whole first: sentences in prose, lines in code. */
export type CutPreference = 'sentences' | 'lines';

type Boundary = (limit: number) => number;

// No locale: these are the rules of Unicode's annex 29 and ICU's dictionaries, which go by script.
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Behind the last possible cut, so that the segmenter sees how a boundary there goes on. */
const LOOKAHEAD = 100;

/**
 * The length of the piece to cut from `text` at `from`: up to a sentence's end (or a line's), else up to white
 * space, a word's end or a grapheme's. A single grapheme longer than `max` is cut between code points.
 */
export function findCut(text: string, from: number, range: CutRange, preference: CutPreference): number {
  const { floor, target, max } = range;
  const window = text.slice(from, from + max + LOOKAHEAD);
  const boundaries = preference === 'lines' ? linesThenWords(window) : sentencesThenWords(window);
  for (const open of boundaries) {
    const boundary = open();
    const below = boundary(target);
    // Far below the target: rather one that is longer than the target than a scrap.
    const cut = below > floor && below >= target / 2 ? below : boundary(max);
    if (cut > floor) return cut;
  }
  const last = window.charCodeAt(max - 1);
  return last >= 0xd800 && last < 0xdc00 ? max - 1 : max;
}

function linesThenWords(window: string): (() => Boundary)[] {
  return [
    () => lines(window),
    () => spaces(window),
    () => segments(words, window),
    () => segments(graphemes, window),
  ];
}

function sentencesThenWords(window: string): (() => Boundary)[] {
  return [
    () => segments(sentences, unwrap(window)),
    () => spaces(window),
    () => segments(words, window),
    () => segments(graphemes, window),
  ];
}

/** The last boundary of a segmenter up to a limit, or 0. */
function segments(segmenter: Intl.Segmenter, window: string): Boundary {
  const segmented = segmenter.segment(window);
  return (limit) => segmented.containing(limit)?.index ?? window.length;
}

/** The last line break up to a limit. */
function lines(window: string): Boundary {
  return (limit) => window.lastIndexOf('\n', limit - 1) + 1;
}

const SPACE = /\s(?![\p{M}\u200d])/gu;

/** The last white space up to a limit. It does not count if it carries a combining mark or is near the beginning. */
function spaces(window: string): Boundary {
  return (limit) => {
    let cut = 0;
    for (const { index } of window.matchAll(SPACE)) {
      if (index >= limit) break;
      cut = index + 1;
    }
    return cut < limit / 4 ? 0 : cut;
  };
}

/**
 * Every line break ends a sentence for Unicode, although many texts are wrapped in the middle of theirs. One
 * before a lower-case letter becomes a space; the length stays.
 */
function unwrap(window: string): string {
  return window.replace(/\n(?=[^\S\n]*\p{Ll})/gu, ' ');
}
