import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { extractOdt } from '../../../../worker/extract/office/odt.ts';
import { extractRtf } from '../../../../worker/extract/office/rtf.ts';
import { writeZip } from '../../../support/zip-writer.ts';
import { assertDamagedMembersAreTold } from '../damaged-members.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from '../extraction.ts';
import { openDocumentMembers, writeOpenDocument } from './sheet-writer.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));

/** What LibreOffice wrote, in both formats. */
const MANUAL =
  '# Größe\n\nThe pump is 40 cm  wide[1].\n\n[1] Without its feet.\n\n## Parts 水泵\n\n- Ring\n  - of rubber\n- Screw\n\n| Part | Price |\n| - | - |\n| Ring | 4 € |\n\nAsk the hall.\n\nComment: Which hall?';
const SIZES = '# Sizes\n\n| Name | Size |\n| - | - |\n| A | 4 mm |';

describe('a text document of OpenDocument', () => {
  test('of LibreOffice keeps headings, lists, tables, notes and comments, without what was deleted', async () => {
    const { title, date, parts } = await extracted(extractOdt, fixture('libreoffice.odt'));
    assert.deepEqual(
      [title, date, parts],
      ['Manual of the pump', '2024-05-06', [{ text: MANUAL, place: null }]],
    );
  });

  test('of Pandoc and odfpy keeps its headings, and is read in a process without permissions', async (t) => {
    const text = await textOf(extractOdt, fixture('pandoc.odt'));
    assert.ok(text.startsWith('# Guide to seals\n\n'), 'the style of titles is a heading');
    assert.ok(text.includes('\n# Seals\n\nA seal is soft.\n\n- Rubber\n- Cork\n') && text.endsWith(SIZES));
    const { title, parts } = await extractedInProcess(
      t,
      'application/vnd.oasis.opendocument.text',
      fixture('odfpy.odt'),
    );
    assert.deepEqual(
      [title, parts],
      ['Rules', [{ text: '## Doors\n\nThe hall opens at nine.', place: null }]],
    );
  });

  test('has the day that it names, whatever its time is', async () => {
    // A time that is not parsed cannot move the day to that of another zone.
    const members = openDocumentMembers('text', '<text:p>a</text:p>').map((each) => ({
      ...each,
      content: String(each.content).replace('T04:05:06', 'T04:05:06,789'),
    }));
    assert.equal((await extracted(extractOdt, writeZip(members))).date, '2024-02-03');
  });

  test('has text boxes, nested tables and descriptions of pictures, but no table of contents', async () => {
    const box =
      '<text:p>Before <draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame>after' +
      '<draw:frame><draw:image xlink:href="http://127.0.0.1/x.png"/><svg:desc>a pump in section</svg:desc></draw:frame></text:p>';
    const cell = (content: string) => `<table:table-cell>${content}</table:table-cell>`;
    const inner = `<table:table><table:table-row>${cell('<text:p>in</text:p>')}</table:table-row></table:table>`;
    const table = `<table:table><table:table-row>${cell('<text:p>a|b</text:p>')}${cell(inner)}<table:table-cell table:number-columns-repeated="999999999"/></table:table-row></table:table>`;
    const contents = '<text:table-of-content><text:p>Chapter 1</text:p></text:table-of-content>';
    assert.equal(
      await textOf(extractOdt, writeOpenDocument('text', contents + box + table)),
      'Before after\n\nboxed\n\na pump in section\n\n| a\\|b | in |\n| - | - |',
    );
  });

  test('is refused if it is encrypted, of another format, nested too deeply, or repeats too much', async () => {
    assert.equal((await faultOf(extractOdt, fixture('encrypted.odt'))).code, 'locked');
    for (const other of [fixture('libreoffice.odp'), fixture('libreoffice.rtf'), '']) {
      assert.equal((await faultOf(extractOdt, other)).code, 'corrupt');
    }
    const deep = writeOpenDocument('text', '<text:list>'.repeat(2_000));
    assert.equal((await faultOf(extractOdt, deep)).code, 'too_deep');
    const cell = `<table:table-cell table:number-columns-repeated="1000"><text:p>${'x'.repeat(100_001)}</text:p></table:table-cell>`;
    const wide = `<table:table><table:table-row>${cell}</table:table-row></table:table>`;
    assert.equal((await faultOf(extractOdt, writeOpenDocument('text', wide))).code, 'too_many_chunks');
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    await assertDamageIsTold(extractOdt, fixture('odfpy.odt'));
    const body =
      '<text:h text:outline-level="1">a</text:h><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list>';
    await assertDamagedMembersAreTold(extractOdt, openDocumentMembers('text', body));
  });
});

