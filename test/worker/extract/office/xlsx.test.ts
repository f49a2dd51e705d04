import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { extractDocx } from '../../../../worker/extract/office/docx.ts';
import { extractXlsx } from '../../../../worker/extract/office/xlsx.ts';
import { column } from '../../../support/columns.ts';
import { writeZip, type ZipMember } from '../../../support/zip-writer.ts';
import { assertDamagedMembersAreTold } from '../damaged-members.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from '../extraction.ts';
import { textRow, workbookMembers, writeOpenDocument, writeXlsx } from './sheet-writer.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const replaced = (members: readonly ZipMember[], from: string, to: string) =>
  members.map((each) => ({ ...each, content: String(each.content).replaceAll(from, to) }));
const oneSheet = (data: string) => writeXlsx({ sheets: { Sheet1: data } });

/** The document that LibreOffice made. Gnumeric's copy reads the same. */
const SPARE_PARTS = [
  {
    text: 'Spare parts 2024\n\nPart: Ring Ø 4\nPrice: 4.5\nSince: 2024-01-31\nShare: 12.5%\nStocked: TRUE\nOpens: 07:30\n\nPart: 水泵\nPrice: 9\nShare: #N/A\nStocked: FALSE\nComment on A7: Order early',
    place: { sheet: 'Prices', row: 1 },
  },
  {
    text: 'Name: Valve\nNotes: first line\nsecond line',
    place: { sheet: 'Kept secret', row: 2 },
  },
];

