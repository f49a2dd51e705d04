import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractCsv } from '../../../../worker/extract/csv.ts';
import { GridReader, type GridRecord } from '../../../../worker/extract/grid/grid-reader.ts';
import type { Cell } from '../../../../worker/extract/grid/grid-row.ts';
import { testTexts } from '../extraction.ts';

/** A table with bars between its cells, and the records that it becomes: the lines of each have bars between them. */
const row = (table: string, ...records: string[]): readonly [string, string] => [
  `sep=|\n${table}`,
  records.map((record) => record.replaceAll(' | ', '\n')).join('\n\n'),
];

const PEOPLE = 'Name|Phone\nAnn|6100\nBob|6200';
const PEOPLE_READ = ['Name: Ann | Phone: 6100', 'Name: Bob | Phone: 6200'];
const ROOMS = 'Room|Seats\nBlue|8\nRed|9';
const ROOMS_READ = ['Room: Blue | Seats: 8', 'Room: Red | Seats: 9'];

describe('the headings of columns', () => {
  testTexts(extractCsv, {
    'are not in the lines above the table': row(
      `Report of May|\nPrinted:|2024-05-03\n|\n${PEOPLE}`,
      'Report of May',
      'Printed: 2024-05-03',
      ...PEOPLE_READ,
    ),
    'are below the account data of a bank, also without an empty row between': row(
      'Account|Giro||\nHolder|Ann||\nNumber|4711||\nDate|Text|Kind|Amount\n2024-05-03|Salary|In|2500\n2024-05-04|Rent|Out|-80.5',
      'Account | Giro',
      'Holder | Ann',
      'Number | 4711',
      'Date: 2024-05-03 | Text: Salary | Kind: In | Amount: 2500',
      'Date: 2024-05-04 | Text: Rent | Kind: Out | Amount: -80.5',
    ),
    'are below pairs with empty rows between them': row(
      'Source|Indicators of the bank||\n||||\nLast update|2024-02-21||\n||||\nCountry|Code|Indicator|1960\nAruba|ABW|Population|54608\nAngola|AGO|Population|5357195',
      'Source: Indicators of the bank',
      'Last update: 2024-02-21',
      'Country: Aruba | Code: ABW | Indicator: Population | 1960: 54608',
      'Country: Angola | Code: AGO | Indicator: Population | 1960: 5357195',
    ),
    'are below a row of titles that has fewer cells': row(
      'Parts||For:||Branch:\nPos|No|Name|Price|Count\n1|P-1|Pump|4200|2\n2|P-2|Seal|12.5|9',
      'Parts | For: | Branch:',
      'Pos: 1 | No: P-1 | Name: Pump | Price: 4200 | Count: 2',
      'Pos: 2 | No: P-2 | Name: Seal | Price: 12.5 | Count: 9',
    ),
    'are missing if the first row has values like those below it': row(
      'Ann|6100|Kiel\nBob|6200|Bonn',
      'Ann | 6100 | Kiel',
      'Bob | 6200 | Bonn',
    ),
    'are missing if the first row lacks a value that the others have': row(
      'Ann||Kiel\nBob|6200|Bonn\nCid|6300|Ulm',
      'Ann | Kiel',
      'Bob | 6200 | Bonn',
      'Cid | 6300 | Ulm',
    ),
    'are missing above codes of one pattern, and above addresses': row(
      'P-100|ann@example.com\nP-101|bob@example.com',
      'P-100 | ann@example.com',
      'P-101 | bob@example.com',
    ),
    'are missing in a form: each name is before its value': row(
      'Project|North\nStart|2024-05-01\nBudget|5000',
      'Project | North',
      'Start | 2024-05-01',
      'Budget | 5000',
    ),
    'are the first row of a table of texts': row(
      'Name|City\nAnn|Kiel\nBob|Bonn',
      'Name: Ann | City: Kiel',
      'Name: Bob | City: Bonn',
    ),
    'are joined if they have two rows': row(
      'Region|Costs|||Income\n|Staff|Rent|Other|Fees\nNorth|1|2|3|4\nSouth|5|6|7|8',
      'Region: North | Costs Staff: 1 | Costs Rent: 2 | Costs Other: 3 | Income Fees: 4',
      'Region: South | Costs Staff: 5 | Costs Rent: 6 | Costs Other: 7 | Income Fees: 8',
    ),
    'are joined if they have three rows': row(
      'Region|2024|||\n|Q1||Q2|\n|Plan|Fact|Plan|Fact\nNorth|1|2|3|4\nSouth|5|6|7|8',
      'Region: North | 2024 Q1 Plan: 1 | 2024 Q1 Fact: 2 | 2024 Q2 Plan: 3 | 2024 Q2 Fact: 4',
      'Region: South | 2024 Q1 Plan: 5 | 2024 Q1 Fact: 6 | 2024 Q2 Plan: 7 | 2024 Q2 Fact: 8',
    ),
    'are joined with headings of parts below some of them': row(
      'Name|Address||Phone\n|Street|City|\nAnn|High|Kiel|6100\nBob|Low|Bonn|6200',
      'Name: Ann | Address Street: High | Address City: Kiel | Phone: 6100',
      'Name: Bob | Address Street: Low | Address City: Bonn | Phone: 6200',
    ),
    'are joined with the units below them': row(
      'Part|Length|Flow|Kind\n|mm|[l/min]|\nRing|4|0.2|Steel\nPump|40|12|Iron',
      'Part: Ring | Length mm: 4 | Flow [l/min]: 0.2 | Kind: Steel',
      'Part: Pump | Length mm: 40 | Flow [l/min]: 12 | Kind: Iron',
    ),
    'are not joined with a first row that has a text in place of a number': row(
      'Item|Price\nPump|on request\nRing|4.5\nSeal|3',
      'Item: Pump | Price: on request',
      'Item: Ring | Price: 4.5',
      'Item: Seal | Price: 3',
    ),
    'can be years, dates, or numbers in sequence': row(
      '|2022|2023\nRome|1.5|2.5\n|\n|\nCash|2024-01-31|2024-02-29\nBank|100|200\n|\n|\nName|1001|1002\nAnn|5|3',
      'Rome | 2022: 1.5 | 2023: 2.5',
      'Cash: Bank | 2024-01-31: 100 | 2024-02-29: 200',
      'Name: Ann | 1001: 5 | 1002: 3',
    ),
    'are those of a second table below an empty row': row(
      `${PEOPLE}\n|\n${ROOMS}`,
      ...PEOPLE_READ,
      ...ROOMS_READ,
    ),
    'are those of a second table of texts below two empty rows': row(
      `${PEOPLE}\n|\n|\nRoom|Owner\nBlue|Ann\nRed|Bob`,
      ...PEOPLE_READ,
      'Room: Blue | Owner: Ann',
      'Room: Red | Owner: Bob',
    ),
    'are those of a second table below its title': row(
      `Name|Phone|City\nAnn|6100|Kiel\nRooms\nRoom|Seats|Floor\nBlue|8|2\nRed|9|1`,
      'Name: Ann | Phone: 6100 | City: Kiel',
      'Name: Rooms',
      'Room: Blue | Seats: 8 | Floor: 2',
      'Room: Red | Seats: 9 | Floor: 1',
    ),
    'go on below an empty row': row(
      `${PEOPLE}\n|\nCid|6300\nDan|6400`,
      ...PEOPLE_READ,
      'Name: Cid | Phone: 6300',
      'Name: Dan | Phone: 6400',
    ),
    'can have an empty row below them': row(
      'Item|Owner\n|\nPump|Ann\nRing|Bob',
      'Item: Pump | Owner: Ann',
      'Item: Ring | Owner: Bob',
    ),
    'are not repeated if the file repeats them': row(
      `${PEOPLE}\nName|Phone\nCid|6300`,
      ...PEOPLE_READ,
      'Name: Cid | Phone: 6300',
    ),
    'are not those of notes below the table': row(
      `${PEOPLE}\n|\nAsk Ann for more numbers|`,
      ...PEOPLE_READ,
      'Ask Ann for more numbers',
    ),
    'are those of each table if two are side by side': row(
      'Name|Phone||Room|Seats\nAnn|6100||Blue|8\nBob|6200||Red|9\nCid|6300||||',
      'Name: Ann | Phone: 6100',
      'Room: Blue | Seats: 8',
      'Name: Bob | Phone: 6200',
      'Room: Red | Seats: 9',
      'Name: Cid | Phone: 6300',
    ),
    'are those of one table if empty columns divide it': row(
      'Part|Unit||Q1|Q2\nPump|pcs||1|2\nRing|pcs||3|4',
      'Part: Pump | Unit: pcs | Q1: 1 | Q2: 2',
      'Part: Ring | Unit: pcs | Q1: 3 | Q2: 4',
    ),
    'are stored once if every row below repeats them': [
      'Pump,Kiel\n\n\nPump,Kiel\n\n\nPump,Kiel',
      'Pump | Kiel',
    ],
    'are cut if they are very long, and stored once in full': [
      `${'x'.repeat(300)},Price\nPump,5\nRing,6`,
      `${'x'.repeat(300)} | Price\n\n${'x'.repeat(200)}: Pump\nPrice: 5\n\n${'x'.repeat(200)}: Ring\nPrice: 6`,
    ],
  });
});