describe('rich text', () => {
  const rtf = (body: string) => `{\\rtf1\\ansi\\ansicpg1252\\deff0 ${body}}`;

  test('of LibreOffice reads like the same document of OpenDocument', async () => {
    const { title, date, parts } = await extracted(extractRtf, fixture('libreoffice.rtf'));
    assert.deepEqual(
      [title, date, parts],
      ['Manual of the pump', '2024-05-06', [{ text: MANUAL, place: null }]],
    );
  });

  test('of Pandoc and AbiWord keeps lists, tables, notes and comments, in a process without permissions', async (t) => {
    const { parts } = await extractedInProcess(t, 'application/rtf', fixture('pandoc.rtf'));
    assert.deepEqual(parts.map(({ text }) => text).at(-1), SIZES);
    assert.equal(
      await textOf(extractRtf, fixture('abiword.rtf')),
      MANUAL.replace('# Größe', 'Größe').replace('## Parts', 'Parts').replace('  - of rubber', '- of rubber'),
    );
  });

  test('has its characters in the code page of the document or the font, and in Unicode', async () => {
    const fonts =
      '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial Cyr;}{\\f2\\fcharset128 Gothic;}}';
    const body = `${fonts}caf\\'e9 {\\f1 \\'e0\\'e1} {\\f2\\'93\\'fa\\'96\\'7b} \\u8364\\'80 {\\uc2\\u-10179\\'3f\\'3f\\u-8704 ??}\\uc0\\u27700 !`;
    assert.equal(await textOf(extractRtf, rtf(body)), 'café аб 日本 € 😀水!');
    assert.equal(
      await textOf(extractRtf, "{\\rtf1\\ansi\\ansicpg1251 \\'cf\\emdash \\{x\\}\\~y}"),
      'П—{x}\u00a0y',
    );
    const cyrillic = rtf(
      "{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset0 B;}}\\'e0 {\\f1 \\'e0 \\plain \\'e0}",
    );
    assert.equal(await textOf(extractRtf, cyrillic), 'а à а', 'the default font');
    assert.equal(await textOf(extractRtf, rtf('{\\upr{?}{\\*\\ud{\\uc0\\u27700}}}\\constructor !')), '水!');
    assert.equal(await textOf(extractRtf, rtf('a\\u-10179 b\\u0 c')), 'a\ufffd\ufffd');
  });

  test('leaves out pictures, objects, fields, headers, deleted text and what only other programs know', async () => {
    const hidden = [
      '{\\pict\\pngblip 89504e47}',
      '{\\object\\objemb{\\*\\objdata 0105}{\\result shown}}',
      '{\\field{\\*\\fldinst INCLUDETEXT "http://127.0.0.1/x"}{\\fldrslt  result}}',
      '{\\header top}{\\footerr bottom}{\\*\\unknown secret}{\\*\\generator x}{\\stylesheet{\\s1 Heading;}}',
      '{\\deleted gone}{\\v unseen}{\\bin4 }}}}}',
    ];
    assert.equal(await textOf(extractRtf, rtf(`kept ${hidden.join('')} end`)), 'kept shown result end');
    const nested = `a${'{\\footnote b'.repeat(500)}${'}'.repeat(500)}`;
    const text = await textOf(extractRtf, rtf(nested));
    assert.ok(text.startsWith('a[1]\n\n[1] b[2]\n[2] b[3]\n[3] bbbb') && !text.includes('[4]'));
  });

  test('is refused if it is something else, ends too early, or is nested too deeply', async () => {
    for (const other of ['', 'text', '{\\xml}', fixture('libreoffice.odt'), rtf('text').slice(0, -1)]) {
      assert.equal((await faultOf(extractRtf, other)).code, 'corrupt');
    }
    const older = await faultOf(extractRtf, fixture('libreoffice.xls'));
    assert.deepEqual([older.code, older.message.includes('save it as RTF')], ['corrupt', true]);
    assert.equal(
      (await faultOf(extractRtf, rtf('{'.repeat(100_000) + '}'.repeat(100_000)))).code,
      'too_deep',
    );
  });

  test('is read, or refused with a reported fault, whatever it contains', async () => {
    await assertDamageIsTold(extractRtf, fixture('pandoc.rtf'));
    const token = fc.constantFrom(
      '{',
      '}',
      '\\',
      "\\'",
      "\\'e",
      '\\*',
      '\\par ',
      '\\cell',
      '\\row',
      '\\intbl',
      '\\u-1',
      '\\uc9',
      '\\bin',
      '\\bin9999999999 ',

      '\\footnote ',
      '{\\*\\annotation ',
      '\\info',
      '\\title',
      '\\revtim\\yr99999',
      '\\f1',
      '\\fonttbl',
      '\\fcharset128',
      '\\listtext',

      '\\ilvl99',
      '\\outlinelevel5',
      '\\trowd',
      'a',
      ' ',
      '\0',
      '\u00e9',
      '\n',
    );
    const file = fc.array(token, { maxLength: 40 }).map((tokens) => `{\\rtf1 ${tokens.join('')}`);
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        for (const end of ['', '}', '}}}}}}']) {
          const outcome: unknown = await extracted(extractRtf, content + end).catch(
            (error: unknown) => error,
          );
          if (outcome instanceof Error) assert.equal(outcome.name, 'FileFault', outcome.stack);
        }
      }),
      { numRuns: 300 },
    );
  });
});
