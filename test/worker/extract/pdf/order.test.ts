import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import { testTexts } from '../extraction.ts';
import {
  at,
  type Drawn,
  lettersAt,
  linesAt,
  pageOf,
  readDrawn,
  rowsAt,
  widthOf,
  wordsAt,
} from './drawn-page.ts';

const PROSE = [
  'The heron nests in the reeds beside the lake and feeds on fish that it catches in the',
  'shallows at dawn, long before the first boats leave the pier, and it rests in the old',
  'alders by noon until the wind from the north turns and the boats come in.',
];
const PROSE_TEXT = PROSE.join(' ');
const HERONS = [
  'Herons nest in the reeds',
  'beside the lake, and they',
  'feed on fish that they',
  'catch at dawn.',
];
const WALRUSES = [
  'Walruses dive to the sea',
  'floor, where they find the',
  'mussels that they like',
  'to eat.',
];
const LYNXES = [
  'Lynxes hunt by night and',
  'sleep in hollow trees, so',
  'people hardly ever see',
  'one of them.',
];
const PARTS = [
  ['Part', 'Units', 'Price'],
  ['Seal', '12', '4.50'],
  ['Rotor blade', '3', '120.00'],
  ['Hose', '140', '2.25'],
];
const COUNTED = 'The parts of the pump are counted in May, and again in the autumn of each year.';
const byWord = (x: number, top: number, lines: readonly string[]) =>
  lines.flatMap((line, index) => wordsAt(x, top - 15 * index, line));

describe('the order of a page', () => {
  const page: Drawn[] = [
    ...wordsAt(50, 780, 'Animals of the lake', { size: 20 }),
    ...byWord(50, 740, PROSE),
    ...byWord(50, 670, HERONS),
    ...byWord(330, 670, WALRUSES),
    ...wordsAt(50, 590, COUNTED),
    ...rowsAt([50, 220, 330], 550, PARTS).flatMap(({ x = 0, y, bytes }) => wordsAt(x, y, String(bytes))),
  ];
  const text = [
    'Animals of the lake',
    PROSE_TEXT,
    HERONS.join('\n'),
    WALRUSES.join('\n'),
    COUNTED,
    '| Part | Units | Price |\n| - | - | - |\n| Seal | 12 | 4.50 |\n| Rotor blade | 3 | 120.00 |\n| Hose | 140 | 2.25 |',
  ].join('\n\n');

  test('is that of its places', async () => {
    assert.equal(await readDrawn(page), text);
  });

  test('does not depend on the order in which its words are drawn', async () => {
    const shuffled = fc.shuffledSubarray(page, { minLength: page.length });
    await fc.assert(
      fc.asyncProperty(shuffled, async (drawn) => assert.equal(await readDrawn(drawn), text)),
      { numRuns: 40 },
    );
  });
});

describe('columns of a page', () => {
  const sideBySide = (...columns: readonly (readonly string[])[]) =>
    columns.flatMap((lines, index) => linesAt(50 + index * 175, 700, lines)).sort((a, b) => b.y - a.y);
  const beside = (...columns: readonly (readonly string[])[]) =>
    columns.map((lines) => lines.join('\n')).join('\n\n');
  testTexts(extractPdf, {
    'are read one after the other if there are two': [
      pageOf(sideBySide(HERONS, WALRUSES)),
      beside(HERONS, WALRUSES),
    ],
    'are read one after the other if there are three': [
      pageOf(sideBySide(HERONS, WALRUSES, LYNXES)),
      beside(HERONS, WALRUSES, LYNXES),
    ],
    'end at a heading across them': [
      pageOf([
        ...linesAt(50, 700, HERONS),
        ...linesAt(330, 700, WALRUSES),
        at(50, 610, 'The second part, whose heading is across both of the columns', { size: 14 }),
        ...linesAt(50, 580, LYNXES),
        ...linesAt(330, 580, HERONS),
      ]),
      [
        beside(HERONS, WALRUSES),
        'The second part, whose heading is across both of the columns',
        beside(LYNXES, HERONS),
      ].join('\n\n'),
    ],
    'have the lines at the top of a column with the column, where the other begins lower': [
      pageOf([
        ...linesAt(50, 670, HERONS),
        ...linesAt(330, 700, ['First words', 'of a column.', ...WALRUSES]),
      ]),
      beside(HERONS, ['First words', 'of a column.', ...WALRUSES]),
    ],
    'can be a note beside the text': [
      pageOf([
        ...linesAt(50, 700, [...HERONS, ...LYNXES, ...WALRUSES]),
        ...linesAt(330, 693, ['Seen in', 'May 2024'], 10, { size: 8 }),
      ]),
      beside([...HERONS, ...LYNXES, ...WALRUSES], ['Seen in', 'May 2024']),
    ],
  });
});