const cellText = fc.constantFrom(
  '',
  '',
  'a',
  'Name',
  'City',
  '7',
  '4.5',
  '2024-05-01',
  'P-1',
  'x:',
  '-',
  '2023',
  'a b c d',
);
const grid = fc.array(
  fc.oneof(
    { arbitrary: fc.array(cellText, { minLength: 1, maxLength: 9 }), weight: 4 },
    // Rows that repeat each other, with empty ones between them.
    fc.constantFrom(['Name', 'City'], ['', ''], ['7', '4.5']),
  ),
  { maxLength: 60 },
);

/** What is made of rows of texts. */
function recordsOf(rows: readonly (readonly string[])[]): GridRecord[] {
  const records: GridRecord[] = [];
  const reader = new GridReader((record) => records.push(record));
  for (const [index, texts] of rows.entries()) {
    const cells: Cell[] = [];
    for (const [at, text] of texts.entries()) {
      if (text !== '') cells.push({ column: at + 1, text: `${text}`, kind: 'text' });
    }
    if (cells.length > 0) reader.add({ number: index + 1, cells, comments: [`comment ${index}`] });
  }
  reader.end();
  return records;
}

describe('the tables of a sheet', () => {
  test('have each cell as a cell or as a heading, whatever is in them, and each comment once', () => {
    fc.assert(
      fc.property(grid, (rows) => {
        const records = recordsOf(rows);
        const found = records.flatMap(({ cells, labels }) => [
          ...cells.map(({ text }) => text),
          ...(labels?.values() ?? []),
        ]);
        // The names in a form get a colon.
        const wordsOf = (texts: string[]) =>
          texts.flatMap((text) => text.split(' ').map((word) => word.replace(/:$/, '')));
        const words = new Set(wordsOf(found));
        for (const word of wordsOf(rows.flat())) assert.ok(word === '' || words.has(word), word);
        const filled = rows.flatMap((texts, index) =>
          texts.some((text) => text !== '') ? [`comment ${index}`] : [],
        );
        assert.deepEqual(records.flatMap(({ comments }) => comments).toSorted(), filled.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  test('are all read if one of two side by side can be a form', () => {
    const records = recordsOf([
      ['4.5', '4.6', '', 'City', 'Seats'],
      ['Name', 'Phone'],
      ['4.7', '', '', '2023'],
    ]);
    const texts = records.flatMap(({ cells }) => cells.map(({ text }) => text));
    assert.deepEqual(texts.toSorted(), ['2023', '4.5', '4.6', '4.7', 'City | Seats', 'Name | Phone']);
  });

  test('are found without keeping the rows: only the first rows below an empty one are compared', () => {
    let written = 0;
    const reader = new GridReader(() => {
      written += 1;
    });
    const cells = (...texts: string[]): Cell[] =>
      texts.map((text, index) => ({ column: index + 1, text, kind: 'text' }));
    reader.add({ number: 1, cells: cells('Name', 'Phone'), comments: [] });
    for (let number = 2; number <= 1_000; number++) {
      reader.add({ number, cells: cells('Ann', String(number)), comments: [] });
      assert.ok(number - 1 - written <= 40, 'has at most 40 rows in memory');
    }
  });

  test('are found in wide rows without keeping more than some of their cells', () => {
    let written = 0;
    const reader = new GridReader(() => {
      written += 1;
    });
    const wide = Array.from(
      { length: 16_384 },
      (_, at): Cell => ({ column: at + 1, text: '1', kind: 'number' }),
    );
    for (let number = 1; number <= 3; number++) reader.add({ number, cells: wide, comments: [] });
    assert.ok(written >= 2);
  });

  test('ignore merged cells after those that cover very many columns, each of which takes time', () => {
    const groupsAfter = (merged: number) => {
      const groups = new Set<string>();
      const reader = new GridReader(({ labels }) => groups.add([...(labels?.values() ?? [])].join(', ')));
      const add = (number: number, ...cells: Cell[]) => reader.add({ number, cells, comments: [] });
      const text = (column: number, value: string, span = 1): Cell => ({
        column,
        text: value,
        kind: 'text',
        span,
      });
      const number = (column: number, span = 1): Cell => ({ column, text: '1', kind: 'number', span });
      for (let row = 1; row <= merged; row++) add(3 * row, number(1, 16_384));
      const first = 3 * merged + 6;
      add(first, text(1, 'Name'), text(2, 'Pumps', 2));
      add(first + 1, text(2, 'sold'), text(3, 'sent'), text(4, 'Place'));
      for (let row = 2; row < 6; row++) add(first + row, text(1, `n${row}`), number(2), number(3), number(4));
      reader.end();
      return [...groups].at(-1);
    };
    assert.equal(groupsAfter(1), 'Name, Pumps sold, Pumps sent, Place');
    assert.notEqual(groupsAfter(130), 'Name, Pumps sold, Pumps sent, Place');
  });

  test('have no rows with more cells than any program has columns: they are written as they are', () => {
    const records: GridRecord[] = [];
    const reader = new GridReader((record) => records.push(record));
    const wide = Array.from(
      { length: 100_000 },
      (_, at): Cell => ({ column: at + 1, text: 'a', kind: 'text' }),
    );
    for (let number = 1; number <= 3; number++) reader.add({ number, cells: wide, comments: [] });
    assert.deepEqual(
      records.map(({ number, cells, labels }) => [number, cells.length, labels]),
      [1, 2, 3].map((number) => [number, 100_000, null]),
    );
  });
});
