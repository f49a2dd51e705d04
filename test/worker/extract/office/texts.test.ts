import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractRtf } from '../../../../worker/extract/office/rtf.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { extracted, fixture, testFaults, testTexts } from '../extraction.ts';
import { openDocumentMembers, replaced, writeOpenDocument } from './sheet-writer.ts';

/** What LibreOffice wrote, in both formats. */
const MANUAL =
  '# Größe\n\nThe pump is 40 cm  wide[1].\n\n[1] Without its feet.\n\n## Parts 水泵\n\n- Ring\n  - of rubber\n- Screw\n\n| Part | Price |\n| - | - |\n| Ring | 4 € |\n\nAsk the hall.\n\nComment: Which hall?';
const SIZES = /# Sizes\n\n\| Name \| Size \|\n\| - \| - \|\n\| A \| 4 mm \|$/;

test('text documents of LibreOffice read alike in both formats, without what was deleted', async () => {
  for (const [extract, name] of [
    [extractOdt, 'libreoffice.odt'],
    [extractRtf, 'libreoffice.rtf'],
  ] as const) {
    assert.deepEqual(await extracted(extract, fixture(name)), {
      title: 'Manual of the pump',
      date: '2024-05-06',
      parts: [{ text: MANUAL, place: null }],
    });
  }
});

describe('a text document of OpenDocument', () => {
  test('has the day that it names, whatever its time is', async () => {
    // A time that is not parsed cannot move the day to that of another zone.
    const members = openDocumentMembers('text', '<text:p>a</text:p>');
    const timed = writeZip(replaced(members, 'T04:05:06', 'T04:05:06,789'));
    assert.equal((await extracted(extractOdt, timed)).date, '2024-02-03');
  });

  const box =
    '<text:p>Before <draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame>after' +
    '<draw:frame><draw:image xlink:href="http://127.0.0.1/x.png"/><svg:desc>a pump in section</svg:desc></draw:frame></text:p>';
  const cell = (content: string, attributes = '') =>
    `<table:table-cell${attributes}>${content}</table:table-cell>`;
  const table = (cells: string) => `<table:table><table:table-row>${cells}</table:table-row></table:table>`;
  const many = (count: number) => ` table:number-columns-repeated="${count}"`;
  const contents = '<text:table-of-content><text:p>Chapter 1</text:p></text:table-of-content>';
  const nested = cell('<text:p>a|b</text:p>') + cell(table(cell('<text:p>in</text:p>')));
  testTexts(extractOdt, {
    'of Pandoc has headings, also in the style of titles, lists and tables': [
      fixture('pandoc.odt'),
      new RegExp(
        `^# Guide to seals\n\n[^]*\n# Seals\n\nA seal is soft\\.\n\n- Rubber\n- Cork\n[^]*${SIZES.source}`,
      ),
    ],
    'of another program has its headings': [fixture('odfpy.odt'), '## Doors\n\nThe hall opens at nine.'],
    'has text boxes, nested tables and descriptions of pictures, but no table of contents': [
      writeOpenDocument('text', contents + box + table(nested + cell('', many(999_999_999)))),
      'Before after\n\nboxed\n\na pump in section\n\n| a\\|b | in |\n| - | - |',
    ],
  });

  testFaults(extractOdt, {
    'is refused if it is encrypted': ['locked', [fixture('encrypted.odt')]],
    'is refused if it is of another format': [
      'corrupt',
      [fixture('libreoffice.odp'), fixture('libreoffice.rtf')],
    ],
    'is refused if it is nested too deeply': [
      'too_deep',
      [writeOpenDocument('text', '<text:list>'.repeat(2_000))],
    ],
    'is refused if it repeats more text than can be stored': [
      'too_many_chunks',
      [writeOpenDocument('text', table(cell(`<text:p>${'x'.repeat(100_001)}</text:p>`, many(1_000))))],
    ],
  });
});

