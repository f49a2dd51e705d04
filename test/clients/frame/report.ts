import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/root.ts';
import { COLUMNS, type Result, readResults } from './results.ts';

const PAGE = 'docs/operations/clients.md';
/** What the run writes follows this line. */
const MARK = '<!-- Written by npm run test:clients. -->';

const cell = (text: string) => text.replaceAll('|', String.raw`\|`);
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

/** A table of one kind of program, with a column for each thing that one of them can show. */
function tableOf(kind: string, results: readonly Result[]): string {
  const columns = COLUMNS.filter((column) => results.some((result) => result.column === column));
  const rows = [...Map.groupBy(results, ({ name }) => name)].map(([name, own]) => [
    name,
    own[0]?.versions.join(', ') ?? '',
    ...columns.map((column) => own.find((result) => result.column === column)?.value ?? '–'),
  ]);
  const head = ['Program', 'Version', ...columns.map((column) => column[0]?.toUpperCase() + column.slice(1))];
  const lines = [row(head), row(head.map(() => '---')), ...rows.map(row)];
  return [`## ${kind}`, '', ...lines, ''].join('\n');
}

/** Writes the results of a run below the words of the page. */
export function writeReport(file: string): void {
  const results = readResults(file);
  const path = join(ROOT, PAGE);
  const [words = ''] = readFileSync(path, 'utf8').split(MARK);
  const day = new Date().toISOString().slice(0, 10);
  const where = `Run on ${day}, with Node.js ${process.version.slice(1)} on Linux.`;
  const tables = [...Map.groupBy(results, ({ kind }) => kind)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const text = tables.map(([kind, own]) => tableOf(kind, own)).join('\n');
  writeFileSync(path, `${words}${MARK}\n\n${where}\n\n${text}`);
}
