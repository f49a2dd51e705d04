import { cellWords, countsOf, countWords, wordsOf } from '../documents/words.ts';

/** A cell: its text, or several of which one is enough. `<` is covered by the cell before it, `^` by the cell above. */
export type Cell = string | readonly string[];

/** A table. Without labels it has no heading row. Of two heading rows, a label has the words of both. */
export interface ExpectedTable {
  labels: readonly Cell[];
  rows: readonly (readonly Cell[])[];
}

/** What a reader must find in a file. */
export interface Expected {
  texts: readonly string[];
  tables?: readonly ExpectedTable[];
  /** Words that can be there any number of times, such as headers of pages. */
  optional?: readonly string[];
  /** Whether ids of commits, and the dates of the day, can be there. */
  isHexFree?: boolean;
  /** Whether tags of XML can be stored, because the file is source text. */
  isMarkup?: boolean;
  /** The title of the document; null if it has none. Absent: not judged. */
  title?: string | null;
}

/** How a file was read: each figure with the number that it is a part of. */
export interface Verdict {
  words: number;
  missing: number;
  /** Words that are joined with another, or divided. */
  glued: number;
  /** Words that should not be there, or not so often. */
  extra: number;
  rows: number;
  /** Rows of tables whose cells have the right labels. */
  labelled: number;
  isTitleRight: boolean;
  /** Whether all is right, and of the words at most one of a hundred is missing and one of a hundred too many. */
  isRight: boolean;
  /** A few of the words that are missing, glued or too many, and rows that are wrong, to look at. */
  faults: string[];
}

const MAX_FAULTS = 12;
/** Ids of commits, modes, counts, times and the names of days. */
const HEX = /^(?:[\da-f.:+,@-]+|\d{4}-\d\d-\d\d|[A-Z][a-z]{2})$/;
const TOLERANCE = 0.01;

/** The words of a text without the targets of links, marks of notes and signs of formulas, which formats write in several ways. */
const plainWords = (text: string) =>
  wordsOf(
    text.replaceAll(/\]\((?!data:)[^()\s]*\)|\[\^?\w{1,3}\]:?|\\\w+(?=[{ ])|[=⋅·×{}[\]/]|↩\ufe0e?/gu, ' '),
  );

const key = (text: string) => plainWords(text).join(' ');

/** The texts that a cell can have. */
function textsOf(cells: readonly Cell[], above: readonly Cell[] | undefined, at: number): readonly string[] {
  const cell = cells[at] ?? '';
  if (cell === '<') return ['', ...textsOf(cells, above, at - 1)];
  if (cell === '^') return ['', ...(above === undefined ? [] : textsOf(above, undefined, at))];
  return typeof cell === 'string' ? [cell] : cell;
}

/** A Markdown table that was stored: its heading row and its other rows, each as the words of its cells. */
interface StoredTable {
  labels: readonly string[];
  rows: readonly (readonly string[])[];
}

const SEPARATOR = /^\|(?:\s*:?-+:?\s*\|)+$/;

function storedTables(lines: readonly string[]): StoredTable[] {
  const tables: StoredTable[] = [];
  lines.forEach((line, at) => {
    if (!SEPARATOR.test(line.trim())) return;
    const end = lines.findIndex((other, index) => index > at && !other.trim().startsWith('|'));
    const rows = lines.slice(at + 1, end < 0 ? lines.length : end).map(cellWords);
    tables.push({ labels: cellWords(lines[at - 1] ?? ''), rows });
  });
  return tables;
}

/** Whether a row is in a stored table, each cell below its label. Without labels, the heading row counts as a row. */
function isInTable({ labels, rows }: ExpectedTable, at: number, stored: StoredTable): boolean {
  const allowed = (rows[at] ?? []).map((_, x) => textsOf(rows[at] ?? [], rows[at - 1], x).map(key));
  const heads = labels.map((_, x) => textsOf(labels, undefined, x).map(key));
  if (!heads.every((texts, x) => texts.includes(stored.labels[x] ?? ''))) return false;
  const found = labels.length === 0 ? [stored.labels, ...stored.rows] : stored.rows;
  return found.some((cells) => {
    const last = cells.findLastIndex((cell) => cell !== '');
    return last < allowed.length && allowed.every((texts, x) => texts.includes(cells[x] ?? ''));
  });
}

