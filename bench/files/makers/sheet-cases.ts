import { Draw } from '../../documents/draw.ts';
import type { Language } from '../../documents/languages.ts';
import type { Cell, Expected, ExpectedTable } from '../judge.ts';

/** The value of a cell of a sheet. A date is a day as `2024-05-03`. */
export type Value =
  | string
  | number
  | null
  | { value: string | number; format?: string; comment?: string }
  | { date: string; format?: string };

export interface Sheet {
  name: string;
  rows: readonly (readonly Value[])[];
  /** Rows in bold, from 0. */
  bold?: readonly number[];
  /** Areas as `A1:B1`. */
  merged?: readonly string[];
  hidden?: boolean;
  /** Whether the file also has a sheet that is a chart. */
  chart?: boolean;
  /** Whether all rows are a table with a heading row that the file names. */
  table?: boolean;
}

export interface Case {
  sheets: readonly Sheet[];
  expected: Expected;
  /** The programs that can write it; without it all. */
  only?: readonly string[];
}

const shown = (value: Value): Cell => {
  if (value === null) return '';
  if (typeof value !== 'object') return String(value);
  return 'date' in value ? value.date : String(value.value);
};

const tableOf = (labels: readonly Cell[], rows: readonly (readonly Value[])[]): ExpectedTable => ({
  labels,
  rows: rows.map((row) => row.map(shown)),
});

const LABELS = ['Part', 'Customer', 'Quantity', 'Price'];
const parts = (d: Draw, least = 5, most = 12): (string | number)[][] =>
  d.many(least, most, () => [d.code(), d.title(), 1 + d.below(90), (100 + d.below(9000)) / 100]);
const people = (d: Draw) => d.many(5, 9, () => [d.title(), 6000 + d.below(900), d.words(1)]);
const blank: readonly Value[] = [null];

/** A case whose sheet is only rows, and what it must be read as. */
const sheetOf = (
  rows: Sheet['rows'],
  tables: readonly ExpectedTable[],
  texts: string[] = [],
  more: Partial<Sheet> = {},
): Case => ({
  sheets: [{ name: 'Data', rows, ...more }],
  expected: { texts, tables, optional: ['Data'], title: null },
});

const withOptional = (words: string, { expected, ...given }: Case): Case => ({
  ...given,
  expected: { ...expected, optional: [...(expected.optional ?? []), words] },
});