describe('a workbook', () => {
  for (const name of ['libreoffice.xlsx', 'gnumeric.xlsx']) {
    test(`of ${name} keeps rows with their headings, formats, comments and hidden sheets`, async () => {
      const { title, date, parts } = await extracted(extractXlsx, fixture(name));
      assert.deepEqual([title, date, parts], ['Spare parts', '2024-03-05', SPARE_PARTS]);
    });
  }

  test('of openpyxl and XlsxWriter keeps merged cells, comments on empty rows and dates from 1904', async () => {
    const pumps = await extracted(extractXlsx, fixture('openpyxl.xlsx'));
    assert.deepEqual(
      [pumps.title, pumps.date, ...column(pumps.parts, 'place')],
      ['Pumps of the north hall', '2023-08-01', { sheet: 'Pumps', row: 2 }, { sheet: 'Archive', row: 3 }],
    );
    assert.match(
      pumps.parts[0]?.text ?? '',
      /^Model: P-100\nBought: 2023-07-14\nShare: 7\.5%\nCode: 00042\nChecked: 2023-07-15 09:05\n/,
    );
    assert.match(pumps.parts[0]?.text ?? '', /Model: P-200\nComment on A4: Seal is worn\n\nModel: merged$/);
    assert.equal(
      await textOf(extractXlsx, fixture('xlsxwriter.xlsx')),
      'Room: Room 42\nBooked: 2022-03-04\nFree: TRUE\nSum: 3\n\nRoom: Hall\nComment on A3: Doors open at nine',
    );
  });

  test('is read in a process without permissions, and each chunk knows its sheet and its first row', async (t) => {
    const row = (number: number) => textRow(number, `item ${number}`, 'x'.repeat(500));
    const numbers = [...Array(40).keys()].map((index) => 10 + index * 3);
    const many = textRow(1, 'Name', 'Text') + numbers.map(row).join('');
    const content = writeXlsx({ sheets: { One: many, 'Two ': textRow(7, 'alone') } });
    const { parts } = await extractedInProcess(t, XLSX, content);
    assert.equal(parts.length, 21);
    for (const { text, place } of parts.slice(0, -1)) {
      assert.equal(place?.sheet, 'One');
      assert.ok(text.startsWith(`Name: item ${place?.row}\n`), 'begins with the row that it names');
    }
    assert.deepEqual(parts.at(-1), { text: 'alone', place: { sheet: 'Two', row: 7 } });
  });

  test('has headings above the first rows only if all cells of a wide row are text', async () => {
    const numbers = (row: number, ...values: number[]) =>
      `<row r="${row}">${values.map((value) => `<c><v>${value}</v></c>`).join('')}</row>`;
    assert.equal(await textOf(extractXlsx, oneSheet(numbers(1, 1, 2) + numbers(2, 3, 4))), '1\n2\n\n3\n4');
    const years = `<row r="1"><c t="inlineStr"><is><t>City</t></is></c><c><v>2023</v></c></row>`;
    const rome = `<row r="2"><c t="inlineStr"><is><t>Rome</t></is></c><c><v>12.5</v></c></row>`;
    assert.equal(await textOf(extractXlsx, oneSheet(years + rome)), 'City: Rome\n2023: 12.5');
    assert.equal(await textOf(extractXlsx, oneSheet(years + years)), 'City\n2023\n\nCity\n2023');
    assert.equal(await textOf(extractXlsx, oneSheet(textRow(1, 'a', 'b'))), 'a\nb', 'nothing is below');
    assert.equal(
      await textOf(extractXlsx, oneSheet(textRow(1, 'a') + textRow(2, 'b'))),
      'a\n\nb',
      'one column',
    );
    assert.equal(
      await textOf(extractXlsx, oneSheet(textRow(1, 'A', '', 'C') + textRow(2, '1', '2', '3'))),
      'A: 1\n2\nC: 3',
    );
  });

  test('shows shared, rich and escaped texts, without the reading aids', async () => {
    const shared =
      '<si><r><t>rich </t></r><r><t xml:space="preserve">text</t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>とうきょう</t></rPh></si><si><t>a_x000A_b_x005F_</t></si>';
    const cells = [0, 1, 2].map((index) => `<c t="s"><v>${index}</v></c>`).join('');
    const text = await textOf(extractXlsx, writeXlsx({ sheets: { S: `<row>${cells}</row>` }, shared }));
    assert.equal(text, 'rich text\n東京\na\nb_');
  });

  test('counts its days from 1904 also if Excel added an extension with the name of the setting', async () => {
    const plan = {
      sheets: { S: '<row><c s="1"><v>1</v></c></row>' },
      formats: ['yyyy-mm-dd'],
      from1904: true,
    };
    const extension = '<extLst><ext><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>';
    const content = writeZip(replaced(workbookMembers(plan), '</workbook>', extension));
    assert.equal(await textOf(extractXlsx, content), '1904-01-02');
  });

  test('has the title and the day that its package names, wherever their part is', async () => {
    const type = 'http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties';
    const part = 'package/services/1.psmdcp';
    const relation = `<Relationship Id="rIdCore" Type="${type}" Target="/${part}"/></Relationships>`;
    const content =
      '<coreProperties><title>Pumps</title><modified>2024-01-31T00:00:00Z</modified></coreProperties>';
    const members = workbookMembers({ sheets: { S: textRow(1, 'a') } });
    const named = [...replaced(members, '</Relationships>', relation), { name: part, content }];
    const { title, date } = await extracted(extractXlsx, writeZip(named));
    assert.deepEqual([title, date], ['Pumps', '2024-01-31']);
  });

  test('has a sheet once, also if several names lead to it', async () => {
    const members = workbookMembers({ sheets: { One: textRow(1, 'a'), Two: textRow(1, 'b') } });
    assert.equal(
      await textOf(extractXlsx, writeZip(replaced(members, 'sheets/sheet2.xml', 'sheets/sheet1.xml'))),
      'a',
    );
  });

  test('has both the threads and the notes of a sheet, without the copies of threads', async () => {
    const types = [
      ['http://schemas.microsoft.com/office/2017/10/relationships/threadedComment', 'threads.xml'],
      ['http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments', 'notes.xml'],
    ];
    const relations = types.map(
      ([type, part]) => `<Relationship Id="${part}" Type="${type}" Target="/${part}"/>`,
    );
    const note = (cell: string, text: string) =>
      `<comment ref="${cell}"><text><t>${text}</t></text></comment>`;
    const thread = (text: string) => `<threadedComment ref="A1"><text>${text}</text></threadedComment>`;
    const more = [
      {
        name: 'xl/worksheets/_rels/sheet1.xml.rels',
        content: `<Relationships>${relations.join('')}</Relationships>`,
      },
      {
        name: 'notes.xml',
        content: `<comments>${note('A1', '[Threaded comment] why?')}${note('A2', 'a_x000A_note')}</comments>`,
      },
      {
        name: 'threads.xml',
        content: `<ThreadedComments>${thread('why?')}${thread('because')}</ThreadedComments>`,
      },
    ];
    assert.equal(
      await textOf(extractXlsx, writeXlsx({ sheets: { S: textRow(1, 'a') }, more })),
      'a\nComment on A1: why?\nComment on A1: because\n\nComment on A2: a\nnote',
    );
  });

  test('costs nothing for a million empty rows', async () => {
    const empty = Array.from({ length: 1_000_000 }, (_, index) => `<row r="${index + 1}"/>`);
    empty[999_999] = textRow(1_000_000, 'last');
    const { parts } = await extracted(extractXlsx, oneSheet(empty.join('')));
    assert.deepEqual(parts, [{ text: 'last', place: { sheet: 'Sheet1', row: 1_000_000 } }]);
  });
});

