import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { extractDocx } from '../../../../worker/extract/office/docx.ts';
import { columnLetters } from '../../../../worker/extract/office/sheets/cells.ts';
import { extractXlsx } from '../../../../worker/extract/office/sheets/xlsx.ts';
import { column } from '../../../support/columns.ts';
import { writeZip, type ZipMember } from '../../../support/zip-writer.ts';
import {
  assertDamagedMembersAreTold,
  extracted,
  extractedInProcess,
  fixture,
  testFaults,
  testTexts,
} from '../extraction.ts';
import {
  replaced,
  textRow,
  type WorkbookPlan,
  workbookMembers,
  writeOpenDocument,
  writeXlsx,
} from './sheet-writer.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** A workbook of one sheet with these rows. */
const sheet = (data: string) => writeXlsx({ sheets: { Sheet1: data } });
const numbers = (row: number, ...values: number[]) =>
  `<row r="${row}">${values.map((value) => `<c><v>${value}</v></c>`).join('')}</row>`;
const textAndNumber = (row: number, text: string, number: number) =>
  `<row r="${row}"><c t="inlineStr"><is><t>${text}</t></is></c><c><v>${number}</v></c></row>`;

/** The document that LibreOffice made. */
const SPARE_PARTS = {
  title: 'Spare parts',
  date: '2024-03-05',
  parts: [
    {
      text: 'Spare parts 2024\n\nPart: Ring Ø 4\nPrice: 4.5\nSince: 2024-01-31\nShare: 12.5%\nStocked: TRUE\nOpens: 07:30\n\nPart: 水泵\nPrice: 9\nShare: #N/A\nStocked: FALSE\nComment on A7: Order early',
      place: { sheet: 'Prices', row: 1 },
    },
    {
      text: 'Name: Valve\nNotes: first line\nsecond line',
      place: { sheet: 'Kept secret', row: 2, hidden: true },
    },
  ],
};

