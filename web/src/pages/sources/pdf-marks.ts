/** Letters and digits: what the page of a PDF and the text that was read of it have in common. */
const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** A shorter piece can be anywhere on the page. A Chinese, Japanese or Korean word has few letters. */
const isLong = (text: string) => text.length >= (/[\p{sc=Han}\p{sc=Kana}\p{sc=Hang}]/u.test(text) ? 3 : 6);

/**
 * Finds the pieces of a page that are in a passage.
 * @param pieces the texts of the page, in its order
 * @returns the indexes of pieces
 */
export function findMarks(pieces: readonly string[], passage: string): number[] {
  let page = '';
  const starts = pieces.map((piece) => {
    const start = page.length;
    page += plain(piece);
    return start;
  });
  const found = new Set<number>();
  for (const line of passage.split(/[\n|]|(?<=[.!?])\s/)) {
    const wanted = plain(line);
    const from = isLong(wanted) ? page.indexOf(wanted) : -1;
    if (from < 0) continue;
    for (const [index, start] of starts.entries()) {
      const end = starts[index + 1] ?? page.length;
      if (start < from + wanted.length && end > from && end > start) found.add(index);
    }
  }
  return [...found].sort((a, b) => a - b);
}
