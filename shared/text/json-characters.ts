/*
 * The length of answers that are sent as JSON text. A character is a code point, as everywhere in the API.
 */

/** The number of characters of the JSON of a value, as `JSON.stringify` writes it. */
export function countJsonCharacters(value: unknown): number {
  const json = JSON.stringify(value);
  return json === undefined ? 0 : countCharacters(json);
}

/** The number of code points, which is less than the length of the string if it has surrogate pairs. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const isSecondOfPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (!isSecondOfPair) count += 1;
  }
  return count;
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

/** The number of characters that a text takes in JSON, without its quotation marks. */
export function countTextInJson(text: string): number {
  return countJsonCharacters(text) - 2;
}

/** Like `countTextInJson`, but at most `most`: no more of a long text is read than that takes. */
export function countTextInJsonUpTo(text: string, most: number): number {
  // A character takes at most two code units, and at least one character in JSON.
  return Math.min(most, countTextInJson(text.slice(0, 2 * most)));
}

/** The end of a text that was cut. */
const CUT = '…';

/**
 * The beginning of a text that takes at most `room` characters in JSON, without its quotation marks; with `…` at its end
 * if it was cut. No surrogate pair is split.
 */
export function cutToJson(text: string, room: number): string {
  if (countTextInJson(text) <= room) return text;
  const kept = text.slice(0, endOfFitting(text, 0, room - CUT.length));
  return room < CUT.length ? '' : `${kept}${CUT}`;
}

/**
 * Where the longest part of a text ends that begins at `start` and takes at most `room` characters in JSON. Offsets are
 * in UTF-16 code units, and no surrogate pair is split.
 */
export function endOfFitting(text: string, start: number, room: number): number {
  let left = room;
  let end = start;
  while (end < text.length) {
    const character = String.fromCodePoint(text.codePointAt(end)!);
    left -= countTextInJson(character);
    if (left < 0) break;
    end += character.length;
  }
  return end;
}

/**
 * How many of these values, from the first on, fit into a list whose JSON has at most `room` characters.
 * @param room without the brackets of the list
 */
export function countFitting(values: readonly unknown[], room: number): number {
  let left = room;
  for (const [index, value] of values.entries()) {
    left -= countJsonCharacters(value) + (index === 0 ? 0 : 1);
    if (left < 0) return index;
  }
  return values.length;
}