describe('rich text', () => {
  const rtf = (body: string) => `{\\rtf1\\ansi\\ansicpg1252\\deff0 ${body}}`;
  const fonts =
    '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}{\\f2\\fcharset128 Gothic;}}';
  const cyrillicFirst = '{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset0 B;}}';
  const hidden = [
    '{\\pict\\pngblip 89504e47}',
    '{\\object\\objemb{\\*\\objdata 0105}{\\result shown}}',
    '{\\field{\\*\\fldinst INCLUDETEXT "http://127.0.0.1/x"}{\\fldrslt  result}}',
    '{\\header top}{\\footerr bottom}{\\*\\unknown secret}{\\*\\generator x}{\\stylesheet{\\s1 Heading;}}',
    '{\\deleted gone}{\\v unseen}{\\bin4 }}}}}',
  ];
  testTexts(extractRtf, {
    'of Pandoc keeps its tables': [fixture('pandoc.rtf'), SIZES],
    'of AbiWord keeps lists, tables, notes and comments': [
      fixture('abiword.rtf'),
      MANUAL.replace('# Größe', 'Größe').replace('## Parts', 'Parts').replace('  - of rubber', '- of rubber'),
    ],
    'has its characters in the code page of its fonts and in Unicode': [
      rtf(
        `${fonts}caf\\'e9 {\\f1 \\'e0\\'e1} {\\f2\\'93\\'fa\\'96\\'7b} \\u8364\\'80 {\\uc2\\u-10179\\'3f\\'3f\\u-8704 ??}\\uc0\\u27700 !`,
      ),
      'café аб 日本 € 😀水!',
    ],
    'has its characters in the code page of the document': [
      "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\emdash \\{x\\}\\~y}",
      'П—{x}\u00a0y',
    ],
    'has its characters in the default font where no other is named': [
      rtf(`${cyrillicFirst}\\'e0 {\\f1 \\'e0 \\plain \\'e0}`),
      'а à а',
    ],
    'has the better of two forms of a text': [
      rtf('{\\upr{?}{\\*\\ud{\\uc0\\u27700}}}\\constructor !'),
      '水!',
    ],
    'gives no characters that cannot be stored': [rtf('a\\u-10179 b\\u0 c'), 'a\ufffd\ufffd'],
    'leaves out pictures, objects, fields, headers, deleted text and what only other programs know': [
      rtf(`kept ${hidden.join('')} end`),
      'kept shown result end',
    ],
    'has notes within notes down to a depth': [
      rtf(`a${'{\\footnote b'.repeat(500)}${'}'.repeat(500)}`),
      /^a\[1\]\n\n\[1\] b\[2\]\n\[2\] b\[3\]\n\[3\] bbbb(?![^]*\[4\])/,
    ],
  });

  testFaults(extractRtf, {
    'is refused if it is something else or ends too early': [
      'corrupt',
      ['', 'text', '{\\xml}', fixture('libreoffice.odt'), rtf('text').slice(0, -1)],
    ],
    'is refused with advice if it is of an older Office': [
      'corrupt',
      [fixture('libreoffice.xls')],
      /save it as RTF/,
    ],
    'is refused if it is nested too deeply': ['too_deep', [rtf('{'.repeat(100_000) + '}'.repeat(100_000))]],
  });

  test('is read, or refused with a reported fault, whatever its order of controls', async () => {
    const controls =
      "{ } \\ \\' \\'e \\* \\par \\cell \\row \\intbl \\u-1 \\uc9 \\bin \\bin9999999999 \\footnote {\\*\\annotation \\info \\title " +
      '\\revtim\\yr99999 \\f1 \\fonttbl \\fcharset128 \\listtext \\ilvl99 \\outlinelevel5 \\trowd a \0 \u00e9 \n';
    const token = fc.constantFrom(...controls.split(' '), ' ');
    const file = fc.array(token, { maxLength: 40 }).map((tokens) => `{\\rtf1 ${tokens.join('')}`);
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        for (const end of ['', '}', '}}}}}}']) {
          const read = extracted(extractRtf, content + end);
          const outcome: unknown = await read.catch((error: unknown) => error);
          if (outcome instanceof Error) assert.equal(outcome.name, 'FileFault', outcome.stack);
        }
      }),
      { numRuns: 300 },
    );
  });
});