describe('a workbook', () => {
  test('keeps rows with their headings, formats, comments and hidden sheets, whichever program wrote it', async () => {
    assert.deepEqual(await extracted(extractXlsx, fixture('libreoffice.xlsx')), SPARE_PARTS);
    const copy = await extracted(extractXlsx, fixture('gnumeric.xlsx'));
    // Gnumeric does not write that a sheet is hidden.
    const [prices, secret] = SPARE_PARTS.parts;
    const shown = { ...secret, place: { sheet: 'Kept secret', row: 2 } };
    assert.deepEqual(copy, { ...SPARE_PARTS, parts: [prices, shown] });
    const { title, date, parts } = await extracted(extractXlsx, fixture('openpyxl.xlsx'));
    assert.deepEqual([title, date], ['Pumps of the north hall', '2023-08-01']);
    assert.deepEqual(column(parts, 'place'), [
      { sheet: 'Pumps', row: 2 },
      { sheet: 'Archive', row: 3, hidden: true },
    ]);
    assert.match(
      parts[0]?.text ?? '',
      /^Model: P-100\nBought: 2023-07-14\nShare: 7\.5%\nCode: 00042\nChecked: 2023-07-15 09:05\n[^]*Model: P-200\nComment on A4: Seal is worn\n\nModel: merged$/,
    );
  });

  test('is read in a process without permissions, and each chunk knows its sheet and its first row', async (t) => {
    const row = (number: number) => textRow(number, `item ${number}`, 'x'.repeat(500));
    const rows = [...Array(40).keys()].map((index) => row(10 + index * 3));
    const many = textRow(1, 'Name', 'Text') + rows.join('');
    const content = writeXlsx({ sheets: { One: many, 'Two ': textRow(7, 'alone') } });
    const { parts } = await extractedInProcess(t, XLSX, content);
    assert.equal(parts.length, 21);
    for (const { text, place } of parts.slice(0, -1)) {
      assert.equal(place?.sheet, 'One');
      assert.ok(text.startsWith(`Name: item ${place?.row}\n`), 'begins with the row that it names');
    }
    assert.deepEqual(parts.at(-1), { text: 'alone', place: { sheet: 'Two', row: 7 } });
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

  test('costs nothing for a million empty rows', async () => {
    const empty = Array.from({ length: 999_999 }, (_, index) => `<row r="${index + 1}"/>`);
    const { parts } = await extracted(extractXlsx, sheet(empty.join('') + textRow(1_000_000, 'last')));
    assert.deepEqual(parts, [{ text: 'last', place: { sheet: 'Sheet1', row: 1_000_000 } }]);
  });

  const shared =
    '<si><r><t>rich </t></r><r><t xml:space="preserve">text</t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>とうきょう</t></rPh></si><si><t>a_x000A_b_x005F_</t></si>';
  const sharedCells = [0, 1, 2].map((index) => `<c t="s"><v>${index}</v></c>`).join('');
  const dates = ['2024-01-31T00:00:00', '2024-01-31T10:20:00Z', '2024-01-31T10:20:30.5'].map(
    (date, index) => `<c t="d" s="${index === 0 ? 1 : 2}"><v>${date}</v></c>`,
  );
  const from1904 = workbookMembers({
    sheets: { S: '<row><c s="1"><v>1</v></c></row>' },
    formats: ['yyyy-mm-dd'],
    from1904: true,
  });
  const extension = '<extLst><ext><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst></workbook>';
  const alike = workbookMembers({ sheets: { One: textRow(1, 'a'), Two: textRow(1, 'b') } });
  const relations = [
    ['http://schemas.microsoft.com/office/2017/10/relationships/threadedComment', 'threads.xml'],
    ['http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments', 'notes.xml'],
  ].map(([type, part]) => `<Relationship Id="${part}" Type="${type}" Target="/${part}"/>`);
  const note = (cell: string, text: string) => `<comment ref="${cell}"><text><t>${text}</t></text></comment>`;
  const thread = (text: string) => `<threadedComment ref="A1"><text>${text}</text></threadedComment>`;
  const comments = Object.entries({
    'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    'notes.xml': `<comments>${note('A1', '[Threaded comment] why?')}${note('A2', 'a_x000A_note')}</comments>`,
    'threads.xml': `<ThreadedComments>${thread('why?')}${thread('because')}</ThreadedComments>`,
  }).map(([name, content]) => ({ name, content }));
  const formulas =
    '<row><c><f>[1]Other!A1</f><v>7</v></c><c><f>WEBSERVICE("http://127.0.0.1/")</f></c></row>';
  testTexts(extractXlsx, {
    'of XlsxWriter keeps comments on empty rows and dates from 1904': [
      fixture('xlsxwriter.xlsx'),
      'Room: Room 42\nBooked: 2022-03-04\nFree: TRUE\nSum: 3\n\nRoom: Hall\nComment on A3: Doors open at nine',
    ],
    'has no headings above the first rows if their cells are numbers': [
      sheet(numbers(1, 1, 2) + numbers(2, 3, 4)),
      '1\n2\n\n3\n4',
    ],
    'has headings if one is a year': [
      sheet(textAndNumber(1, 'City', 2023) + textAndNumber(2, 'Rome', 12.5)),
      'City: Rome\n2023: 12.5',
    ],
    'has no headings if they are repeated below': [
      sheet(textAndNumber(1, 'City', 2023) + textAndNumber(2, 'City', 2023)),
      'City\n2023\n\nCity\n2023',
    ],
    'has no headings with nothing below': [sheet(textRow(1, 'a', 'b')), 'a\nb'],
    'has no headings above one column': [sheet(textRow(1, 'a') + textRow(2, 'b')), 'a\n\nb'],
    'has no heading above a column where its cell is empty': [
      sheet(textRow(1, 'A', '', 'C') + textRow(2, '1', '2', '3')),
      'A: 1\n2\nC: 3',
    ],
    'shows shared, rich and escaped texts, without the reading aids': [
      writeXlsx({ sheets: { S: `<row>${sharedCells}</row>` }, shared }),
      'rich text\n東京\na\nb_',
    ],
    'shows dates that are stored as text': [
      writeXlsx({
        sheets: { S: `<row>${dates.join('')}</row>` },
        formats: ['yyyy-mm-dd', 'yyyy-mm-dd h:mm'],
      }),
      '2024-01-31\n2024-01-31 10:20\n2024-01-31 10:20:30.5',
    ],
    'counts its days from 1904 also if Excel added an extension with the name of the setting': [
      writeZip(replaced(from1904, '</workbook>', extension)),
      '1904-01-02',
    ],
    'has a sheet once, also if several names lead to it': [
      writeZip(replaced(alike, 'sheets/sheet2.xml', 'sheets/sheet1.xml')),
      'a',
    ],
    'has both the threads and the notes of a sheet, without the copies of threads': [
      writeXlsx({ sheets: { S: textRow(1, 'a') }, more: comments }),
      'a\nComment on A1: why?\nComment on A1: because\n\nComment on A2: a\nnote',
    ],
    'runs no macro and follows no link: what is stored with a cell is read': [
      writeXlsx({
        sheets: { S: formulas },
        mediaType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml',
        more: [
          { name: 'xl/vbaProject.bin', content: 'Shell "calc.exe"' },
          { name: 'xl/externalLinks/externalLink1.xml', content: '<externalLink/>' },
        ],
      }),
      '7',
    ],
  });
});

/** A workbook of one sheet with these rows, and what is behind its cells. */
const sheetWith = (data: string, behind: string, plan: Partial<WorkbookPlan> = {}) =>
  writeZip(
    replaced(workbookMembers({ sheets: { S: data }, ...plan }), '</sheetData>', `</sheetData>${behind}`),
  );
const merged = (...ranges: string[]) =>
  `<mergeCells>${ranges.map((range) => `<mergeCell ref="${range}"/>`).join('')}</mergeCells>`;

describe('the headings of a sheet', () => {
  const tableType = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/table';
  const twoRows = textRow(1, 'Region', 'Costs', '', 'Income') + textRow(2, '', 'Staff', 'Rent', 'Fees');
  const names = textRow(1, 'Ann', 'Kiel') + textRow(2, 'Bob', 'Bonn') + textRow(3, 'Name', 'City');
  const fonts = '<fonts><font/><font><b/></font></fonts><cellStyleXfs>';
  const bold = (members: readonly ZipMember[]) =>
    replaced(replaced(members, '<cellStyleXfs>', fonts), 'numFmtId="200"', 'numFmtId="0" fontId="1"');
  const boldRow = textRow(2, 'Name', 'City').replaceAll('<c ', '<c s="1" ');
  const lines = textRow(1, 'Hall', 'North') + boldRow + textRow(3, 'Ann', 'Kiel') + textRow(4, 'Bob', 'Bonn');
  testTexts(extractXlsx, {
    'are joined if merged cells have those of groups above them': [
      sheetWith(twoRows + textRow(3, 'Kiel', '1', '2', '3'), merged('A1:A2', 'B1:C1')),
      'Region: Kiel\nCosts Staff: 1\nCosts Rent: 2\nIncome Fees: 3',
    ],
    'are joined with those of groups also if only the lower row is bold, as XlsxWriter can write it': [
      writeZip(
        replaced(
          bold(
            workbookMembers({
              sheets: {
                S:
                  textRow(1, 'Region', 'Spring', '', 'Autumn') +
                  textRow(2, '', 'Plan', 'Fact', 'Plan', 'Fact').replaceAll('<c ', '<c s="1" ') +
                  textRow(3, 'Kiel', '1', '2', '3', '4'),
              },
              formats: ['General'],
            }),
          ),
          '</sheetData>',
          `</sheetData>${merged('A1:A2', 'B1:C1', 'D1:E1')}`,
        ),
      ),
      'Region: Kiel\nSpring Plan: 1\nSpring Fact: 2\nAutumn Plan: 3\nAutumn Fact: 4',
    ],
    'are not joined with a title that is merged over the table': [
      sheetWith(
        textRow(1, 'Staff of 2024') + textRow(2, 'Name', 'City', 'Phone') + textRow(3, 'Ann', 'Kiel', '6100'),
        merged('A1:C1'),
      ),
      'Staff of 2024\n\nName: Ann\nCity: Kiel\nPhone: 6100',
    ],
    'are those of the row that is bold': [
      writeZip(bold(workbookMembers({ sheets: { S: lines }, formats: ['General'] }))),
      'Hall\nNorth\n\nName: Ann\nCity: Kiel\n\nName: Bob\nCity: Bonn',
    ],
    'are those where a filter begins': [
      sheetWith(names + textRow(4, 'Cid', 'Ulm'), '<autoFilter ref="A3:B4"/>'),
      'Ann\nKiel\n\nBob\nBonn\n\nName: Cid\nCity: Ulm',
    ],
    'are those where a table begins': [
      writeXlsx({
        sheets: { S: names + textRow(4, 'Cid', 'Ulm') },
        more: [
          {
            name: 'xl/worksheets/_rels/sheet1.xml.rels',
            content: `<Relationships><Relationship Id="t" Type="${tableType}" Target="/table.xml"/></Relationships>`,
          },
          { name: 'table.xml', content: '<table ref="A3:B4"><autoFilter ref="A3:B4"/></table>' },
        ],
      }),
      'Ann\nKiel\n\nBob\nBonn\n\nName: Cid\nCity: Ulm',
    ],
    'are those of the row that stays visible': [
      writeZip(
        replaced(
          workbookMembers({ sheets: { S: names + textRow(4, 'Cid', 'Ulm') } }),
          '<sheetData>',
          '<sheetViews><sheetView><pane ySplit="3" state="frozen"/></sheetView></sheetViews><sheetData>',
        ),
      ),
      'Ann\nKiel\n\nBob\nBonn\n\nName: Cid\nCity: Ulm',
    ],
    'are stored themselves if no cell is below one of them': [
      sheet(textRow(1, 'Name', 'Emergency contact') + textRow(2, 'Ann')),
      'Name | Emergency contact\n\nName: Ann',
    ],
    'are their own if the merged cells are damaged: they overlap, end before they begin, or are too many': [
      sheetWith(
        textRow(1, 'Name', 'City') + textRow(2, 'Ann', 'Kiel'),
        merged('A1:B1', 'B1:A1', 'A1:ZZZ9999999', ...Array<string>(60_000).fill('C5:XFD5')),
      ),
      'Name: Ann\nCity: Kiel',
    ],
  });

  test('have the columns of merged cells only once, however many of them overlap', async () => {
    const wide = (row: number) => textRow(row, ...Array.from({ length: 5_000 }, (_, index) => `c${index}`));
    const all = merged(...Array.from({ length: 5_000 }, (_, index) => `${columnLetters(index + 1)}1:XFD1`));
    const { parts } = await extracted(extractXlsx, sheetWith(wide(1) + wide(2), all));
    assert.ok(parts.length > 0);
  });
});

describe('a workbook of which a part cannot be read', () => {
  const members = workbookMembers({ sheets: { Good: textRow(1, 'read'), Bad: textRow(1, 'BAD') } });
  const bad = (from: string, to: string) => writeZip(replaced(members, from, to));
  const isMissing = writeZip(members.filter(({ name }) => !name.endsWith('sheet2.xml')));

  test('is read without the sheets that are damaged, and names them', async () => {
    const file = (content: string) => bad('<is><t>BAD</t></is>', content);
    for (const content of [
      isMissing,
      bad('Id="rId2"', 'Id="other"'),
      file('<v>&unknown;</v>'),
      file('<is><t>kept</is>'),
      bad('<c t="inlineStr"><is><t>BAD', '<c r="XFE1" t="inlineStr"><is><t>BAD'),
    ]) {
      const { parts, unread } = await extracted(extractXlsx, content);
      assert.deepEqual(parts, [{ text: 'read', place: { sheet: 'Good', row: 1 } }]);
      assert.deepEqual(unread, [{ kind: 'sheet', names: ['Bad'], reason: 'damaged' }]);
    }
  });

  test('is read without sheets of macros, dialogs and charts, and names them', async () => {
    for (const content of [
      bad('r:id="rId2"', 'r:id=""'),
      bad('worksheet" Target="worksheets/sheet2', 'xlMacrosheet" Target="macrosheets/sheet2'),
      bad('worksheet" Target="worksheets/sheet2', 'chartsheet" Target="chartsheets/sheet2'),
    ]) {
      const { parts, unread } = await extracted(extractXlsx, content);
      assert.deepEqual(parts, [{ text: 'read', place: { sheet: 'Good', row: 1 } }]);
      assert.deepEqual(unread, [{ kind: 'sheet', names: ['Bad'], reason: 'not_read' }]);
    }
  });

  test('keeps the cells of a sheet whose comments are damaged, and says so', async () => {
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments';
    const content = writeXlsx({
      sheets: { S: textRow(1, 'read') },
      more: [
        {
          name: 'xl/worksheets/_rels/sheet1.xml.rels',
          content: `<Relationships><Relationship Id="c" Type="${type}" Target="/notes.xml"/></Relationships>`,
        },
        { name: 'notes.xml', content: '<comments><comment' },
      ],
    });
    const { parts, unread } = await extracted(extractXlsx, content);
    assert.deepEqual(parts, [{ text: 'read', place: { sheet: 'S', row: 1 } }]);
    assert.deepEqual(unread, [{ kind: 'part', names: ['comments of S'], reason: 'damaged' }]);
  });

  test('says for each passage of a hidden sheet that it is hidden', async () => {
    for (const state of ['hidden', 'veryHidden']) {
      const { parts } = await extracted(extractXlsx, bad('sheetId="2"', `sheetId="2" state="${state}"`));
      assert.deepEqual(column(parts, 'place'), [
        { sheet: 'Good', row: 1 },
        { sheet: 'Bad', row: 1, hidden: true },
      ]);
    }
  });

  test('is read or refused for a fault that is told, whatever is damaged', async () => {
    await assertDamagedMembersAreTold(extractXlsx, members);
  });
});

describe('a file that claims to be a workbook', () => {
  const one = workbookMembers({ sheets: { S: textRow(1, 'TEXT') } });
  const entities = '<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><worksheet';
  // The random bytes keep it from being a zip bomb.
  const manyTexts = Array.from(
    { length: 10_001 },
    () => `<si><t>${'x'.repeat(9_900)}${randomBytes(100).toString('hex')}</t></si>`,
  );
  testFaults(extractXlsx, {
    'is refused if it is encrypted': ['locked', [fixture('encrypted.xlsx')]],
    'is refused with advice if it is of an older Excel': [
      'corrupt',
      [fixture('libreoffice.xls')],
      /save it as XLSX/,
    ],
    'is refused if it is something else': [
      'corrupt',
      [
        writeOpenDocument('spreadsheet', ''),
        writeXlsx({
          sheets: { S: '' },
          mediaType: 'application/vnd.ms-excel.sheet.binary.macroEnabled.main',
        }),
      ],
    ],
    'is refused if it names a text that is not there, a cell outside a sheet, or is damaged otherwise': [
      'corrupt',
      [
        writeXlsx({ sheets: { S: '<row><c t="s"><v>1</v></c></row>' }, shared: '<si><t>a</t></si>' }),
        sheet('<row><c r="XFE1"><v>1</v></c></row>'),
        sheet('<row r="1048577"><c><v>1</v></c></row>'),
        sheet('<row hasOwnProperty="1" r="1"/>'),
        sheet(`<row>${'<c><v>1</v></c>'.repeat(16_385)}</row>`),
        writeZip(one.filter(({ name }) => name !== 'xl/worksheets/sheet1.xml')),
        writeZip(replaced(one, 'Id="rId1"', 'Id="other"')),
        writeZip(replaced(replaced(one, 'TEXT', '&b;'), '<worksheet', entities)),
        fixture('libreoffice.xlsx').subarray(0, 4_000),
      ],
    ],
    'is refused with the bound if it has more filled rows than are read': [
      'too_many_rows',
      [sheet('<row><c><v>1</v></c></row>'.repeat(250_001))],
      /250,000/,
    ],
    'is refused if its shared texts are more than can be stored, also if no cell shows them': [
      'too_many_chunks',
      [writeXlsx({ sheets: { S: '' }, shared: manyTexts.join('') })],
    ],
    'is refused if it is nested too deeply': ['too_deep', [sheet('<a>'.repeat(2_000))]],
  });

  testFaults(extractDocx, {
    'is refused as a Word document, with the name of its format': [
      'corrupt',
      [writeZip(one)],
      /an XLSX workbook/,
    ],
  });
});
