import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newId } from '../../../../shared/ids.ts';
import { fieldsNow } from '../../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../../worker/extract/document.ts';
import { extractOds } from '../../../../worker/extract/office/sheets/ods.ts';
import { extractXlsx } from '../../../../worker/extract/office/sheets/xlsx.ts';
import { extracted, fixture, testFaults, testTexts } from '../extraction.ts';
import { textCell, textRow, writeOpenDocument, writeXlsx } from './sheet-writer.ts';

const row = (cells: string, attributes = '') => `<table:table-row${attributes}>${cells}</table:table-row>`;
const table = (rows: string, name = 'S') => `<table:table table:name="${name}">${rows}</table:table>`;
/** A spreadsheet of one table with these rows. */
const sheet = (rows: string) => writeOpenDocument('spreadsheet', table(rows));
const columns = (count: number) => ` table:number-columns-repeated="${count}"`;
const rows = (count: number) => ` table:number-rows-repeated="${count}"`;

describe('a spreadsheet of OpenDocument', () => {
  test('reads like the same workbook of Excel, whichever program wrote it', async () => {
    const workbook = await extracted(extractXlsx, fixture('libreoffice.xlsx'));
    assert.equal(workbook.parts.length, 2);
    for (const name of ['libreoffice', 'gnumeric']) {
      assert.deepEqual(await extracted(extractOds, fixture(`${name}.ods`)), workbook);
    }
    const { title, parts } = await extracted(extractOds, fixture('odfpy.ods'));
    const text = 'Room: Hall\nSeats: 120\nFrom: 2024-05-06 09:30';
    assert.deepEqual([title, parts], ['Rooms', [{ text, place: { sheet: 'Räume', row: 2 } }]]);
  });

  test('costs nothing for empty rows and cells that a number repeats', async () => {
    const empty = (many: string) => `<table:table-cell${many}/>`;
    const far = row(empty(columns(1e9)), rows(1_048_000)) + row(textCell('end'));
    const headed = row(textCell('a') + empty(columns(16_382)) + textCell('last')) + far;
    const { parts } = await extracted(extractOds, sheet(headed + row(empty(''), rows(999_999_999))));
    assert.deepEqual(parts, [{ text: 'a | last\n\na: end', place: { sheet: 'S', row: 1 } }]);
    const last = await extracted(extractOds, sheet(far));
    assert.deepEqual(last.parts, [{ text: 'end', place: { sheet: 'S', row: 1_048_001 } }]);
  });

  const styles =
    '<style:style style:name="h" style:family="table"><style:table-properties table:display="false"/></style:style>' +
    '<style:style style:name="b" style:family="table-cell"><style:text-properties fo:font-weight="bold"/></style:style>' +
    '<style:style style:name="c" style:family="table-cell" style:parent-style-name="b"/>';
  const boldCell = (text: string) => textCell(text, ' table:style-name="c"');
  const number = (value: string, shown: string) =>
    `<table:table-cell office:value-type="float" office:value="${value}"><text:p>${shown}</text:p></table:table-cell>`;
  const numbersRow = row(
    number('1234.5', '1.234,50 €') +
      number('-3.25', '-3,3 °C') +
      number('12345', '12-345') +
      number('417', 'INV-00417') +
      number('3400000', '3,4 Mio') +
      number('12345', '1,2E+04') +
      number('-5', '$(5)') +
      number('7', 'seven') +
      number('0', '-') +
      number('612345678', '06 12 34 56 78'),
  );

  test('says for each passage of a hidden sheet that it is hidden', async () => {
    const hidden = table(row(textCell('a'))).replace('<table:table ', '<table:table table:style-name="h" ');
    const { parts } = await extracted(extractOds, writeOpenDocument('spreadsheet', hidden, { styles }));
    assert.deepEqual(parts, [{ text: 'a', place: { sheet: 'S', row: 1, hidden: true } }]);
  });

  const deleted = `<table:tracked-changes>${table(row(textCell('deleted')))}</table:tracked-changes>`;
  const drawing = '<draw:frame><draw:text-box><text:p>drawn</text:p></draw:text-box></draw:frame>';
  const source = '<table:table-source xlink:href="http://127.0.0.1/x.ods"/>';
  const copy = table(`${source}${row(textCell('copied'))}`, 'copy');
  const cell = `<table:table-cell office:value-type="string">${drawing}<text:p>kept<text:s text:c="2"/><text:tab/>here</text:p></table:table-cell>`;
  testTexts(extractOds, {
    'repeats filled rows and cells as often as the program shows them': [
      sheet(row(textCell('x', columns(2)), rows(2))),
      'x\nx\n\nx\nx',
    ],
    'shows numbers in full, with the text around them': [
      sheet(numbersRow),
      '1234.5 €\n-3.25 °C\n12-345\nINV-00417\n3,4 Mio\n12345\n-$5\nseven\n0\n06 12 34 56 78',
    ],
    'has the headings that are bold, and joins those of merged cells': [
      writeOpenDocument(
        'spreadsheet',
        table(
          row(textCell('Hall') + textCell('North') + textCell('May')) +
            row(
              boldCell('Name') + textCell('Place', ' table:style-name="b" table:number-columns-spanned="2"'),
            ) +
            row('<table:table-cell/>' + boldCell('Street') + boldCell('City')) +
            row(textCell('Ann') + textCell('High') + textCell('Kiel')) +
            row(textCell('Bob') + textCell('Low') + textCell('Bonn')),
        ),
        { styles },
      ),
      'Hall\nNorth\nMay\n\nName: Ann\nPlace Street: High\nPlace City: Kiel\n\nName: Bob\nPlace Street: Low\nPlace City: Bonn',
    ],
    'has headings that end with a percent sign': [
      sheet(row(textCell('Part') + textCell('Share in %')) + row(textCell('Ring') + textCell('12'))),
      'Part: Ring\nShare in %: 12',
    ],
    'leaves out what was deleted, drawings, and copies of tables in other files': [
      writeOpenDocument('spreadsheet', deleted + table(row(cell)) + copy),
      'kept  \there',
    ],
  });

  const manifest =
    '<manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry>';
  testFaults(extractOds, {
    'is refused if it has more filled rows than are read': [
      'too_many_rows',
      [sheet(row(textCell('x'), rows(1_000_000)))],
    ],
    'is refused if it repeats more text than can be stored': [
      'too_many_chunks',
      [sheet(row(textCell('x', columns(16_384)), rows(100_000)))],
    ],
    'is refused if a cell is outside of a sheet, if it is cut off, or of another format': [
      'corrupt',
      [
        sheet(row(textCell('x', columns(16_385)))),
        sheet(row('<table:table-cell/>', rows(1_048_576)) + row(textCell('x'))),
        writeOpenDocument('spreadsheet', '<table:table>'),
        fixture('libreoffice.ods').subarray(0, 3_000),
        fixture('libreoffice.xlsx'),
      ],
    ],
    'is refused with the name of its format if that is another one of OpenDocument': [
      'corrupt',
      [writeOpenDocument('text', '<text:p>a</text:p>')],
      /an ODT document/,
    ],
    'is refused if it is encrypted': [
      'locked',
      [fixture('encrypted.ods'), writeOpenDocument('spreadsheet', '', { manifest })],
    ],
  });
});

