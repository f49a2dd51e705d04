/**
 * Finds where to cut text that is too long for one piece, in any script. `Intl.Segmenter` gets only a window of one
 * piece: it is slow on a whole document, and each cut needs only one boundary.
 */

/** Offsets from the start of the window, in UTF-16 code units. */
export interface CutRange {
  /** The cut must be after this. */
  floor: number;
  /** The cut should be at or just before this. */
  target: number;
  /** The cut can be after the target, up to this, only if that keeps a sentence or a word whole. */
  max: number;
}

/** What to keep whole if possible: sentences in prose, lines in code, and in tables rows, then sentences. */
export type CutPreference = 'sentences' | 'lines' | 'rows';

type Boundary = (limit: number) => number;

// No locale: the rules of Unicode's annex 29 and ICU's dictionaries depend on the script.
const sentences = new Intl.Segmenter('und', { granularity: 'sentence' });
const words = new Intl.Segmenter('und', { granularity: 'word' });
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Characters after the last possible cut that the segmenter also gets, to decide whether there is a boundary. */
const LOOKAHEAD = 100;

/**
 * The length of the piece to cut from `text` at `from`. The piece ends with a sentence (in code, a line; in a table, a row);
 * if there is no such end, at white space, with a word or with a grapheme. A grapheme longer than `max` is cut between code
 * points.
 */
export function findCut(text: string, from: number, range: CutRange, preference: CutPreference): number {
  const { floor, target, max } = range;
  const window = text.slice(from, from + max + LOOKAHEAD);
  const boundaries = BOUNDARIES[preference](window);
  for (const open of boundaries) {
    const boundary = open();
    const below = boundary(target);
    // A piece longer than the target is better than a very short one.
    const cut = below > floor && below >= target / 2 ? below : boundary(max);
    if (cut > floor) return cut;
  }
  const last = window.charCodeAt(max - 1);
  return last >= 0xd800 && last < 0xdc00 ? max - 1 : max;
}

const BOUNDARIES: Record<CutPreference, (window: string) => (() => Boundary)[]> = {
  sentences: sentencesThenWords,
  lines: linesThenWords,
  rows: (window) => [() => lines(window), ...sentencesThenWords(window)],
};

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

const LINE_BREAK = /\n/g;

/** The last line break up to a limit. */
function lines(window: string): Boundary {
  return lastEnd(LINE_BREAK, window);
}

const SPACE = /\s(?![\p{M}\u200d])/gu;

/** The last white space up to a limit. It does not count if it carries a combining mark or is near the beginning. */
function spaces(window: string): Boundary {
  const lastSpace = lastEnd(SPACE, window);
  return (limit) => {
    const cut = lastSpace(limit);
    return cut < limit / 4 ? 0 : cut;
  };
}

/** The last place up to a limit that is after a character of a kind, or 0. The window is searched once for all limits. */
function lastEnd(kind: RegExp, window: string): Boundary {
  const ends = Array.from(window.matchAll(kind), ({ index }) => index + 1);
  return (limit) => ends.findLast((end) => end <= limit) ?? 0;
}

/**
 * Replaces each line break before a lower-case letter by a space. In Unicode every line break ends a sentence, but many
 * texts are wrapped within sentences. The length does not change.
 */
function unwrap(window: string): string {
  return window.replace(/\n(?=[^\S\n]*\p{Ll})/gu, ' ');
}
