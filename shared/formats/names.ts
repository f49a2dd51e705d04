import { foldCase } from './workspace-path.ts';

/**
 * A character that can be seen: a letter, number, punctuation or symbol. Marks are not, because they are part of another
 * character. Some letters and symbols are not, because they show nothing: those that Unicode lets a program ignore, such
 * as the fillers of Hangul, and the blank of Braille, two blank hieroglyphs and the empty note head.
 */
export const VISIBLE_CHARACTER =
  /(?![\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * The form in which names are compared: without white space around it, in NFC and in lower case. Letter by letter,
 * because Σ has two lower cases, which depend on the letters around it.
 */
export function foldName(name: string): string {
  const letters = Array.from(foldCase(name.trim().normalize('NFC')), (letter) => letter.toLowerCase());
  return letters.join('').normalize('NFC');
}