describe('a file that claims to be a workbook', () => {
  test('is refused if it is encrypted, of an older Excel, or something else', async () => {
    assert.equal((await faultOf(extractXlsx, fixture('encrypted.xlsx'))).code, 'locked');
    const older = await faultOf(extractXlsx, fixture('libreoffice.xls'));
    assert.equal(older.code, 'corrupt');
    assert.match(older.message, /save it as XLSX/);
    const document = await faultOf(extractXlsx, writeOpenDocument('spreadsheet', ''));
    assert.equal(document.code, 'corrupt');
    for (const other of ['Part,Price\n', '', writeZip([{ name: 'a', content: 'x' }])]) {
      assert.equal((await faultOf(extractXlsx, other)).code, 'corrupt');
    }
    const asWord = await faultOf(extractDocx, oneSheet(textRow(1, 'a')));
    assert.deepEqual([asWord.code, asWord.message.includes('an XLSX workbook')], ['corrupt', true]);
    const binary = writeXlsx({
      sheets: { S: '' },
      mediaType: 'application/vnd.ms-excel.sheet.binary.macroEnabled.main',
    });
    assert.equal((await faultOf(extractXlsx, binary)).code, 'corrupt');
  });

  test('is refused if it names a text that is not there, a cell outside a sheet, or is damaged otherwise', async () => {
    const faults = [
      writeXlsx({ sheets: { S: '<row><c t="s"><v>1</v></c></row>' }, shared: '<si><t>a</t></si>' }),
      oneSheet('<row><c r="XFE1"><v>1</v></c></row>'),
      oneSheet('<row r="1048577"><c><v>1</v></c></row>'),
      oneSheet('<row hasOwnProperty="1" r="1"/>'),
      oneSheet(`<row>${'<c><v>1</v></c>'.repeat(16_385)}</row>`),
      writeZip(
        workbookMembers({ sheets: { S: '' } }).filter(({ name }) => name !== 'xl/worksheets/sheet1.xml'),
      ),
      writeZip(replaced(workbookMembers({ sheets: { S: textRow(1, 'a') } }), 'Id="rId1"', 'Id="other"')),
      fixture('libreoffice.xlsx').subarray(0, 4_000),
    ];
    for (const content of faults) assert.equal((await faultOf(extractXlsx, content)).code, 'corrupt');
  });

  test('is refused with the bound if it has more filled rows than are read', async () => {
    const rows = Array.from({ length: 250_001 }, () => '<row><c><v>1</v></c></row>').join('');
    const fault = await faultOf(extractXlsx, oneSheet(rows));
    assert.equal(fault.code, 'too_many_rows');
    assert.match(fault.message, /250,000/);
  });

  test('is refused if its shared texts are more than can be stored, also if no cell shows them', async () => {
    // The random bytes keep it from being a zip bomb.
    const text = () => 'x'.repeat(9_900) + randomBytes(100).toString('hex');
    const shared = Array.from({ length: 10_001 }, () => `<si><t>${text()}</t></si>`).join('');
    const fault = await faultOf(extractXlsx, writeXlsx({ sheets: { S: '' }, shared }));
    assert.equal(fault.code, 'too_many_chunks');
  });

  test('is refused if it defines entities, is nested too deeply, or is a zip bomb', async () => {
    const lol = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
    const members = workbookMembers({ sheets: { S: textRow(1, 'ENTITY') } }).map((member) => ({
      ...member,
      content: String(member.content).replace('ENTITY', '&b;').replace('<worksheet', `${lol}<worksheet`),
    }));
    assert.equal((await faultOf(extractXlsx, writeZip(members))).code, 'corrupt');
    assert.equal((await faultOf(extractXlsx, oneSheet('<a>'.repeat(2_000)))).code, 'too_deep');
    assert.equal((await faultOf(extractXlsx, oneSheet(' '.repeat(40 * 1024 * 1024)))).code, 'zip_bomb');
  });

  test('runs no macro and follows no link: what is stored with a cell is read', async () => {
    const mediaType = 'application/vnd.ms-excel.sheet.macroEnabled.main+xml';
    const cells = '<row><c><f>[1]Other!A1</f><v>7</v></c><c><f>WEBSERVICE("http://127.0.0.1/")</f></c></row>';
    const more = [
      { name: 'xl/vbaProject.bin', content: 'Shell "calc.exe"' },
      { name: 'xl/externalLinks/externalLink1.xml', content: '<externalLink/>' },
    ];
    assert.equal(await textOf(extractXlsx, writeXlsx({ sheets: { S: cells }, mediaType, more })), '7');
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    const plan = {
      sheets: {
        One: textRow(1, 'Name', 'Text') + textRow(2, 'a', 'b'),
        Two: '<row><c t="s"><v>0</v></c></row>',
      },
      shared: '<si><t>shared &#xD800;</t></si>',
    };
    await assertDamageIsTold(extractXlsx, fixture('libreoffice.xlsx'));
    await assertDamagedMembersAreTold(extractXlsx, workbookMembers(plan));
  });
});
