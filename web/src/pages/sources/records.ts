/** Rows that were read of a table, one after the other, or another text between them. */
export type Part = { text: string } | { columns: string[]; rows: Map<string, string>[] };

const LINE = /^([^:\n]{1,100}): (.*)$/;

/** A row as readers of spreadsheets store it: a line for each cell, with the name of its column. */
function rowOf(block: string): Map<string, string> | null {
  const cells = block.split('\n').map((line) => LINE.exec(line));
  const row = new Map(cells.map((cell) => [cell?.[1] ?? '', cell?.[2] ?? '']));
  return cells.includes(null) || row.size < cells.length ? null : row;
}

/** Finds the rows of tables in a text. */
export function recordsOf(text: string): Part[] {
  const parts: Part[] = [];
  for (const block of text.split('\n\n')) {
    const row = rowOf(block);
    const last = parts.at(-1);
    if (row === null) parts.push({ text: block });
    else if (last !== undefined && 'rows' in last) {
      last.rows.push(row);
      last.columns = [...new Set([...last.columns, ...row.keys()])];
    } else parts.push({ columns: [...row.keys()], rows: [row] });
  }
  return parts;
}
