import type { PdfTextLine } from '../../../support/pdf-writer.ts';
import { type Drawn, readDrawn } from './drawn-page.ts';

/* Texts of scripts that are written from right to left, drawn as programs draw them. */

/** The width of letters, in thousandths of the size: that of narrow ones, of marks, of the space, and of others. */
const NARROW = 350;
const SPACE = 300;
const WIDE = 600;

function widthOfLetter(letter: string): number {
  if (/\p{M}/u.test(letter)) return 0;
  if (letter === ' ') return SPACE;
  return /[וזיןךנ.,()[\]:]/u.test(letter) ? NARROW : WIDE;
}

/** A text from right to left as it is shown: its letters from left to right. Only for letters of one script. */
export const asShown = (text: string) => [...text].reverse().join('');
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** A font whose letters are those of a text, with the width of each. */
export class Script {
  readonly font: string;
  readonly #letters: string[];

  constructor(text: string) {
    this.#letters = [...new Set(text)];
    const names = this.#letters.map(
      (letter) => `/uni${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
    );
    this.font =
      `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 65 /LastChar ${64 + names.length} ` +
      `/Widths [${this.#letters.map(widthOfLetter).join(' ')}] ` +
      `/Encoding << /Type /Encoding /Differences [65 ${names.join(' ')}] >> >>`;
  }

  /** The width of a text in size 12. */
  width(text: string): number {
    return [...text].reduce((sum, letter) => sum + widthOfLetter(letter), 0) * 0.012;
  }

  /** Letters that stand from left to right as they are given. */
  shown(x: number, y: number, letters: string): PdfTextLine {
    return {
      x,
      y,
      font: 'S',
      bytes: Uint8Array.from(letters, (letter) => 65 + this.#letters.indexOf(letter)),
    };
  }

  /** A line of words that ends at a place at the right: each word is drawn by itself. */
  words(right: number, y: number, text: string): PdfTextLine[] {
    let x = right;
    return text.split(' ').map((word) => {
      x -= this.width(word);
      const piece = this.shown(x, y, RIGHT_TO_LEFT.test(word) ? asShown(word) : word);
      x -= this.width(' ');
      return piece;
    });
  }

  /** Lines of words below each other. */
  lines(right: number, top: number, texts: readonly string[], step = 15): PdfTextLine[] {
    return texts.flatMap((text, index) => this.words(right, top - step * index, text));
  }

  /** A line of letters that ends at a place at the right: each letter is drawn by itself, from the first on. */
  letters(right: number, y: number, text: string): PdfTextLine[] {
    let x = right;
    return [...text.matchAll(/.\p{M}*/gu)].flatMap(([letter]) => {
      x -= this.width(letter);
      return letter === ' ' ? [] : [this.shown(x, y, letter)];
    });
  }

  /** The text of a page. */
  read(...drawn: readonly Drawn[]): Promise<string> {
    return readDrawn(drawn, { fonts: { S: this.font } });
  }
}