/** A bullet that is drawn as a circle. */
function circle(x: number, y: number): string {
  const [r, c] = [2, 1.1];
  return (
    `0 g ${x - r} ${y} m ${x - r} ${y + c} ${x - c} ${y + r} ${x} ${y + r} c ` +
    `${x + c} ${y + r} ${x + r} ${y + c} ${x + r} ${y} c ` +
    `${x + r} ${y - c} ${x + c} ${y - r} ${x} ${y - r} c ` +
    `${x - c} ${y - r} ${x - r} ${y - c} ${x - r} ${y} c f`
  );
}

describe('lists and code of a page', () => {
  const steps = ['Open the gate with the key of the hut.', 'Close it.', 'Wait until the water is calm.'];
  testTexts(extractPdf, {
    'keep marks with their items, though a gap is between them': [
      pageOf([...linesAt(50, 700, ['1.', '2.', '3.']), ...linesAt(75, 700, steps)]),
      steps.map((step, index) => `${index + 1}. ${step}`).join('\n'),
    ],
    'keep marks with items of several lines': [
      pageOf([
        at(50, 700, '-'),
        at(50, 670, '-'),
        ...linesAt(75, 700, [...PROSE.slice(0, 2), ...PROSE.slice(0, 2)]),
      ]),
      `- ${PROSE.slice(0, 2).join(' ')}\n- ${PROSE.slice(0, 2).join(' ')}`,
    ],
    'have a bullet where a circle is drawn': [
      pageOf([...linesAt(75, 700, steps), ...[704, 689, 674].map((y) => circle(60, y))]),
      steps.map((step) => `• ${step}`).join('\n'),
    ],
    'keep the lines of code': [
      pageOf(
        linesAt(50, 700, ['if (gate.isOpen()) {', 'close(gate, slowly);', 'wait(10);', '}'], 13, {
          font: 'C',
        }),
      ),
      'if (gate.isOpen()) {\nclose(gate, slowly);\nwait(10);\n}',
    ],
  });
});

describe('paragraphs of a page', () => {
  testTexts(extractPdf, {
    'begin at an indented line': [
      pageOf([
        ...linesAt(50, 700, PROSE.slice(0, 2)),
        at(70, 670, 'Then the boats leave the pier, and the heron rests in the old alders beside the lake'),
        at(50, 655, 'alone, by noon.'),
      ]),
      `${PROSE.slice(0, 2).join(' ')}\nThen the boats leave the pier, and the heron rests in the old alders beside the lake alone, by noon.`,
    ],
    'join a broken word': [
      pageOf(linesAt(50, 700, [(PROSE[0] ?? '').replace(/the$/, 'infor-'), 'mation of the lake.'])),
      /in information of the lake\.$/,
    ],
    'join a word that was broken at the end of the line of a column, not with the other column': [
      pageOf([
        ...linesAt(50, 700, [
          'Herons nest in the reeds beside the lake',
          'and feed on fish, which the best swim-',
          'mers among them catch at dawn.',
        ]),
        ...linesAt(330, 700, [
          'Walruses dive to the floor of the sea,',
          'where they find the mussels that they',
          'like to eat.',
        ]),
      ]),
      /^Herons .* which the best swimmers among them catch at dawn\.\n\nWalruses/,
    ],
  });
});

describe('small and raised text', () => {
  const area = 'The area is 20 m';
  const next = 50 + widthOf(area) + 8;
  testTexts(extractPdf, {
    'stays with the word at which it is raised or lowered': [
      pageOf([
        at(50, 700, area),
        at(50 + widthOf(area), 704.5, '2', { size: 7 }),
        at(next, 700, 'and H'),
        at(next + widthOf('and H'), 698, '2', { size: 7 }),
        at(next + widthOf('and H') + 4, 700, 'O.'),
      ]),
      'The area is 20 m2 and H2O.',
    ],
  });
});

describe('turned text', () => {
  const turned = { 90: '0 1 -1 0 595 0', 180: '-1 0 0 -1 595 842', 270: '0 -1 1 0 0 842' };
  testTexts(extractPdf, {
    'is read after the text of the page': [
      pageOf([
        'BT /F1 12 Tf 0 1 -1 0 40 300 Tm (Draft of the) Tj ET',
        'BT /F1 12 Tf 0 1 -1 0 55 300 Tm (summer plan) Tj ET',
        ...linesAt(80, 700, PROSE),
      ]),
      `${PROSE_TEXT}\n\nDraft of the\nsummer plan`,
    ],
    'is read along its lines if it is slightly turned, as in a scan': [
      pageOf(['q 0.99939 0.0349 -0.0349 0.99939 0 0 cm', ...linesAt(50, 700, PROSE), 'Q']),
      PROSE_TEXT,
    ],
  });
  for (const [degrees, matrix] of Object.entries(turned)) {
    test(`is read along its lines on a page that is turned by ${degrees} degrees`, async () => {
      const pageEntries = `/Rotate ${degrees}`;
      const columns = [...linesAt(50, 500, HERONS), ...linesAt(330, 500, WALRUSES)];
      const text = `${HERONS.join('\n')}\n\n${WALRUSES.join('\n')}`;
      assert.equal(await readDrawn([`q ${matrix} cm`, ...columns, 'Q'], { pageEntries }), text);
      assert.equal(await readDrawn(columns, { pageEntries }), text);
    });
  }
});

