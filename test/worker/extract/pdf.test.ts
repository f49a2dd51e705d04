import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { importMediaType } from '../../../shared/formats/media-types.ts';
import { extractPdf } from '../../../worker/extract/pdf.ts';
import { endProcesses, startMain } from '../../support/needs/process.ts';
import { cidFont, glyphFont, type PdfTextLine, pdfText, writePdf } from '../../support/pdf-writer.ts';
import { extracted, extractedInProcess, faultOf, textOf } from './extraction.ts';

after(endProcesses);

/** Lines one below the other, as a paragraph has them. */
const lines = (top: number, ...texts: string[]): PdfTextLine[] =>
  texts.map((bytes, index) => ({ y: top - 15 * index, bytes: Buffer.from(bytes, 'latin1') }));

const page = (...texts: string[]) => writePdf({ pages: [lines(700, ...texts)] });

describe('the pages of a PDF', () => {
  test('are numbered parts; a page without text leaves a gap in the numbers', async () => {
    const shares: number[] = [];
    const { parts } = await extractPdf(
      writePdf({ pages: [lines(700, 'one'), [], lines(700, 'three')] }),
      (share) => shares.push(share),
    );
    assert.deepEqual(parts, [
      { text: 'one', place: { page: 1 } },
      { text: 'three', place: { page: 3 } },
    ]);
    assert.deepEqual(shares, [1 / 3, 2 / 3, 1]);
  });

  test('come with the day on which the document was last changed, or else made', async () => {
    const dayOf = async (info: string) =>
      (await extracted(extractPdf, writePdf({ pages: [lines(700, 'x')], info }))).date;
    const [made, changed] = ["/CreationDate (D:20240131235900-02'00')", '/ModDate (D:20250301120000Z)'];
    assert.equal(await dayOf(`${made} ${changed}`), '2025-03-01');
    assert.equal(await dayOf(made), '2024-02-01', 'in UTC');
    for (const useless of ['/ModDate (yesterday)', '']) {
      assert.equal(await dayOf(useless), null, useless);
    }
  });

  test('come with the title of the document if it is useful', async () => {
    const titleOf = async (title: string) =>
      (await extracted(extractPdf, writePdf({ pages: [lines(700, 'x')], info: `/Title ${pdfText(title)}` })))
        .title;
    assert.equal(await titleOf(' Größe und\n北京 '), 'Größe und 北京');
    for (const useless of ['  ', 'untitled', 'Microsoft Word - Brief.doc'])
      assert.equal(await titleOf(useless), null);
    assert.equal((await extracted(extractPdf, page('x'))).title, null);
  });

  test('are read in a process without permissions, with the encodings that it finds', async (t) => {
    const document = writePdf({
      pages: [[{ y: 700, font: 'C', bytes: Buffer.from('c4e3bac3', 'hex') }]],
      fonts: { C: cidFont('GBK-EUC-H', 'GB1') },
    });
    const { parts } = await extractedInProcess(t, 'application/pdf', document);
    assert.deepEqual(parts, [{ text: '你好', place: { page: 1 } }]);
    assert.equal(importMediaType('Bericht.PDF', undefined, false), 'application/pdf');
    assert.equal(importMediaType('Bericht', 'application/x-pdf', false), 'application/pdf');
  });
});

describe('the lines of a page', () => {
  const full = 'The pump is opened with the key that hangs beside it, and never by';

  test('are joined to paragraphs if they are full, and stay lines otherwise', async () => {
    assert.equal(
      await textOf(extractPdf, page(full, 'hand.', 'Monday 8-12', 'Friday 9-13')),
      `${full} hand.\nMonday 8-12\nFriday 9-13`,
    );
    assert.equal(await textOf(extractPdf, page(`- ${full}`, `- ${full}`)), `- ${full}\n- ${full}`);
  });

  test('are separated at a gap, at another letter size and at the end of a column', async () => {
    const text = await textOf(
      extractPdf,
      writePdf({
        pages: [
          [
            { y: 760, size: 20, bytes: 'Pumps' },
            ...lines(730, 'first', 'second'),
            ...lines(670, 'third'),
            ...lines(730, 'other column').map((line) => ({ ...line, x: 320 })),
          ],
        ],
      }),
    );
    assert.equal(text, 'Pumps\n\nfirst\nsecond\n\nthird\n\nother column');
  });

  test('lose the hyphen of a broken word, and keep the hyphen of a compound word', async () => {
    const broken = await textOf(extractPdf, page(`${full} infor-`, 'mation', '', 'x'));
    assert.match(broken, /by information/);
    const compound = await textOf(extractPdf, page(`${full} a well-`, 'known key', 'It is known well.'));
    assert.match(compound, /a well-known key/);
    const range = await textOf(extractPdf, page(`${full} of the Anna-`, 'Berta type'));
    assert.match(range, /Anna- Berta/);
  });

  test('are joined whatever their number', { timeout: 60_000 }, async () => {
    const joining = startMain('test/worker/extract/long-paragraph.ts');
    assert.equal(await joining.exited, 0, joining.stderr.join('\n'));
  });

  test('never begin a heading or code block that the page does not have', async () => {
    assert.equal(await textOf(extractPdf, page('# no', 'x', '---')), '\\# no\nx\n\\---');
  });
});

