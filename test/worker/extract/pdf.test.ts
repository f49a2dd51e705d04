import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { extractPdf } from '../../../worker/extract/pdf.ts';
import { endProcesses } from '../../support/needs/process.ts';
import { cidFont, glyphFont, type PdfTextLine, pdfText, writePdf } from '../../support/pdf-writer.ts';
import { extracted, extractedInProcess, testFaults, testTexts } from './extraction.ts';

after(endProcesses);

/** Lines one below the other, as a paragraph has them. */
const lines = (top: number, ...texts: string[]): PdfTextLine[] =>
  texts.map((bytes, index) => ({ y: top - 15 * index, bytes: Buffer.from(bytes, 'latin1') }));

const page = (...texts: string[]) => writePdf({ pages: [lines(700, ...texts)] });
const withInfo = (info: string) => writePdf({ pages: [lines(700, 'x')], info });
/** A page with a text in a font that has this character map. */
const inFont = (cmap: string, collection: string, bytes: Buffer, ...tops: number[]) =>
  writePdf({
    pages: [[700, ...tops].map((y) => ({ y, font: 'C', bytes }))],
    fonts: { C: cidFont(cmap, collection) },
  });
/** A page with a text by the names of its glyphs. */
function byGlyphs(text: string): Uint8Array {
  const { font, bytes } = glyphFont(text);
  return writePdf({ pages: [[{ y: 700, font: 'G', bytes }]], fonts: { G: font } });
}
/** A PDF with some of its bytes replaced. */
function damaged(pdf: Buffer, ...changes: [from: string, to: string][]): Buffer {
  const text = changes.reduce((now, [from, to]) => now.replace(from, to), pdf.toString('latin1'));
  return Buffer.from(text, 'latin1');
}

describe('the pages of a PDF', () => {
  test('are numbered parts; a page without text leaves a gap in the numbers', async () => {
    const shares: number[] = [];
    const document = writePdf({ pages: [lines(700, 'one'), [], lines(700, 'three')] });
    const { parts } = await extractPdf(document, (share) => shares.push(share));
    assert.deepEqual(parts, [
      { text: 'one', place: { page: 1 } },
      { text: 'three', place: { page: 3 } },
    ]);
    assert.deepEqual(shares, [1 / 3, 2 / 3, 1]);
  });

  test('come with the day on which the document was last changed, or else made', async () => {
    const [made, changed] = ["/CreationDate (D:20240131235900-02'00')", '/ModDate (D:20250301120000Z)'];
    for (const [info, day] of [
      [`${made} ${changed}`, '2025-03-01'],
      [made, '2024-02-01'], // in UTC
      ['/ModDate (yesterday)', null],
      ['', null],
    ] as const) {
      assert.equal((await extracted(extractPdf, withInfo(info))).date, day, info);
    }
  });

  test('come with the title of the document if it is useful', async () => {
    const titles = { ' Größe und\n北京 ': 'Größe und 北京', '  ': null, untitled: null };
    for (const [given, title] of Object.entries({ ...titles, 'Microsoft Word - Brief.doc': null })) {
      assert.equal((await extracted(extractPdf, withInfo(`/Title ${pdfText(given)}`))).title, title);
    }
    assert.equal((await extracted(extractPdf, page('x'))).title, null);
  });
});

describe('the lines of a page', () => {
  const full = 'The pump is opened with the key that hangs beside it, and never by';
  const columns = [
    { y: 760, size: 20, bytes: 'Pumps' },
    ...lines(730, 'first', 'second'),
    ...lines(670, 'third'),
    ...lines(730, 'other column').map((line) => ({ ...line, x: 320 })),
  ];
  testTexts(extractPdf, {
    'are joined to paragraphs if they are full, and stay lines otherwise': [
      page(full, 'hand.', 'Monday 8-12', 'Friday 9-13'),
      `${full} hand.\nMonday 8-12\nFriday 9-13`,
    ],
    'stay lines if they are items of a list': [page(`- ${full}`, `- ${full}`), `- ${full}\n- ${full}`],
    'are separated at a gap and at another letter size; one beside another is read on its line': [
      writePdf({ pages: [columns] }),
      'Pumps\n\nfirst other column\nsecond\n\nthird',
    ],
    'lose the hyphen of a broken word': [page(`${full} infor-`, 'mation', '', 'x'), /by information/],
    'keep the hyphen of a compound word': [
      page(`${full} a well-`, 'known key', 'It is known well.'),
      /a well-known key/,
    ],
    'keep a hyphen before a capital letter': [page(`${full} of the Anna-`, 'Berta type'), /Anna- Berta/],
    'never begin a heading or code block that the page does not have': [
      page('# no', 'x', '---'),
      '\\# no\nx\n\\---',
    ],
  });
});

