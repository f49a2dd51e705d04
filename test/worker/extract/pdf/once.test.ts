import { describe } from 'node:test';
import { extractPdf } from '../../../../worker/extract/pdf.ts';
import type { PdfTextLine } from '../../../support/pdf-writer.ts';
import { testTexts } from '../extraction.ts';
import {
  at,
  type Drawn,
  inLayer,
  inMode,
  lettersAt,
  linesAt,
  pageOf,
  widthOf,
  wordsAt,
} from './drawn-page.ts';

const LINES = ['The heron nests in the reeds beside the lake.', 'It feeds on fish.'];
const [LINE = ''] = LINES;
const TEXT = LINES.join(' ');

/** Pieces that are drawn again a little to the right, each at once. */
const eachTwice = (pieces: readonly PdfTextLine[]): PdfTextLine[] =>
  pieces.flatMap((piece) => [piece, { ...piece, x: (piece.x ?? 0) + 0.4 }]);
/** Pieces that are drawn again a little to the right after all of them. */
const allTwice = (pieces: readonly PdfTextLine[]): PdfTextLine[] => [
  ...pieces,
  ...pieces.map((piece) => ({ ...piece, x: (piece.x ?? 0) + 0.4, y: piece.y + 0.2 })),
];

describe('a text that is drawn twice to look bold', () => {
  testTexts(extractPdf, {
    'is read once if each line is drawn twice': [pageOf(eachTwice([at(50, 700, LINE)])), LINE],
    'is read once if each word is drawn twice': [pageOf(eachTwice(wordsAt(50, 700, LINE))), LINE],
    'is read once if each letter is drawn twice': [pageOf(eachTwice(lettersAt(50, 700, LINE))), LINE],
    'is read once if a line of letters is drawn twice': [pageOf(allTwice(lettersAt(50, 700, LINE))), LINE],
    'is read once if the whole page is drawn twice': [pageOf(allTwice(linesAt(50, 700, LINES))), TEXT],
    'is read once if the whole page is drawn twice, in pieces and in lines': [
      pageOf([
        ...linesAt(50, 700, LINES),
        ...LINES.flatMap((line, index) => wordsAt(50.3, 700 - 15 * index, line)),
      ]),
      TEXT,
    ],
    'is read once if it is drawn whole and in two parts': [
      pageOf([at(50, 700, 'nests beside'), at(50 + widthOf('nes'), 700, 'ts'), at(50, 700, 'nes')]),
      'nests beside',
    ],
    'is read once if it is drawn three times': [
      pageOf([0, 0.3, 0.6].flatMap((step) => linesAt(50 + step, 700 + step, LINES))),
      TEXT,
    ],
    'keeps letters that are double': [
      pageOf(eachTwice(lettersAt(50, 700, 'All free lessons'))),
      'All free lessons',
    ],
  });
});

describe('a text that a page says twice', () => {
  testTexts(extractPdf, {
    'is kept within a line': [
      pageOf([at(50, 700, 'It had had that that year.')]),
      'It had had that that year.',
    ],
    'is kept in several lines': [pageOf(linesAt(50, 700, ['same', 'same', 'same'])), 'same\nsame\nsame'],
    'is kept beside itself': [
      pageOf([at(50, 700, 'same'), at(90, 700, 'same'), at(130, 700, 'same')]),
      'same same same',
    ],
  });
});

describe('the value of a form field', () => {
  const entries = '/Subtype /Widget /FT /Tx /T (name) /V (Ann Lee) /F 4 /Rect [100 700 300 720]';
  const annotations = [{ entries }];
  testTexts(extractPdf, {
    'is read beside the text of the page': [pageOf([at(50, 705, 'Name:')], { annotations }), 'Name: Ann Lee'],
    'is read once if the page draws it too': [
      pageOf([at(50, 705, 'Name:'), ...lettersAt(102, 705, 'Ann Lee')], { annotations }),
      'Name: Ann Lee',
    ],
    'is read though the page draws it at another place': [
      pageOf([at(50, 705, 'Name:'), at(50, 600, 'Ann Lee')], { annotations }),
      'Name: Ann Lee\n\nAnn Lee',
    ],
  });
});

describe('invisible text', () => {
  const recognized = ['The her0n nests in the reeds beslde the lake.', 'It feeds 0n fish.'];
  testTexts(extractPdf, {
    'is left out over visible text': [
      pageOf([...linesAt(50, 700, LINES), ...inMode(3, ...linesAt(50, 700, recognized))]),
      TEXT,
    ],
    'is left out below visible text that is drawn after it': [
      pageOf([...inMode(3, ...linesAt(51, 699, recognized)), ...linesAt(50, 700, LINES)]),
      TEXT,
    ],
    'is read if nothing is over it, as the text of a scan': [
      pageOf(['q 500 0 0 700 50 50 cm 0.5 g 0 0 1 1 re f Q', ...inMode(3, ...linesAt(50, 700, LINES))]),
      TEXT,
    ],
    'is read below a stamp on a scan': [
      pageOf([at(400, 800, 'Received 4 May', { size: 9 }), ...inMode(3, ...linesAt(50, 700, LINES))]),
      `Received 4 May\n\n${TEXT}`,
    ],
  });
});

describe('a layer of a document', () => {
  const drawn: Drawn[] = [
    at(50, 700, 'Always'),
    ...inLayer('Draft', at(50, 680, 'Draft'), ...inLayer('Final', at(50, 660, 'within'))),
    ...inLayer('Final', at(50, 640, 'Final'), '/Box Do'),
  ];
  const forms = { Box: 'BT /F1 12 Tf 50 620 Td (Form) Tj ET' };
  const read = (Draft: boolean, Final: boolean) => pageOf(drawn, { layers: { Draft, Final }, forms });
  testTexts(extractPdf, {
    'is read if it is shown, and left out with all that is within it if it is hidden': [
      read(false, true),
      /^Always\s+Final\s+Form$/,
    ],
    'is left out with the forms that it draws': [read(true, false), /^Always\s+Draft$/],
    'is read with all others if all are shown': [
      read(true, true),
      /^Always\s+Draft\s+within\s+Final\s+Form$/,
    ],
  });
});

describe('a text that is drawn as a whole and letter by letter', () => {
  testTexts(extractPdf, {
    'is read once': [
      pageOf([at(50, 700, 'The heron nests'), ...lettersAt(50, 700, 'The heron nests')]),
      'The heron nests',
    ],
  });
});
