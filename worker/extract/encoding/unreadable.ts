/** A text can have one unreadable character in so many. */
const CHARACTERS_PER_UNREADABLE = 100;
/** The same for characters outside ASCII: in a text with several bytes for each, a wrong byte damages only a few of them. */
const LETTERS_PER_UNREADABLE = 20;
/** What a text does not have, besides NUL: the control characters C1 without NEL, which ends lines, and what could not be decoded. */
const UNREADABLE = /[\x80-\x84\x86-\x9f\ufffd]/g;

/** Whether a text has an unreadable character. */
export function isUnreadable(text: string): boolean {
  return text.includes('\0') || text.search(UNREADABLE) >= 0;
}

/** How often a character is in a text. A list of all matches of a hostile file would fill the memory. */
export function countCharacter(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Replaces NULs of a text in UTF-8 with U+FFFD; null if they are more than a few. It can have other unusual characters. */
export function withFewNulls(text: string): string | null {
  return countCharacter(text, '\0') * CHARACTERS_PER_UNREADABLE <= text.length
    ? text.replaceAll('\0', '\ufffd')
    : null;
}

/** Replaces what is unreadable with U+FFFD; null if that is more than a few characters. */
export function withFewUnreadable(text: string): string | null {
  if (!isUnreadable(text)) return text;
  let unreadable = 0;
  let letters = 0;
  // A list of all matches of a hostile file would fill the memory.
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) letters += 1;
    if (unit === 0 || unit === 0xfffd || (unit >= 0x80 && unit <= 0x9f && unit !== 0x85)) unreadable += 1;
  }
  const isFew =
    unreadable * CHARACTERS_PER_UNREADABLE <= text.length || unreadable * LETTERS_PER_UNREADABLE <= letters;
  return isFew ? text.replaceAll('\0', '\ufffd').replace(UNREADABLE, '\ufffd') : null;
}
