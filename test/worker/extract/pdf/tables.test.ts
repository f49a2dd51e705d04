import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newId } from '../../../../shared/ids.ts';
import { fieldsNow } from '../../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../../worker/extract/document.ts';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { writePdf } from '../../../support/pdf-writer.ts';
import { extracted, testTexts } from '../extraction.ts';
import {
  at,
  BOLD,
  type Drawn,
  gridAt,
  linesAt,
  pageOf,
  readPages,
  rowsAt,
  rule,
  widthOf,
} from './drawn-page.ts';

const HEADING = ['Part', 'Place', 'Units', 'Price'];
const PARTS = [
  ['Seal', 'North hall', '12', '4.50'],
  ['Rotor', 'South hall', '3', '120.00'],
  ['Hose', 'Yard', '140', '2.25'],
];
const LEFTS = [60, 220, 330, 430];
/** The grid of a table of four rows whose text begins at these places. */
const GRID = gridAt([50, 210, 320, 420, 520], [715, 695, 675, 655, 635]);

const markdown = (heading: readonly string[], rows: readonly (readonly string[])[]) =>
  [heading, heading.map(() => '-'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
/** Rows without a heading. */
const plain = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(' ')).join('\n');
const twoColumns = (rows: readonly (readonly string[])[]) => rows.map((row) => row.slice(0, 2));
const TABLE = markdown(HEADING, PARTS);

describe('a table with rules', () => {
  const remarks = [
    ['Seal', 'Worn at the edge since\nthe spring flood'],
    ['Rotor', 'Turns, but is loud when\nthe pump is cold'],
    ['Hose', 'New'],
  ];
  testTexts(extractPdf, {
    'is read row by row': [pageOf([...GRID, ...rowsAt(LEFTS, 701, [HEADING, ...PARTS], 20)]), TABLE],
    'is read row by row if its cells are drawn column by column': [
      pageOf([
        ...rowsAt(LEFTS, 701, [HEADING, ...PARTS], 20).sort((a, b) => (b.x ?? 0) - (a.x ?? 0) || a.y - b.y),
        ...GRID,
      ]),
      TABLE,
    ],
    'is read if its rules are thin boxes': [
      pageOf([
        ...[50, 210, 320, 420, 520].map((x) => `${x} 635 0.5 80 re f`),
        ...[715, 695, 675, 655, 635].map((y) => `50 ${y} 470 0.5 re f`),
        ...rowsAt(LEFTS, 701, [HEADING, ...PARTS], 20),
      ]),
      TABLE,
    ],
    'is read if each of its cells is a box': [
      pageOf([
        ...[695, 675, 655, 635].flatMap((y) =>
          [50, 210, 320, 420].map((x, column) => `${x} ${y} ${[160, 110, 100, 100][column]} 20 re S`),
        ),
        ...rowsAt(LEFTS, 701, [HEADING, ...PARTS], 20),
      ]),
      TABLE,
    ],
    'joins the lines of a cell': [
      pageOf([
        ...gridAt([50, 210, 420], [715, 695, 660, 625, 600]),
        ...rowsAt(LEFTS, 701, [['Part', 'Remark']]),
        ...rowsAt(LEFTS, 680, remarks, 35),
      ]),
      markdown(
        ['Part', 'Remark'],
        remarks.map((row) => row.map((cell) => cell.replace('\n', ' '))),
      ),
    ],
    'has a row that is one cell': [
      pageOf([
        ...[50, 520].map((x) => rule(x, 635, x, 715)),
        ...[210, 320, 420].flatMap((x) => [rule(x, 695, x, 715), rule(x, 635, x, 675)]),
        ...[715, 695, 675, 655, 635].map((y) => rule(50, y, 520, y)),
        ...rowsAt(LEFTS, 701, [HEADING], 20),
        at(60, 681, 'Spare parts of the pump house'),
        ...rowsAt(LEFTS, 661, PARTS.slice(0, 2), 20),
      ]),
      markdown(HEADING, [['Spare parts of the pump house', '', '', ''], ...PARTS.slice(0, 2)]),
    ],
    'keeps empty cells': [
      pageOf([
        ...GRID,
        ...rowsAt(
          LEFTS,
          701,
          [HEADING, ['Seal', '', '12', ''], ['Rotor', 'South hall', '', '120.00'], ['', 'Yard', '', '2.25']],
          20,
        ),
      ]),
      markdown(HEADING, [
        ['Seal', '', '12', ''],
        ['Rotor', 'South hall', '', '120.00'],
        ['', 'Yard', '', '2.25'],
      ]),
    ],
    'stays between the lines above and below it': [
      pageOf([
        at(50, 760, 'The parts that are kept in the halls and the yard:'),
        ...GRID,
        ...rowsAt(LEFTS, 701, [HEADING, ...PARTS], 20),
        at(50, 600, 'They are counted in May.'),
      ]),
      `The parts that are kept in the halls and the yard:\n\n${TABLE}\n\nThey are counted in May.`,
    ],
  });
});

describe('a table with gaps', () => {
  const number = (x: number, y: number, text: string) => at(x - widthOf(text), y, text);
  const years = [
    ['Animal', '2021', '2022', '2023', '2024'],
    ['Herons', '12', '14', '9', '21'],
    ['Lynxes', '3', '2', '4', '5'],
    ['Tapirs', '120', '99', '87', '101'],
  ];
  testTexts(extractPdf, {
    'is read row by row, with a heading over columns of numbers': [
      pageOf(rowsAt(LEFTS, 701, [HEADING, ...PARTS], 20)),
      TABLE,
    ],
    'has a heading if that has a font of its own': [
      pageOf([
        ...rowsAt(LEFTS, 701, [['Part', 'Place']], 20, { font: 'B' }),
        ...rowsAt(LEFTS, 681, twoColumns(PARTS), 20),
      ]),
      markdown(['Part', 'Place'], twoColumns(PARTS)),
    ],
    'has a heading if a rule is below that': [
      pageOf([rule(50, 695, 400, 695), ...rowsAt(LEFTS, 701, twoColumns([HEADING, ...PARTS]), 20)]),
      markdown(['Part', 'Place'], twoColumns(PARTS)),
    ],
    'without any sign of a heading is rows': [
      pageOf(rowsAt(LEFTS, 701, twoColumns(PARTS), 20)),
      plain(twoColumns(PARTS)),
    ],
    'whose first row has numbers has no heading': [pageOf(rowsAt(LEFTS, 701, PARTS, 20)), plain(PARTS)],
    'joins the lines of a cell': [
      pageOf([
        ...rowsAt(LEFTS, 701, [['Part', 'Remark']], 20, { font: 'B' }),
        ...rowsAt(
          LEFTS,
          680,
          [
            ['Seal', 'Worn at the edge since\nthe spring flood'],
            ['Rotor', 'Turns, but is loud when\nthe pump is cold'],
          ],
          34,
        ),
      ]),
      markdown(
        ['Part', 'Remark'],
        [
          ['Seal', 'Worn at the edge since the spring flood'],
          ['Rotor', 'Turns, but is loud when the pump is cold'],
        ],
      ),
    ],
    'has a row that extends over its columns': [
      pageOf([
        ...rowsAt(LEFTS, 701, [HEADING], 20, { font: 'B' }),
        ...rowsAt(LEFTS, 681, PARTS.slice(0, 2), 20),
        at(60, 641, 'Spare parts of the pump house, in the yard'),
        ...rowsAt(LEFTS, 621, PARTS.slice(1), 20),
      ]),
      markdown(HEADING, [
        ...PARTS.slice(0, 2),
        ['Spare parts of the pump house, in the yard', '', '', ''],
        ...PARTS.slice(1),
      ]),
    ],
    'can have narrow columns of numbers at their right edges': [
      pageOf(
        years.flatMap((row, index) =>
          row.map((text, column) =>
            column === 0 ? at(60, 700 - 15 * index, text) : number(150 + 31 * column, 700 - 15 * index, text),
          ),
        ),
      ),
      plain(years),
    ],
  });
});

describe('a table of several pages', () => {
  const further = PARTS.map(([part, ...cells]) => [`${part} again`, ...cells]);
  const ruled = (...rows: readonly (readonly string[])[]): Drawn[] => [
    ...gridAt([50, 210, 320, 420, 520], [715, ...rows.map((_, index) => 695 - 20 * index)]),
    ...rowsAt(LEFTS, 701, rows, 20),
  ];
  const gapped = (...rows: readonly (readonly string[])[]): Drawn[] => rowsAt(LEFTS, 701, rows, 20);

  for (const [how, draw] of Object.entries({ rules: ruled, gaps: gapped })) {
    test(`with ${how} has its heading on each page`, async () => {
      const expected = [TABLE, markdown(HEADING, further), markdown(HEADING, PARTS)];
      const pages = [draw(HEADING, ...PARTS), draw(...further), draw(...PARTS)];
      assert.deepEqual(await readPages(pages), expected);
    });

    test(`with ${how} has its heading once on each page if the pages repeat it`, async () => {
      const pages = [draw(HEADING, ...PARTS), draw(HEADING, ...further)];
      assert.deepEqual(await readPages(pages), [TABLE, markdown(HEADING, further)]);
    });
  }

  test('gives no heading to a table with other columns', async () => {
    const other = rowsAt([60, 400], 701, twoColumns(PARTS), 20);
    assert.deepEqual(await readPages([gapped(HEADING, ...PARTS), other]), [TABLE, plain(twoColumns(PARTS))]);
  });

  test('gives no heading to a table below other text', async () => {
    const pages = [
      ruled(HEADING, ...PARTS),
      [...linesAt(50, 740, ['In the other house:']), ...gapped(...PARTS)],
    ];
    const [, text] = await readPages(pages);
    assert.equal(text, `In the other house:\n\n${plain(PARTS)}`);
  });

  test('has its heading at the beginning of each passage, which has the number of its page', async () => {
    const remark = 'turns, but is loud when the pump is cold and the gate is open';
    const page = (number: number) =>
      Array.from({ length: 60 }, (_, index) => [`Part ${number}-${index}`, remark, `${index}`, '4.50']);
    const rows = (top: number, cells: readonly (readonly string[])[], font = 'F1') =>
      rowsAt([50, 120, 440, 500], top, cells, 12, { size: 9, font });
    const content = writePdf({
      pages: [
        [...rows(800, [['Part', 'Remark', 'Units', 'Price']], 'B'), ...rows(788, page(1))],
        rows(788, page(2)),
      ],
      fonts: { B: BOLD },
    });
    const { chunks } = prepareDocument(await extracted(extractPdf, content), newId(), fieldsNow('x'), 'off');
    const pages = chunks.map(({ place }) => place.page);
    assert.ok(pages.filter((page) => page === 1).length > 1, 'the table of a page is cut');
    assert.deepEqual(new Set(pages), new Set([1, 2]));
    for (const { text } of chunks)
      assert.match(text, /^\| Part \| Remark \| Units \| Price \|\n(?:\| - ){4}\|\n\| Part \d/);
    const found = chunks.flatMap(({ text }) => text.match(/Part \d-\d+/g) ?? []);
    assert.deepEqual(
      found,
      [...page(1), ...page(2)].map(([part]) => part),
    );
  });
});

test('a table of texts goes on with its heading row, and its next row is none', async () => {
  const rows = (page: number) =>
    Array.from({ length: 8 }, (_, row) => [`Part ${page}-${row}`, 'loud when cold', `${row}`]);
  const lefts = [50, 180, 400];
  const heading = rowsAt(lefts, 800, [['Part', 'Remark', 'Units']], 12, { font: 'B' });
  const [, second] = await readPages([
    [...heading, ...rowsAt(lefts, 784, rows(1))],
    rowsAt(lefts, 784, rows(2)),
  ]);
  assert.match(second ?? '', /^\| Part \| Remark \| Units \|\n\| - \| - \| - \|\n\| Part 2-0 \|/);
});