describe('the sheets of both formats', () => {
  test('keep every text in its row, and every row in its order', async () => {
    const text = fc.string({
      // Without numbers: a row of text among them can be the headings of a second table.
      unit: fc.constantFrom('a', 'Ü', '水', '&', '<', '"', ' ', '😀'),
      maxLength: 4,
    });
    const texts = fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(texts, async (given) => {
        const shown = given
          .map((cells) => cells.map((each) => each.replace(/\s+/g, ' ').trim()))
          // An empty row can end the table.
          .filter((cells) => cells.some((each) => each !== ''));
        const all = [['qa', 'qb', 'qc'], ...shown];
        const filled = shown.map((cells) => cells.filter((each) => each !== ''));
        const areAllUsed = [0, 1, 2].every((column) => shown.some((cells) => cells[column] !== ''));
        const workbook = all.map((cells, index) => textRow(index + 1, ...cells)).join('');
        const spreadsheet = all.map((cells) => row(cells.map((each) => textCell(each)).join(''))).join('');
        for (const { parts } of [
          await extracted(extractXlsx, writeXlsx({ sheets: { S: workbook } })),
          await extracted(extractOds, sheet(spreadsheet)),
        ]) {
          const read = parts.map((part) => part.text).join('\n\n');
          if (filled.length === 0) {
            assert.equal(read, 'qa\nqb\nqc');
            continue;
          }
          const records = read.split('\n\n');
          // Without a value in each column, the headings are a line of their own.
          if (!areAllUsed) assert.equal(records.shift(), 'qa | qb | qc');
          assert.deepEqual(
            records.map((each) => each.split('\n').map((line) => line.replace(/^q[abc]: /, ''))),
            filled,
          );
          assert.equal(parts[0]?.place?.row, areAllUsed ? 2 : 1);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are checked for credentials: in a cell, in a comment, and in the name of a sheet', async () => {
    const token = `ghp_${'aZ09'.repeat(9)}`;
    const comment = `<office:annotation><text:p>${token}</text:p></office:annotation>`;
    const cells = textCell(`key ${token}`) + `<table:table-cell>${comment}</table:table-cell>`;
    const body = table(row(cells), `Sheet ${token}`);
    const read = await extracted(extractOds, writeOpenDocument('spreadsheet', body));
    const { redactions, chunks } = prepareDocument(read, newId(), fieldsNow('x'), 'redact');
    assert.deepEqual(
      redactions.map(({ rule, path }) => `${rule} ${path}`),
      ['github /sheet', 'github /text', 'github /text'],
    );
    const masked = 'Sheet [redacted: github]';
    assert.equal(chunks[0]?.text, 'key [redacted: github]\nComment on B1: [redacted: github]');
    assert.deepEqual([chunks[0].place.sheet, chunks[0].place.headings], [masked, [masked]]);
  });
});
