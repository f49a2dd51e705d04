import { normalizeUnicode } from 'pdfjs-dist/legacy/build/pdf.mjs';

/* Letters to words, as they are drawn one after the other. */

/** A word as it was drawn, in the units of the page. Its start and end are points of its baseline. */
export interface DrawnWord {
  text: string;
  /** Its letters one by one from left to right, if some are of a script that is written from right to left. */
  letters: string[] | null;
  startX: number;
  startY: number;
  endX: number;
  endY: number;
  size: number;
  font: string;
  vertical: boolean;
  /** Whether a space was drawn before it, in the same line. */
  spaced: boolean;
  /** Whether nobody sees it: the layer of letters over the picture of a page. */
  invisible: boolean;
}

/** What the letters of one operator have in common. */
export interface LetterStyle {
  size: number;
  font: string;
  vertical: boolean;
  invisible: boolean;
  /** The direction of the line: a vector of length 1. */
  alongX: number;
  alongY: number;
}

/** Letters of one word can be this far apart, relative to their size, and overlap by so much. */
const LETTER_GAP = 0.1;
const LETTER_OVERLAP = -0.2;
/** Letters of one word can be shifted across the line by so much, relative to their size. */
const LETTER_SHIFT = 0.05;
/** A font is known to be monospaced from so many different letters on. */
const ENOUGH_LETTERS = 8;

const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u{fb1d}-\u{fdff}\u{fe70}-\u{feff}\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const MARK = /^\p{M}+$/u;
const INVISIBLE_FORMAT = /^\p{Cf}$/u;
const LATIN_LETTER = /^[A-Za-z]$/;
const SOFT_HYPHEN = '\u00ad';
/** A character that only its font knows, as the bullets of symbol fonts are. */
const PRIVATE = /^\p{Co}$/u;
const BULLET = '•';
/** Radicals of Chinese characters, and forms of Hebrew and Arabic letters. */
const FORM = /[\u2e80-\u2fdf\ufb1d-\ufdff\ufe70-\ufefc]/;
/** Radicals of the supplement, which normalization keeps, and their characters (Unicode, EquivalentUnifiedIdeograph). */
const SUPPLEMENT = new Map(
  (
    '⺟母 ⺠民 ⻁虎 ⻄西 ⻅见 ⻆角 ⻉贝 ⻋车 ⻑長 ⻓长 ⻔门 ⻘青 ⻙韦 ⻚页 ' +
    '⻛风 ⻜飞 ⻝食 ⻢马 ⻣骨 ⻤鬼 ⻥鱼 ⻦鸟 ⻩黄 ⻬齐 ⻮齿 ⻰龙 ⻳龟 ⻨麦'
  )
    .split(' ')
    .map((pair) => [pair.charAt(0), pair.charAt(1)]),
);

/** A letter as it is written: fonts name ligatures, forms of letters, and radicals. */
function written(unicode: string): string {
  if (unicode.length === 1 && unicode < '\u007f') return unicode;
  if (PRIVATE.test(unicode)) return BULLET;
  if (!FORM.test(unicode)) return normalizeUnicode(unicode);
  return SUPPLEMENT.get(unicode) ?? unicode.normalize('NFKC');
}

/** Makes words of letters. */
export class WordMaker {
  readonly words: DrawnWord[] = [];
  /** Fonts of which a text draws its spaces. Other texts leave gaps. */
  readonly spacedFonts = new Set<string>();
  readonly #widths = new LetterWidths();
  #style: LetterStyle = { size: 0, font: '', vertical: false, invisible: false, alongX: 1, alongY: 0 };
  /** The word to which the next letter may belong, and the style with which it began. */
  #word: DrawnWord | null = null;
  #wordStyle = this.#style;
  #spaced = false;
  /** Whether the last letter was drawn by an operator of its own. */
  #alone = false;

  /** Fonts all of whose letters are equally wide. */
  get monospacedFonts(): Set<string> {
    return this.#widths.monospaced;
  }

