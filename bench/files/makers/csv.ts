import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Draw } from '../../documents/draw.ts';
import { convertOffice, execute, write } from '../../support/programs.ts';
import type { Expected } from '../judge.ts';
import type { Made, Maker } from '../samples.ts';
import { PYTHON, runScript } from './scripts.ts';

/** A file of tables.py. */
interface Job {
  name: string;
  extension?: string;
  rows: readonly (readonly string[])[];
  before?: string;
  options?: Readonly<Record<string, unknown>>;
  encoding?: string;
  expected: Expected;
}

const LABELS = ['Part', 'Customer', 'Quantity', 'Price'];

/** Files that Python's module csv writes. */
function jobs(): Job[] {
  const d = new Draw('csv');
  const parts = () => d.many(5, 12, () => [d.code(), d.title(), d.amount(), d.money()]);
  const table = (rows: string[][], texts: string[] = [], labels = LABELS): Expected => ({
    texts,
    tables: [{ labels, rows }],
    title: null,
  });
  const simple = (name: string, more: Partial<Job> = {}): Job => {
    const rows = parts();
    return { name, rows: [LABELS, ...rows], expected: table(rows), ...more };
  };
  const preamble = (name: string, lines: string[][], after: string[][], options: Job['options']): Job => {
    const rows = parts();
    const texts = [...lines, ...after].map((line) => line.join(' '));
    return {
      name,
      rows: [...lines, LABELS, ...rows, ...after],
      options: options ?? {},
      expected: table(rows, texts),
    };
  };
  const pad = (text: string) => [text, '', '', ''];
  const people = d.many(4, 8, () => [d.title(), String(6000 + d.below(900)), d.words(1)]);
  const names = d.many(5, 8, () => [d.title(), d.words(1), d.words(2)]);
  const years = d.many(4, 8, () => [d.words(1), d.amount(), d.amount(), d.amount()]);
  const first = parts();
  const second = d.many(4, 6, () => [d.words(1), d.title(), d.amount()]);
  const broken = d.many(4, 6, () => [d.code(), `${d.title()}\n${d.title()}`, d.amount()]);
  const wide = d.many(4, 8, () => d.many(14, 14, () => d.words(1)));
  const wideLabels = Array.from({ length: 14 }, (_, at) => `Field ${String.fromCodePoint(65 + at)}`);
  const quoted = d.many(4, 6, () => [
    `${d.words(2)}, ${d.words(1)}`,
    `the "${d.words(1)}" valve`,
    d.amount(),
  ]);
  return [
    simple('plain'),
    simple('semicolon', { options: { delimiter: ';' } }),
    simple('tab', { extension: 'tsv', options: { delimiter: '\t' } }),
    simple('tab-as-csv', { options: { delimiter: '\t' } }),
    simple('bar', { options: { delimiter: '|' } }),
    simple('all-quoted', { options: { quoting: 1 } }),
    simple('declared', { before: 'sep=;\r\n', options: { delimiter: ';' } }),
    simple('old-lines', { options: { lineterminator: '\r' } }),
    simple('marked', { encoding: 'utf-8-sig' }),
    simple('utf-16', { encoding: 'utf-16' }),
    preamble(
      'bank',
      [
        ['Account', 'DE89 3704 0044 0532 0130 00'],
        ['Owner', 'Northwind Pumps'],
        ['Period', '01.05.2024 - 31.05.2024'],
        ['Balance', '4,200.00 EUR'],
        [],
      ],
      [],
      { delimiter: ';' },
    ),
    preamble('padded', [pad('Report of May 2024'), pad('')], [pad('')], { delimiter: ';' }),
    preamble('title', [['Parts in stock of Kiel']], [], {}),
    preamble('notes', [], [[], ['Prices without tax, checked by Ann Miller']], {}),
    preamble('commented', [['# exported by the warehouse system'], ['# version 4417']], [], {}),
    { name: 'no-heading', rows: people, expected: table(people, [], []) },
    {
      name: 'names',
      rows: [['Name', 'City', 'Duty'], ...names],
      expected: table(names, [], ['Name', 'City', 'Duty']),
    },
    {
      name: 'years',
      rows: [['City', '2021', '2022', '2023'], ...years],
      expected: table(years, [], ['City', '2021', '2022', '2023']),
    },
    {
      name: 'two-tables',
      rows: [LABELS, ...first, [], ['City', 'Manager', 'Floor'], ...second],
      expected: {
        texts: [],
        title: null,
        tables: [
          { labels: LABELS, rows: first },
          { labels: ['City', 'Manager', 'Floor'], rows: second },
        ],
      },
    },
    {
      name: 'line-breaks',
      rows: [['Part', 'Note', 'Quantity'], ...broken],
      expected: table(broken, [], ['Part', 'Note', 'Quantity']),
    },
    { name: 'wide', rows: [wideLabels, ...wide], expected: table(wide, [], wideLabels) },
    {
      name: 'quotes',
      rows: [['Item', 'Note', 'Quantity'], ...quoted],
      expected: table(quoted, [], ['Item', 'Note', 'Quantity']),
    },
    {
      name: 'remark',
      rows: [[...LABELS, 'Remark'], ...first.map((row) => [...row, ''])],
      expected: table(first, ['Remark']),
    },
    {
      name: 'total',
      rows: [LABELS, ...first, ['Total', '', '90', '4,417.00']],
      expected: table([...first, ['Total', '', '90', '4,417.00']]),
    },
  ];
}

