import type { Rect } from './annotations.ts';
import { leastOf, mostOf } from './boxes.ts';
import type { DrawnWord } from './letters.ts';

/** The height of the rows in which words are looked for, in units of the page. */
const ROW = 16;
/** The height of the middle of letters above their baseline, and how far baselines of one line can differ. */
const MIDDLE = 0.3;
const NEAR = 0.5;
/** More words are not looked at for one page: a file can ask for all of them again and again. */
const MOST_VISITS = 2_000_000;
/** More of the text at a place is not returned, in UTF-16 code units. */
const MOST_LENGTH = 4_000;

/** Finds the words of a page that are in a rectangle. */
export class TextByPlace {
  readonly #words: readonly DrawnWord[];
  #rows: Map<number, DrawnWord[]> | null = null;
  #first = 0;
  #last = -1;
  #visits = 0;

  constructor(words: readonly DrawnWord[]) {
    this.#words = words;
  }

  /**
   * The letters whose middle is in a rectangle, in lines from top to bottom, joined by spaces. The letters of a word are
   * taken to be equally wide.
   */
  textIn([left, bottom, right, top]: Rect): string {
    const found: { text: string; x: number; y: number }[] = [];
    let length = 0;
    const rows = this.#byRow();
    const from = Math.min(Math.floor(top / ROW), this.#last);
    const to = Math.max(Math.floor(bottom / ROW), this.#first);
    for (let row = from; row >= to; row -= 1) {
      for (const word of rows.get(row) ?? []) {
        this.#visits += 1;
        if (this.#visits > MOST_VISITS || length > MOST_LENGTH) return joined(found);
        const y = middleYOf(word);
        if (y < bottom || y > top) continue;
        const text = lettersIn(word, left, right);
        if (text === '') continue;
        length += text.length;
        found.push({ text, x: word.startX, y: word.startY });
      }
    }
    return joined(found);
  }

  /** The baseline of words about a height that end before a place; null if there are none. */
  baselineBefore(x: number, y: number, size: number): number | null {
    const row = Math.floor((y + MIDDLE * size) / ROW);
    const words = [row, row - 1, row + 1].flatMap((each) => this.#byRow().get(each) ?? []);
    this.#visits += words.length;
    if (this.#visits > MOST_VISITS) return null;
    const near = words.filter((word) => Math.abs(word.startY - y) <= NEAR * size && word.endX <= x);
    return near.sort((a, b) => b.endX - a.endX)[0]?.startY ?? null;
  }

  #byRow(): Map<number, DrawnWord[]> {
    if (this.#rows !== null) return this.#rows;
    this.#rows = Map.groupBy(this.#words, (word) => Math.floor(middleYOf(word) / ROW));
    this.#first = leastOf(this.#rows.keys());
    this.#last = mostOf(this.#rows.keys());
    return this.#rows;
  }
}

/** Words in lines from top to bottom, joined by spaces. */
const joined = (found: { text: string; x: number; y: number }[]): string =>
  found
    .sort((a, b) => (Math.abs(a.y - b.y) > ROW / 4 ? b.y - a.y : a.x - b.x))
    .map(({ text }) => text)
    .join(' ');

/** The height of the middle of a word's letters. */
const middleYOf = ({ startY, endY, size }: DrawnWord) => (startY + endY) / 2 + MIDDLE * size;

/** The letters of a word between two places along the line. */
function lettersIn({ text, startX, endX }: DrawnWord, left: number, right: number): string {
  const [from, to] = [Math.min(startX, endX), Math.max(startX, endX)];
  const width = to - from;
  if (width === 0) return from >= left && from <= right ? text : '';
  const first = Math.max(0, Math.ceil(((left - from) / width) * text.length - 0.5));
  const last = Math.min(text.length, Math.floor(((right - from) / width) * text.length + 0.5));
  return text.slice(first, Math.max(first, last));
}