describe('words of a page', () => {
  const sentence = 'The heron nests beside the lake.';
  testTexts(extractPdf, {
    'are divided by one space where there is a gap': [
      pageOf([at(50, 700, 'The  heron'), at(50 + widthOf('The  heron') + 6, 700, 'nests.')]),
      'The heron nests.',
    ],
    'are not divided where one piece goes on in the next': [
      pageOf([at(50, 700, 'The her'), at(50 + widthOf('The her'), 700, 'on nests.')]),
      'The heron nests.',
    ],
    'are found if each letter is drawn by itself': [pageOf(lettersAt(50, 700, sentence)), sentence],
    'are found if each letter is drawn by itself, from the last to the first': [
      pageOf(lettersAt(50, 700, sentence).reverse()),
      sentence,
    ],
    'are found if their letters are spaced out': [
      pageOf([...lettersAt(50, 700, 'The annual report', 3), ...linesAt(50, 670, PROSE)]),
      `The annual report\n\n${PROSE_TEXT}`,
    ],
    'are found if an operator spaces their letters out': [
      pageOf(['BT /F1 12 Tf 4 Tc 50 700 Td (The annual report) Tj ET']),
      'The annual report',
    ],
    'are left out if they are outside the page': [
      pageOf([at(50, 700, 'Seen'), at(700, 700, 'right'), at(50, -30, 'below'), at(50, 900, 'above')]),
      'Seen',
    ],
  });
});

describe('words of a page', () => {
  test('keep the space between them where capitals are spaced out', async () => {
    assert.equal(await readDrawn(lettersAt(50, 700, 'ANNUAL REPORT', 5)), 'ANNUAL REPORT');
  });

  test('are joined where a narrow column breaks them', async () => {
    const lines = ['Herons nest in the reeds', 'and feed on fish that swim-', 'mers do not see at all, so'];
    assert.match(await readDrawn(linesAt(50, 700, [...lines, 'they are seldom hungry.'])), /swimmers/);
  });
});

test('cards in two columns are read row by row, and a line over both columns between them', async () => {
  const card = (number: number, top: number, left: number) => [
    at(left, top, `Card ${number}`, { size: 14 }),
    ...linesAt(
      left,
      top - 18,
      [0, 1, 2].map((line) => `the words of card ${number} go on in line ${line} here`),
    ),
  ];
  const cards = (first: number, top: number) =>
    [0, 1, 2].flatMap((row) =>
      [0, 1].flatMap((column) => card(first + 2 * row + column, top - 90 * row, 50 + 270 * column)),
    );
  const across = 'A line of text that extends over both of the columns of cards on this page';
  const text = await readDrawn([...cards(1, 780), at(50, 520, across), ...cards(7, 480)]);
  const found = text.match(/Card \d+|A line of text/g);
  const numbers = (first: number) => Array.from({ length: 6 }, (_, index) => `Card ${first + index}`);
  assert.deepEqual(found, [...numbers(1), 'A line of text', ...numbers(7)]);
});

test('no word of a page is lost or read twice, whatever stands beside what', async () => {
  const row = fc.record({
    /** The words in each of three columns, or none over all of them. */
    cells: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 3, maxLength: 3 }),
    gap: fc.constantFrom(13, 13, 13, 25),
    size: fc.constantFrom(10, 10, 10, 14),
    across: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 25 }), async (rows) => {
      let [top, count] = [800, 0];
      const words = (length: number) => Array.from({ length }, () => `w${(count += 1)}z`).join(' ');
      const drawn = rows.flatMap(({ cells, gap, size, across }) => {
        top -= gap;
        if (across) return [at(40, top, words(8), { size })];
        return cells.flatMap((length, column) =>
          length === 0 ? [] : [at(40 + 175 * column, top, words(length), { size })],
        );
      });
      if (count === 0) return;
      const found = (await readDrawn(drawn)).match(/w\d+z/g) ?? [];
      assert.deepEqual(found.sort(), Array.from({ length: count }, (_, index) => `w${index + 1}z`).sort());
    }),
    { numRuns: 150 },
  );
});
