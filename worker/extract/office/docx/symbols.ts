import { codePoint } from 'dingbat-to-unicode';

/** Programs move the characters of symbol fonts here, so that they are not taken for letters. */
const PRIVATE = /[\uf020-\uf0ff]/g;
const PRIVATE_START = 0xf000;

/** The character that a symbol font shows for a number; null if the font is not known. */
function symbolOf(font: string, number: number): string | null {
  const code = number >= PRIVATE_START ? number - PRIVATE_START : number;
  return codePoint(font, code)?.string ?? null;
}

/** The character of a `sym` element, from its font and its number in hexadecimal; an empty string if it is not known. */
export function symbolText(font: string | undefined, hexadecimal: string | undefined): string {
  const number = Number.parseInt(hexadecimal ?? '', 16);
  const known = Number.isNaN(number) ? null : symbolOf(font ?? '', number);
  if (known !== null) return known;
  // A number outside of the private area is a character of Unicode.
  return number >= 0x20 && number < 0xd800 ? String.fromCodePoint(number) : '';
}

/** A text in which the characters of a symbol font are those that the font shows. */
export function withSymbols(text: string, font: string | null): string {
  return font === null
    ? text
    : text.replace(PRIVATE, (character) => symbolOf(font, character.charCodeAt(0)) ?? character);
}
