import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractRtf } from '../../../../worker/extract/office/rtf.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { extracted, fixture, testFaults, testTexts, textOf } from '../extraction.ts';
import { openDocumentMembers, replaced, writeOpenDocument } from './sheet-writer.ts';

/** What LibreOffice wrote, in both formats. */
const MANUAL =
  '# Größe\n\nThe pump is 40 cm  wide[1].\n\n[1] Without its feet.\n\n## Parts 水泵\n\n- Ring\n  - of rubber\n- Screw\n\n| Part | Price |\n| - | - |\n| Ring | 4 € |\n\nAsk the hall.\n\nComment: Which hall?';
const SIZES = /# Sizes\n\n\| Name \| Size \|\n\| - \| - \|\n\| A \| 4 mm \|$/;

const HIDDEN_STYLES =
  '<style:style style:name="T1" style:family="text" style:parent-style-name="Secret"/>' +
  '<style:style style:name="T2" style:family="text"><style:text-properties text:display="true"/></style:style>' +
  '<style:style style:name="P1" style:family="paragraph"><style:text-properties text:display="none"/></style:style>' +
  '<style:style style:name="P2" style:family="paragraph" style:parent-style-name="P1"/>' +
  '<style:style style:name="T3" style:family="paragraph" style:parent-style-name="P2"/>';
const NOTE = '<text:note><text:note-body><text:p>hidden</text:p></text:note-body></text:note>';
/** Paragraphs with every kind of hidden text. */
const HIDDEN = [
  `<text:p text:style-name="None">a <text:span text:style-name="T1">hidden<text:tab/>${NOTE} <text:span>hidden</text:span></text:span><text:span text:style-name="T3">b</text:span> c</text:p>`,
  `<text:p text:style-name="P2">hidden <text:span text:style-name="T2">shown <text:span>d</text:span></text:span>${NOTE}<draw:frame><svg:desc>hidden</svg:desc></draw:frame><office:annotation><text:p>hidden</text:p></office:annotation><text:span text:style-name="T2"> e</text:span></text:p>`,
  '<text:h text:style-name="P1">hidden</text:h>',
  '<text:p>hidden <text:hidden-paragraph text:condition="ooow:1" text:is-hidden="true"/></text:p>',
  '<text:p>f<text:hidden-paragraph text:is-hidden="false"/><text:hidden-text text:is-hidden="true">hidden</text:hidden-text></text:p>',
  '<text:section text:display="none"><text:p>hidden</text:p></text:section>',
  '<text:section text:display="condition" text:is-hidden="true"><text:p>hidden</text:p></text:section>',
  '<text:section text:display="condition" text:condition="ooow:0"><text:p>in a section</text:p></text:section>',
  '<text:p><text:variable-set text:display="none">hidden</text:variable-set></text:p>',
].join('');

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

  test('is read without its hidden text', async () => {
    const members = openDocumentMembers('text', HIDDEN, { styles: HIDDEN_STYLES });
    const styles =
      '<s xmlns:style="s" xmlns:text="t"><style:style style:name="Secret" style:family="text">' +
      '<style:text-properties text:display="none"/></style:style></s>';
    const { parts } = await extracted(
      extractOdt,
      writeZip([...members, { name: 'styles.xml', content: styles }]),
    );
    assert.equal(parts[0]?.text, 'a b c\n\nshown d e\n\nf\n\nin a section');
    assert.match(await textOf(extractOdt, writeZip(members)), /^a hidden/, 'without the style of that name');
  });

  test('with styles made from each other in a circle or a long chain is read', async () => {
    const style = (name: string, parent: string) =>
      `<style:style style:name="${name}" style:family="paragraph" style:parent-style-name="${parent}"/>`;
    const chain = Array.from({ length: 2_000 }, (_, index) => style(`C${index}`, `C${index + 1}`)).join('');
    const body = ['A', 'C0', 'none']
      .map((name) => `<text:p text:style-name="${name}">${name}</text:p>`)
      .join('');
    const file = writeOpenDocument('text', body, { styles: style('A', 'B') + style('B', 'A') + chain });
    assert.equal(await textOf(extractOdt, file), 'A\n\nC0\n\nnone');
  });

  const inner = (...rows: string[][]) =>
    `<table:table>${rows
      .map(
        (row) =>
          `<table:table-row>${row.map((text) => cell(`<text:p>${text}</text:p>`)).join('')}</table:table-row>`,
      )
      .join('')}</table:table>`;
  const long = `<text:h>${'long '.repeat(500)}</text:h>`;
  const rows = (...cells: string[][]) =>
    `<table:table>${cells.map((row) => `<table:table-row>${row.join('')}</table:table-row>`).join('')}</table:table>`;
  testTexts(extractOdt, {
    'keeps its rows if a cell has a table, whose rows are in it': [
      writeOpenDocument(
        'text',
        rows(
          [cell('<text:p>Item</text:p>'), cell('<text:p>Details</text:p>')],
          [
            cell('<text:p>Pump</text:p>'),
            cell(`${inner(['Owner', 'Ann'], ['Phone', '6100'])}<text:p>end</text:p>`),
          ],
          [cell('<text:p>Key</text:p>'), cell(inner(['a', 'b', 'c'], ['', '', 'd']))],
        ),
      ),
      '| Item | Details |\n| - | - |\n| Pump | Owner: Ann; Phone: 6100 end |\n| Key | a, b, c; d |',
    ],
    'is text without columns if a table is only the layout of a page': [
      writeOpenDocument(
        'text',
        rows(
          [cell('<text:h text:outline-level="1">A</text:h><text:p>b</text:p>')],
          [cell(inner(['c', 'd']))],
        ) + rows([cell('<text:p>left</text:p>'), cell(long)]),
      ),
      /^# A\n\nb\n\n\| c \| d \|\n\| - \| - \|\n\nleft\n\n# long /,
    ],
    'can have tables within tables within tables': [
      writeOpenDocument(
        'text',
        '<table:table><table:table-row><table:table-cell>'.repeat(300) +
          '<text:p>deep</text:p>' +
          '</table:table-cell></table:table-row></table:table>'.repeat(300),
      ),
      /deep/,
    ],
    'can have more blocks in a cell than a call has arguments': [
      writeOpenDocument('text', rows([cell(`<text:h>h</text:h>${'<text:p>x</text:p>'.repeat(150_000)}`)])),
      /^# h\n\nx\n\nx\n/,
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