  /** Begins the letters of an operator. @param count of letters and gaps */
  begin(style: LetterStyle, count: number): void {
    this.#style = style;
    // Letters that are placed one by one stay apart: what a space is among them shows in their line.
    const alone = count === 1;
    if (alone && this.#alone) this.#word = null;
    this.#alone = alone;
  }

  addSpace(): void {
    this.#word = null;
    this.#spaced = true;
    this.spacedFonts.add(this.#style.font);
  }

  /** Adds a letter, which is not a space. @param width in units of its font */
  addLetter(
    unicode: string,
    width: number,
    startX: number,
    startY: number,
    endX: number,
    endY: number,
  ): void {
    const text = written(unicode);
    if (unicode !== SOFT_HYPHEN && INVISIBLE_FORMAT.test(unicode)) return;
    this.#widths.add(this.#style.font, unicode, width);
    const word = this.#word;
    if (word !== null && this.#isNext(word, startX, startY, endX, endY)) {
      addText(word, text, MARK.test(text));
      word.endX = endX;
      word.endY = endY;
      return;
    }
    if (word !== null && MARK.test(text) && this.#isOver(word, (startX + endX) / 2, (startY + endY) / 2)) {
      addText(word, text, true);
      return;
    }
    const { size, font, vertical, invisible } = this.#style;
    const letters = RIGHT_TO_LEFT.test(text) ? [text] : null;
    const spaced = this.#spaced;
    this.#word = { text, letters, startX, startY, endX, endY, size, font, vertical, spaced, invisible };
    this.#wordStyle = this.#style;
    this.#spaced = false;
    this.words.push(this.#word);
  }

  /** Whether a letter follows a word so closely that it belongs to it. */
  #isNext(word: DrawnWord, startX: number, startY: number, endX: number, endY: number): boolean {
    const { size, alongX, alongY } = this.#wordStyle;
    const { invisible, vertical, size: letterSize } = this.#style;
    if (invisible !== word.invisible || vertical !== word.vertical) return false;
    if (Math.abs(letterSize - size) > LETTER_GAP * size) return false;
    const [x, y] = [startX - word.endX, startY - word.endY];
    const along = x * alongX + y * alongY;
    return (
      Math.abs(x * alongY - y * alongX) <= LETTER_SHIFT * size &&
      along >= LETTER_OVERLAP * size &&
      along <= LETTER_GAP * size &&
      (endX - startX) * alongX + (endY - startY) * alongY >= 0
    );
  }

  /** Whether a mark stands over the letters of a word. */
  #isOver(word: DrawnWord, middleX: number, middleY: number): boolean {
    const { size, alongX, alongY } = this.#wordStyle;
    const [x, y] = [middleX - word.endX, middleY - word.endY];
    const along = x * alongX + y * alongY;
    const length = Math.hypot(word.endX - word.startX, word.endY - word.startY);
    return Math.abs(x * alongY - y * alongX) < size && along <= LETTER_GAP * size && -along <= length;
  }
}

function addText(word: DrawnWord, text: string, isMark: boolean): void {
  if (word.letters === null && RIGHT_TO_LEFT.test(text)) word.letters = [...word.text];
  if (word.letters !== null) {
    if (isMark) word.letters.push((word.letters.pop() ?? '') + text);
    else word.letters.push(text);
  }
  word.text += text;
}

/** The widths of the letters of each font. */
class LetterWidths {
  readonly monospaced = new Set<string>();
  /** The width of all letters of a font up to now, and which they are; null once they differ. */
  readonly #fonts = new Map<string, { width: number; letters: Set<string> } | null>();

  add(font: string, letter: string, width: number): void {
    const known = this.#fonts.get(font);
    if (known === null || !LATIN_LETTER.test(letter)) return;
    if (known === undefined) this.#fonts.set(font, { width, letters: new Set([letter]) });
    else if (Math.abs(known.width - width) > 1) {
      this.#fonts.set(font, null);
      this.monospaced.delete(font);
    } else if (known.letters.size < ENOUGH_LETTERS) {
      known.letters.add(letter);
      if (known.letters.size === ENOUGH_LETTERS) this.monospaced.add(font);
    }
  }
}
