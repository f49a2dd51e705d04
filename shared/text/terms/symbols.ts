/** Emoji, flags and other symbols. */

const FIRST_REGIONAL = 0x1f1e6;
const LAST_REGIONAL = 0x1f1ff;
/** Two letters that are a flag together, each of two code units. */
const FLAG_LENGTH = 4;

const FIRST_TAG = 0xe0020;
const LAST_TAG = 0xe007f;

const isRegional = (point: number | undefined) =>
  point !== undefined && point >= FIRST_REGIONAL && point <= LAST_REGIONAL;
const isTag = (point: number | undefined) => point !== undefined && point >= FIRST_TAG && point <= LAST_TAG;

/**
 * Where a symbol ends whose first character is from `from` to `to`. The two letters of a flag are one symbol, and so are a
 * flag and the tags after it, which name a region.
 */
export function symbolEnd(normal: string, from: number, to: number): number {
  if (isRegional(normal.codePointAt(from)))
    return isRegional(normal.codePointAt(to)) ? from + FLAG_LENGTH : to;
  let end = to;
  while (isTag(normal.codePointAt(end))) end += 2;
  return end;
}