/** Draws the sheets, the same for the same seed. */
export function sheetCases(seed: string): Readonly<Record<string, Case>> {
  const d = new Draw(seed);
  const rows = parts(d);
  const table = tableOf(LABELS, rows);
  const others = d.many(4, 7, () => [d.words(1), d.title(), 10 + d.below(80)]);
  const otherLabels = ['City', 'Manager', 'Floor'];
  const title = `${d.title()} ${d.title()}`;
  const note = d.sentence();
  const totals: Value[] = ['Total', null, rows.reduce((sum, row) => sum + Number(row[2]), 0), null];
  const quarters = d.many(4, 8, () => [d.words(1), ...d.many(4, 4, () => 100 + d.below(800))]);
  const years = d.many(4, 8, () => [d.words(1), ...d.many(3, 3, () => 10_000 + d.below(80_000))]);
  const units = d.many(4, 8, () => [
    d.title(),
    1 + d.below(90),
    10 + d.below(900),
    (100 + d.below(900)) / 10,
  ]);
  const language = (of: Language) => {
    const other = new Draw(`${seed}-${of}`, of);
    const head = other.many(4, 4, () => other.words(2));
    const body = other.many(5, 9, () => [
      other.words(1),
      other.words(2),
      1 + other.below(90),
      other.words(1),
    ]);
    return sheetOf([head, ...body], [tableOf(head, body)]);
  };
  const beside = Array.from({ length: Math.max(rows.length, others.length) + 1 }, (_, at): Value[] => [
    ...(at === 0 ? LABELS : (rows[at - 1] ?? [null, null, null, null])),
    null,
    ...(at === 0 ? otherLabels : (others[at - 1] ?? [null, null, null])),
  ]);
  const noHeading = people(d);
  const texts = d.many(6, 9, () => [d.title(), d.words(1), d.words(2)]);
  const weights = d.many(
    4,
    7,
    () => [d.title(), 1 + d.below(99), d.below(99), d.below(9000) + 0.5, 7 + d.below(99)] as const,
  );
  const days = d.many(4, 8, () => [`2024-0${1 + d.below(9)}-1${d.below(9)}`, d.title(), d.code()] as const);
  const noted = parts(d, 4, 6);
  return {
    plain: sheetOf([LABELS, ...rows], [table]),
    bold: sheetOf([LABELS, ...rows], [table], [], { bold: [0] }),
    'title-block': sheetOf(
      [[title], ['As of 3 May'], blank, LABELS, ...rows, blank, [note]],
      [table],
      [title, 'As of 3 May', note],
    ),
    'title-no-gap': sheetOf([[title], LABELS, ...rows], [table], [title], { merged: ['A1:D1'] }),
    'two-rows': sheetOf(
      [['Region', 'Spring', null, 'Autumn', null], [null, 'Plan', 'Actual', 'Plan', 'Actual'], ...quarters],
      [tableOf(['Region', 'Spring Plan', 'Spring Actual', 'Autumn Plan', 'Autumn Actual'], quarters)],
      [],
      { merged: ['A1:A2', 'B1:C1', 'D1:E1'], bold: [0, 1] },
    ),
    'two-rows-years': sheetOf(
      [['Region', 2024, null, 2025, null], [null, 'Q1', 'Q2', 'Q1', 'Q2'], ...quarters],
      [tableOf(['Region', '2024 Q1', '2024 Q2', '2025 Q1', '2025 Q2'], quarters)],
      [],
      { merged: ['B1:C1', 'D1:E1'] },
    ),
    'unit-row': sheetOf(
      [['Part', 'Weight', 'Length', 'Price'], [null, 'kg', 'mm', 'EUR'], ...units],
      [tableOf(['Part', ['Weight kg', 'Weight'], ['Length mm', 'Length'], ['Price EUR', 'Price']], units)],
      ['kg', 'mm', 'EUR'],
    ),
    below: sheetOf([LABELS, ...rows, blank, otherLabels, ...others], [table, tableOf(otherLabels, others)]),
    'below-with-titles': sheetOf(
      [[title], LABELS, ...rows, blank, [note], otherLabels, ...others],
      [table, tableOf(otherLabels, others)],
      [title, note],
    ),
    beside: sheetOf(beside, [table, tableOf(otherLabels, others)]),
    'no-heading': sheetOf(noHeading, [tableOf([], noHeading)]),
    years: sheetOf(
      [['City', 2021, 2022, 2023], ...years],
      [tableOf(['City', '2021', '2022', '2023'], years)],
    ),
    texts: sheetOf([['Name', 'City', 'Duty'], ...texts], [tableOf(['Name', 'City', 'Duty'], texts)]),
    total: sheetOf([LABELS, ...rows, totals], [tableOf(LABELS, [...rows, totals])]),
    'key-value': sheetOf(
      [
        ['Customer', 'Northwind Pumps'],
        ['Order', 'PO-4417'],
        ['Day', { date: '2024-05-03' }],
        blank,
        LABELS,
        ...rows,
      ],
      [table],
      ['Customer Northwind Pumps', 'Order PO-4417', 'Day 2024-05-03'],
    ),
    'empty-column': sheetOf(
      [['Part', 'Customer', 'Quantity', 'Price', 'Remark'], ...rows],
      [table],
      ['Remark'],
    ),
    gaps: sheetOf(
      [LABELS, ...rows.map((row, at) => row.map((cell, x) => (x === at % 4 && x > 0 ? null : cell)))],
      [
        tableOf(
          LABELS,
          rows.map((row, at) => row.map((cell, x) => (x === at % 4 && x > 0 ? null : cell))),
        ),
      ],
    ),
    groups: sheetOf(
      [LABELS, ['Northern plant'], ...rows, ['Southern plant'], ...noted],
      [tableOf(LABELS, [...rows, ...noted])],
      ['Northern plant', 'Southern plant'],
    ),
    formats: sheetOf(
      [
        ['Name', 'Share', 'Rate', 'Weight', 'Number'],
        ...weights.map(([name, share, rate, weight, number]): Value[] => [
          name,
          { value: share / 100, format: '0%' },
          { value: rate / 1000, format: '#,##0.0%' },
          { value: weight, format: '0.0" kg"' },
          { value: number, format: '00000' },
        ]),
      ],
      [
        {
          labels: ['Name', 'Share', 'Rate', 'Weight', 'Number'],
          rows: weights.map(([name, share, rate, weight, number]) => [
            name,
            `${share}%`,
            [`${(rate / 10).toFixed(1)}%`, `${rate / 10}%`],
            [`${weight.toFixed(1)} kg`, `${weight} kg`],
            String(number).padStart(5, '0'),
          ]),
        },
      ],
    ),
    days: sheetOf(
      [
        ['Day', 'Customer', 'Code'],
        ...days.map(([day, name, code]): Value[] => [{ date: day, format: 'dd.mm.yyyy' }, name, code]),
      ],
      [
        {
          labels: ['Day', 'Customer', 'Code'],
          rows: days.map(([day, name, code]) => [[day, day.split('-').toReversed().join('.')], name, code]),
        },
      ],
    ),
    sheets: {
      sheets: [
        { name: 'Orders', rows: [LABELS, ...rows] },
        { name: 'Cities', rows: [otherLabels, ...others], hidden: true },
      ],
      expected: {
        texts: [],
        tables: [table, tableOf(otherLabels, others)],
        optional: ['Orders Cities'],
        title: null,
      },
    },
    chart: { ...sheetOf([LABELS, ...rows], [table], [], { chart: true }), only: ['openpyxl', 'xlsxwriter'] },
    table: {
      ...sheetOf([['Name', 'City', 'Duty'], ...texts], [tableOf(['Name', 'City', 'Duty'], texts)], [], {
        table: true,
      }),
      only: ['xlsxwriter'],
    },
    comment: {
      ...withOptional(
        'Comment on A3 Ann',
        sheetOf(
          [
            LABELS,
            ...noted.map((row, at): Value[] =>
              at === 1 ? [{ value: String(row[0]), comment: 'Legal has to confirm' }, ...row.slice(1)] : row,
            ),
          ],
          [
            tableOf(
              LABELS,
              noted.filter((_, at) => at !== 1),
            ),
          ],
          ['Legal has to confirm', noted[1]?.join(' ') ?? ''],
        ),
      ),
      only: ['openpyxl', 'xlsxwriter'],
    },
    de: language('de'),
    ja: language('ja'),
    ar: language('ar'),
  };
}