describe('other scripts in a PDF', () => {
  const peking = '北京大学是中国的一所大学历史悠久';
  const inCmap = (cmap: string, collection: string, hex: string) =>
    inFont(cmap, collection, Buffer.from(hex, 'hex'));
  testTexts(extractPdf, {
    'are read in UniGB-UCS2-H': [inCmap('UniGB-UCS2-H', 'GB1', '53174eac59275b66'), '北京大学'],
    'are read in GBK-EUC-H': [inCmap('GBK-EUC-H', 'GB1', 'c4e3bac3'), '你好'],
    'are read in ETen-B5-H': [inCmap('ETen-B5-H', 'CNS1', 'a7da'), '我'],
    'are read in 90ms-RKSJ-H': [inCmap('90ms-RKSJ-H', 'Japan1', '93fa967b8cea'), '日本語'],
    'are read in UniJIS-UTF16-H': [inCmap('UniJIS-UTF16-H', 'Japan1', '304b306a'), 'かな'],
    'are read in KSCms-UHC-H': [inCmap('KSCms-UHC-H', 'Korea1', 'c7d1b1b9beee'), '한국어'],
    'are read by glyph names': [byGlyphs('Привет नमस्ते Ελλάδα'), 'Привет नमस्ते Ελλάδα'],
    'are given in reading order if it is from right to left': [
      byGlyphs([...'שלום'].reverse().join('')),
      'שלום',
    ],
    'are joined without a space if the script has none': [
      inFont('UniGB-UCS2-H', 'GB1', Buffer.from(peking, 'utf16le').swap16(), 685),
      peking + peking,
    ],
  });
});

describe('an invalid PDF', () => {
  const secret = { pages: [lines(700, 'secret')] };
  // A question in the numbers of glyphs that TrueType fonts give to letters as a rule: a space is the third.
  const glyphs = (text: string) =>
    Buffer.concat([...text].map((letter) => Buffer.from([0, (letter.codePointAt(0) ?? 0) - 29])));
  const untold = (text: string, told: string) =>
    writePdf({
      pages: [[{ y: 700, font: 'C', bytes: glyphs(text) }, ...lines(600, told)]],
      fonts: { C: cidFont('Identity-H', 'Identity') },
    });
  const told = 'It hangs beside the door, and nobody has moved it since the spring.';
  testTexts(extractPdf, {
    'is read if it opens without a password': [writePdf({ ...secret, userPassword: '' }), 'secret'],
    'is read if only a few letters are unnamed': [untold(' ?', told), new RegExp(`${told}$`)],
  });

  testFaults(extractPdf, {
    'is refused if it opens only with a password': ['locked', [writePdf({ ...secret, userPassword: 'key' })]],
    'is refused with advice if its pages are pictures': [
      'no_text',
      [writePdf({ pages: [[], []] })],
      /text recognition/,
    ],
    'is refused with advice if its fonts do not name their letters': [
      'no_text',
      [untold('Who keeps the key of the pump house?', '')],
      /fonts.*OCR/,
    ],
    'is refused if it is something else, is truncated, or its pages contain each other': [
      'corrupt',
      [
        '',
        'no PDF',
        '<p>text',
        Buffer.alloc(1_000),
        page('text').subarray(0, 60),
        damaged(page('x'), ['/Kids [3 0 R]', '/Kids [2 0 R]']),
      ],
    ],
    'is refused if it has more pages than the limit': [
      'too_many_pages',
      [writePdf({ pages: [lines(700, 'x')], listed: 50_001 })],
    ],
  });

  test('is read, or refused with a reported fault, if its title is nested very deeply', async () => {
    const read = extracted(extractPdf, withInfo(`/Title ${'['.repeat(100_000)}`));
    await read.catch((error: unknown) => assert.match(String(error), /^FileFault/));
  });

  test('does not end the reading process through an unhandled error of the library', async (t) => {
    // The number of pages is lost, and the second page with it.
    const two = writePdf({ pages: [lines(700, 'one'), lines(700, 'two')] });
    const lost = damaged(two, [' /Count', 'objunt'], ['\n5 0 obj', 'obj5 0 obj']);
    const { parts, unread } = await extractedInProcess(t, 'application/pdf', lost);
    assert.deepEqual(parts, [{ text: 'one', place: { page: 1 } }]);
    assert.deepEqual(unread, [{ kind: 'page', names: [2], reason: 'damaged' }]);
  });
});