export const pythonCsv: Maker = {
  commands: [PYTHON],
  packages: 'python3',
  make: async (work) => {
    const all = jobs().map((job) => ({
      ...job,
      options: job.options ?? {},
      path: join(work, `${job.name}.${job.extension ?? 'csv'}`),
    }));
    await runScript('tables.py', all);
    return all.map(({ name, path, expected }) => ({ kind: 'csv', name, path, expected }));
  },
};

/** LibreOffice's filter for CSV: the delimiter, the quotation mark and the encoding, by their numbers. */
const CALC_FILTERS: Readonly<Record<string, string>> = {
  'semicolon-windows': '59,34,1',
  'tab-utf-16': '9,34,65535',
  comma: '44,34,76',
  'all-quoted': '44,34,76,1,,0,true',
};

/** Calc, Gnumeric and SQLite. */
export const csvPrograms: Maker = {
  commands: ['soffice', 'ssconvert', 'sqlite3'],
  packages: 'libreoffice-calc gnumeric sqlite3',
  make: async (work) => {
    const d = new Draw('csv-programs', 'de');
    const labels = ['Teil', 'Kunde', 'Menge', 'Größe'];
    const rows = d.many(6, 12, () => [d.code(), d.title(), d.amount(), d.words(1)]);
    const expected: Expected = { texts: [], tables: [{ labels, rows }], title: null };
    const source = await write(
      join(work, 'source.csv'),
      [labels, ...rows].map((row) => row.join(',')).join('\n'),
    );
    const made: Made[] = [];
    const keep = async (name: string, from: string, extension = 'csv') => {
      const path = join(work, `${name}.${extension}`);
      await rename(from, path);
      made.push({ kind: 'csv', name, path, expected });
    };
    const sheet = join(work, 'source.ods');
    await execute('ssconvert', [source, sheet]);
    for (const [name, filter] of Object.entries(CALC_FILTERS)) {
      await write(source, '');
      await convertOffice([sheet], `csv:Text - txt - csv (StarCalc):${filter}`, work);
      await keep(`calc-${name}`, source);
    }
    await execute('ssconvert', [
      '-O',
      'separator=; charset=WINDOWS-1252',
      '-T',
      'Gnumeric_stf:stf_assistant',
      sheet,
      join(work, 'gnumeric.txt'),
    ]);
    await keep('gnumeric-windows', join(work, 'gnumeric.txt'));
    const inserts = rows.map((row) => `insert into t values (${row.map((cell) => `'${cell}'`).join(', ')});`);
    const create = `create table t (${labels.map((label) => `"${label}" text`).join(', ')});`;
    for (const [name, mode] of [
      ['csv', 'csv'],
      ['tabs', 'tabs'],
      ['list', 'list'],
    ] as const) {
      const select = `${create} ${inserts.join(' ')} select * from t;`;
      const { stdout } = await execute('sqlite3', ['-header', `-${mode}`, ':memory:', select]);
      await keep(`sqlite-${name}`, await write(join(work, 'sqlite'), stdout));
    }
    return made;
  },
};