/** The words of a row as a record `Label: cell`, for each way in which its cells can be written. */
function recordsOf({ labels, rows }: ExpectedTable, at: number): string[] {
  const cells = rows[at] ?? [];
  return cells.reduce<string[]>(
    (records, cell, x) => {
      if (cell === '<' || cell === '^') return records;
      const pieces = textsOf(cells, undefined, x).flatMap((text) =>
        key(text) === '' ? [''] : textsOf(labels, undefined, x).map((label) => `${key(label)} ${key(text)}`),
      );
      return pieces.flatMap((piece) => records.map((record) => `${record} ${piece.trim()}`.trim()));
    },
    [''],
  );
}

/** The rows that are not read with the right labels. */
function* wrongRows(tables: readonly ExpectedTable[], stored: string): Generator<readonly Cell[]> {
  const lines = stored.split('\n');
  const found = storedTables(lines);
  // A record is a block of lines, or for a table without labels one line. Letters of columns are no labels.
  const records = [...stored.split(/\n\s*\n/), ...lines].map((record) => {
    const unlettered = record.replaceAll(/^[A-Z]{1,2}: /gm, '');
    return ` ${key(unlettered)} `;
  });
  for (const table of tables) {
    for (const [at, row] of table.rows.entries()) {
      const asRecord = recordsOf(table, at).map((record) => ` ${record} `);
      const isRecord = records.some((record) => asRecord.some((words) => record.includes(words)));
      if (!isRecord && !found.some((other) => isInTable(table, at, other))) yield row;
    }
  }
}

const ownTexts = (cells: readonly Cell[]) =>
  cells.filter((cell): cell is string => typeof cell === 'string' && cell !== '<' && cell !== '^');

/** Judges what is stored of a file: its title, and its text. */
export function judge(expected: Expected, title: string | null, stored: string): Verdict {
  const { texts, tables = [], optional = [] } = expected;
  const labels = tables.flatMap((table) => ownTexts(table.labels));
  const cells = tables.flatMap(({ rows }) => rows.flatMap(ownTexts));
  const choices = tables.flatMap((table) =>
    [...table.labels, ...table.rows.flat()].filter((cell) => typeof cell !== 'string').flat(),
  );
  const due = plainWords([...texts, ...labels, ...cells].join('\n'));
  // The title can be the only place of its words.
  const read = expected.isMarkup === true ? stored.replaceAll(/<[^<>]*>/g, ' ') : stored;
  const found = plainWords(`${title ?? ''}\n${read}`);
  const free = new Set(plainWords([...labels, ...choices, ...optional, expected.title ?? ''].join('\n')));
  const counts = countWords(due, found);
  const [dueCounts, foundCounts] = [countsOf(due), countsOf(found)];
  const extra = [...countsOf(plainWords(read))].flatMap(([word, count]) => {
    // Formats have numbers and signs of one letter of their own, such as those of lists.
    const isCounted =
      !free.has(word) &&
      !(expected.isHexFree === true && HEX.test(word)) &&
      word.length > 1 &&
      !/^\d{1,2}$/.test(word);
    const more = isCounted ? count - (dueCounts.get(word) ?? 0) : 0;
    return more > 0 ? [{ word, more }] : [];
  });
  const lacking = [...dueCounts].filter(([word, count]) => (foundCounts.get(word) ?? 0) < count);
  const wrong = [...wrongRows(tables, stored)];
  const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
  const extraWords = extra.reduce((sum, { more }) => sum + more, 0);
  const isTitleRight = expected.title === undefined || key(expected.title ?? '') === key(title ?? '');
  const tolerated = due.length * TOLERANCE;
  return {
    words: due.length,
    missing: counts.missing,
    glued: counts.broken,
    extra: extraWords,
    rows,
    labelled: rows - wrong.length,
    isTitleRight,
    isRight:
      isTitleRight &&
      wrong.length === 0 &&
      counts.broken === 0 &&
      counts.missing <= tolerated &&
      extraWords <= tolerated,
    faults: [
      ...(isTitleRight ? [] : [`title ${title ?? 'none'}`]),
      ...wrong
        .slice(0, 3)
        .map((row) => `row ${row.map((cell) => (typeof cell === 'string' ? cell : cell[0])).join(', ')}`),
      ...lacking.slice(0, MAX_FAULTS).map(([word]) => `-${word}`),
      ...extra.slice(0, MAX_FAULTS).map(({ word }) => `+${word}`),
    ],
  };
}
