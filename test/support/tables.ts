import assert from 'node:assert/strict';

/** A row of a table that a person can read, by the names of its columns. */
export type TableRow = Record<string, string>;

/**
 * Reads a table written in a test: a line of names, then lines of as many cells, between bars. Two columns
 * of one name, or a line of another length, are a mistake in the table.
 */
export function readTable(text: string): TableRow[] {
  const [names = [], ...lines] = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  assert.equal(new Set(names).size, names.length, `a column is named twice: ${names.join(', ')}`);
  return lines.map((cells) => {
    assert.equal(cells.length, names.length, `a line of another length: ${cells.join(' | ')}`);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? '']));
  });
}

/** Every combination of one value of each list, joined by commas and sorted: what a whole table has to name. */
export function everyOne(...lists: readonly (readonly string[])[]): string[] {
  return lists
    .reduce<string[][]>(
      (made, list) => made.flatMap((before) => list.map((value) => [...before, value])),
      [[]],
    )
    .map((values) => values.join())
    .sort();
}
