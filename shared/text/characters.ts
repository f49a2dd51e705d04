/*
 * Characters of texts. A character is a code point, as everywhere in the API.
 */

/** The number of code points, which is less than the length of the string if it has surrogate pairs. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const isSecondOfPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (!isSecondOfPair) count += 1;
  }
  return count;
}

/** Divides a text after so many code points. No surrogate pair is split. */
export function splitCharacters(text: string, count: number): [before: string, after: string] {
  const before = cutCharacters(text, count);
  return [before, text.slice(before.length)];
}

/** The beginning of a text, with at most so many code points. No surrogate pair is split. */
export function cutCharacters(text: string, most: number): string {
  if (text.length <= most) return text;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