describe('other scripts in a PDF', () => {
  test('are read in the Chinese, Japanese and Korean encodings that readers must know', async () => {
    const cases: [cmap: string, collection: string, hex: string, text: string][] = [
      ['UniGB-UCS2-H', 'GB1', '53174eac59275b66', '北京大学'],
      ['GBK-EUC-H', 'GB1', 'c4e3bac3', '你好'],
      ['ETen-B5-H', 'CNS1', 'a7da', '我'],
      ['90ms-RKSJ-H', 'Japan1', '93fa967b8cea', '日本語'],
      ['UniJIS-UTF16-H', 'Japan1', '304b306a', 'かな'],
      ['KSCms-UHC-H', 'Korea1', 'c7d1b1b9beee', '한국어'],
    ];
    for (const [cmap, collection, hex, text] of cases) {
      const document = writePdf({
        pages: [[{ y: 700, font: 'C', bytes: Buffer.from(hex, 'hex') }]],
        fonts: { C: cidFont(cmap, collection) },
      });
      assert.equal(await textOf(extractPdf, document), text, cmap);
    }
  });

  test('are read by glyph names, and right-to-left text is given in reading order', async () => {
    for (const text of ['Привет', 'नमस्ते', 'Ελλάδα']) {
      const { font, bytes } = glyphFont(text);
      const document = writePdf({ pages: [[{ y: 700, font: 'G', bytes }]], fonts: { G: font } });
      assert.equal(await textOf(extractPdf, document), text);
    }
    const { font, bytes } = glyphFont([...'שלום'].reverse().join(''));
    const document = writePdf({ pages: [[{ y: 700, font: 'G', bytes }]], fonts: { G: font } });
    assert.equal(await textOf(extractPdf, document), 'שלום');
  });

  test('are joined without a space if the script has none', async () => {
    const text = '北京大学是中国的一所大学历史悠久';
    const bytes = Buffer.from(text, 'utf16le').swap16();
    const document = writePdf({
      pages: [[700, 685].map((y) => ({ y, font: 'C', bytes }))],
      fonts: { C: cidFont('UniGB-UCS2-H', 'GB1') },
    });
    assert.equal(await textOf(extractPdf, document), text + text);
  });
});

describe('an invalid PDF', () => {
  test('is refused if it opens only with a password, and read if it opens without one', async () => {
    const plan = { pages: [lines(700, 'secret')] };
    assert.equal((await faultOf(extractPdf, writePdf({ ...plan, userPassword: 'key' }))).code, 'locked');
    assert.equal(await textOf(extractPdf, writePdf({ ...plan, userPassword: '' })), 'secret');
  });

  test('is refused with advice if its pages are pictures', async () => {
    const fault = await faultOf(extractPdf, writePdf({ pages: [[], []] }));
    assert.equal(fault.code, 'no_text');
    assert.match(fault.message, /text recognition/);
  });

  test('is refused if its fonts do not name their letters, and read if only a few are unnamed', async () => {
    // A question in the numbers of glyphs that TrueType fonts give to letters as a rule: a space is the third.
    const glyphs = (text: string) =>
      Buffer.concat([...text].map((letter) => Buffer.from([0, (letter.codePointAt(0) ?? 0) - 29])));
    const untold = (text: string, told: string) =>
      writePdf({
        pages: [[{ y: 700, font: 'C', bytes: glyphs(text) }, ...lines(600, told)]],
        fonts: { C: cidFont('Identity-H', 'Identity') },
      });
    const { code, message } = await faultOf(extractPdf, untold('Who keeps the key of the pump house?', ''));
    assert.deepEqual([code, message.match(/fonts|OCR/g)], ['no_text', ['fonts', 'OCR']]);
    const told = 'It hangs beside the door, and nobody has moved it since the spring.';
    assert.match(await textOf(extractPdf, untold(' ?', told)), new RegExp(`${told}$`));
  });

  test('is refused if it is something else or truncated', async () => {
    const whole = page('text');
    for (const content of ['', 'no PDF', '<p>text', Buffer.alloc(1_000), whole.subarray(0, 60)]) {
      assert.equal((await faultOf(extractPdf, content)).code, 'corrupt');
    }
  });

  test('is refused if its pages contain each other', async () => {
    const around = writePdf({ pages: [lines(700, 'x')] })
      .toString('latin1')
      .replace('/Kids [3 0 R]', '/Kids [2 0 R]');
    assert.equal((await faultOf(extractPdf, Buffer.from(around, 'latin1'))).code, 'corrupt');
    const nested = writePdf({ pages: [lines(700, 'x')], info: `/Title ${'['.repeat(100_000)}` });
    await extracted(extractPdf, nested).catch((error: unknown) => {
      assert.match(String(error), /^FileFault/);
    });
  });

  test('is refused if it has more pages than the limit', async () => {
    const many = writePdf({ pages: [lines(700, 'x')], listed: 50_001 });
    assert.equal((await faultOf(extractPdf, many)).code, 'too_many_pages');
  });

  test('does not end the reading process through an unhandled error of the library', async (t) => {
    // The number of pages is lost, and the second page with it.
    const damaged = writePdf({ pages: [lines(700, 'one'), lines(700, 'two')] })
      .toString('latin1')
      .replace(' /Count', 'objunt')
      .replace('\n5 0 obj', 'obj5 0 obj');
    const read = extractedInProcess(t, 'application/pdf', Buffer.from(damaged, 'latin1'));
    await assert.rejects(read, { name: 'FileFault', code: 'corrupt' });
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    const reading = startMain('test/worker/extract/damaged-pdfs.ts');
    assert.equal(await reading.exited, 0, reading.stderr.join('\n'));
  });
});
