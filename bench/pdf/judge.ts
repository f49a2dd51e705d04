import type { Document, ExpectedBlock } from '../documents/documents.ts';
import { expectedBlocks } from '../documents/documents.ts';
import { cellsOf, countWords, wordsOf } from '../documents/words.ts';

/** What a reader must find in a PDF. */
export interface Expected {
  /** In reading order. A superscript is written `^1`. */
  blocks: readonly ExpectedBlock[];
  /** Headers and footers, which count once for the document and not in its order. */
  repeated: readonly string[];
}

/** How a text was read: each figure with the number that it is a part of. */
export interface Verdict {
  words: number;
  /** Words in reading order: the longest common subsequence. */
  ordered: number;
  rows: number;
  /** Rows whose words are in one line, with nothing between them. */
  whole: number;
  tableRows: number;
  /** Rows of tables whose cells are cells of a Markdown row. */
  separate: number;
  missing: number;
  /** Words that are joined with another, or divided. */
  broken: number;
  /** Words found more often than they are in the document. */
  twice: number;
}

/** What a reader must find in a PDF of a document. */
export const expectedOf = ({ blocks, header, footer }: Document): Expected => ({
  blocks: [...expectedBlocks(blocks)],
  repeated: [header, footer],
});

/** Counts the words of the longest common subsequence (Hunt and Szymanski, 1977). */
export function commonInOrder(expected: readonly string[], found: readonly string[]): number {
  const places = Map.groupBy(expected.keys(), (at) => expected[at] ?? '');
  /** The smallest end of a common subsequence, by its length. */
  const ends: number[] = [];
  for (const word of found) {
    for (const place of (places.get(word) ?? []).toReversed()) {
      let [low, high] = [0, ends.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((ends[middle] ?? 0) < place) low = middle + 1;
        else high = middle;
      }
      ends[low] = place;
    }
  }
  return ends.length;
}

const includesRun = (line: readonly string[], run: readonly string[]) =>
  line.some((_, at) => run.every((word, offset) => line[at + offset] === word));

/** Judges the stored text of a document. */
export function judge({ blocks, repeated }: Expected, stored: string): Verdict {
  const rows = blocks.flatMap((block) => ('rows' in block ? block.rows : []));
  const tableRows = blocks.flatMap((block) => ('rows' in block && block.lines !== true ? block.rows : []));
  const inOrder = blocks.flatMap((block) =>
    wordsOf('text' in block ? block.text : block.rows.map((row) => row.join(' ')).join('\n')),
  );
  const raised = new Set(
    JSON.stringify(blocks)
      .match(/[\p{L}\p{M}]+\^\d/gu)
      ?.map((word) => word.replace('^', '')),
  );
  const found = wordsOf(stored).flatMap((word) =>
    raised.has(word) ? [word.slice(0, -1), word.slice(-1)] : [word],
  );
  const lines = stored.split('\n');
  const wordLines = lines.map(wordsOf);
  const cellLines = new Set(lines.map(cellsOf).map((cells) => cells.join('\t')));
  const joined = (row: readonly string[]) => row.map((cell) => wordsOf(cell).join(' ')).join('\t');
  return {
    words: inOrder.length,
    ordered: commonInOrder(inOrder, found),
    rows: rows.length,
    whole: rows.filter((row) => wordLines.some((line) => includesRun(line, wordsOf(row.join(' '))))).length,
    tableRows: tableRows.length,
    separate: tableRows.filter((row) => cellLines.has(joined(row))).length,
    ...countWords([...inOrder, ...repeated.flatMap(wordsOf)], found),
  };
}
