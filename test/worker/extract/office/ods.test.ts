import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { newId } from '../../../../shared/ids.ts';
import { fieldsNow } from '../../../../shared/text/prepared-chunks.ts';
import { prepareDocument } from '../../../../worker/extract/document.ts';
import { extractOds } from '../../../../worker/extract/office/ods.ts';
import { extractXlsx } from '../../../../worker/extract/office/xlsx.ts';
import { assertDamagedMembersAreTold } from '../damaged-members.ts';
import { assertDamageIsTold, extracted, extractedInProcess, faultOf, textOf } from '../extraction.ts';
import { openDocumentMembers, textCell, textRow, writeOpenDocument, writeXlsx } from './sheet-writer.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url));
const row = (cells: string, attributes = '') => `<table:table-row${attributes}>${cells}</table:table-row>`;
const table = (rows: string, name = 'S') => `<table:table table:name="${name}">${rows}</table:table>`;
const spreadsheet = (body: string) => writeOpenDocument('spreadsheet', body);

describe('a spreadsheet of OpenDocument', () => {
  for (const name of ['libreoffice', 'gnumeric']) {
    test(`of ${name} reads like the same workbook of Excel`, async () => {
      const read = await extracted(extractOds, fixture(`${name}.ods`));
      assert.deepEqual(read, await extracted(extractXlsx, fixture('libreoffice.xlsx')));
      assert.equal(read.parts.length, 2);
    });
  }

  test('of another program keeps its texts, and is read in a process without permissions', async (t) => {
    const { title, parts } = await extractedInProcess(
      t,
      'application/vnd.oasis.opendocument.spreadsheet',
      fixture('odfpy.ods'),
    );
    assert.deepEqual(
      [title, parts],
      [
        'Rooms',
        [{ text: 'Room: Hall\nSeats: 120\nFrom: 2024-05-06 09:30', place: { sheet: 'Räume', row: 2 } }],
      ],
    );
  });

  test('costs nothing for empty rows and cells that a number repeats', async () => {
    const empty = '<table:table-cell table:number-columns-repeated="16382"/>';
    const body =
      row(textCell('a') + empty + textCell('last')) +
      row(
        '<table:table-cell table:number-columns-repeated="1000000000"/>',
        ' table:number-rows-repeated="1048000"',
      ) +
      row(textCell('end')) +
      row('<table:table-cell/>', ' table:number-rows-repeated="999999999"');
    const { parts } = await extracted(extractOds, spreadsheet(table(body)));
    assert.deepEqual(parts, [{ text: 'a: end', place: { sheet: 'S', row: 1_048_002 } }]);
    const far = row('<table:table-cell/>', ' table:number-rows-repeated="1048000"') + row(textCell('end'));
    const last = await extracted(extractOds, spreadsheet(table(far)));
    assert.deepEqual(last.parts, [{ text: 'end', place: { sheet: 'S', row: 1_048_001 } }]);
  });

  test('repeats filled rows and cells as often as the program shows them, up to the bounds', async () => {
    const twice = row(textCell('x', ' table:number-columns-repeated="2"'), ' table:number-rows-repeated="2"');
    assert.equal(await textOf(extractOds, spreadsheet(table(twice))), 'x: x\nx: x');
    const rows = row(textCell('x'), ' table:number-rows-repeated="1000000"');
    assert.equal((await faultOf(extractOds, spreadsheet(table(rows)))).code, 'too_many_rows');
    const wide = row(
      textCell('x', ' table:number-columns-repeated="16384"'),
      ' table:number-rows-repeated="100000"',
    );
    assert.equal((await faultOf(extractOds, spreadsheet(table(wide)))).code, 'too_many_chunks');
    const outside = row(textCell('x', ' table:number-columns-repeated="16385"'));
    assert.equal((await faultOf(extractOds, spreadsheet(table(outside)))).code, 'corrupt');
    const below = row('<table:table-cell/>', ' table:number-rows-repeated="1048576"') + row(textCell('x'));
    assert.equal((await faultOf(extractOds, spreadsheet(table(below)))).code, 'corrupt');
  });

  test('has headings that end with a percent sign', async () => {
    const rows = row(textCell('Part') + textCell('Share in %')) + row(textCell('Ring') + textCell('12'));
    assert.equal(await textOf(extractOds, spreadsheet(table(rows))), 'Part: Ring\nShare in %: 12');
  });

  test('leaves out what was deleted, drawings, and copies of tables in other files', async () => {
    const deleted = `<table:tracked-changes>${table(row(textCell('deleted')))}</table:tracked-changes>`;
    const drawing = '<draw:frame><draw:text-box><text:p>drawn</text:p></draw:text-box></draw:frame>';
    const copy = table(
      `<table:table-source xlink:href="http://127.0.0.1/x.ods"/>${row(textCell('copied'))}`,
      'copy',
    );
    const cell = `<table:table-cell office:value-type="string">${drawing}<text:p>kept<text:s text:c="2"/><text:tab/>here</text:p></table:table-cell>`;
    assert.equal(await textOf(extractOds, spreadsheet(deleted + table(row(cell)) + copy)), 'kept  \there');
  });

  test('is refused if it is encrypted, cut off, or of another format', async () => {
    assert.equal((await faultOf(extractOds, fixture('encrypted.ods'))).code, 'locked');
    const locked =
      '<manifest:file-entry manifest:full-path="encrypted-package"><manifest:encryption-data/></manifest:file-entry>';
    const whole = writeOpenDocument('spreadsheet', '', { manifest: locked });
    assert.equal((await faultOf(extractOds, whole)).code, 'locked');
    const text = await faultOf(extractOds, writeOpenDocument('text', '<text:p>a</text:p>'));
    assert.deepEqual([text.code, text.message.includes('an ODT document')], ['corrupt', true]);
    for (const other of ['a;b', fixture('libreoffice.xlsx'), fixture('libreoffice.ods').subarray(0, 3_000)]) {
      assert.equal((await faultOf(extractOds, other)).code, 'corrupt');
    }
    assert.equal((await faultOf(extractOds, spreadsheet('<table:table>'))).code, 'corrupt');
  });

  test('is read, or refused with a reported fault, whatever the damage', async () => {
    const body = table(
      row(textCell('a') + textCell('b')) + row(textCell('c'), ' table:number-rows-repeated="3"'),
    );
    await assertDamageIsTold(extractOds, fixture('libreoffice.ods'));
    await assertDamagedMembersAreTold(extractOds, openDocumentMembers('spreadsheet', body));
  });
});

describe('the sheets of both formats', () => {
  test('keep every text in its row, and every row in its order', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'Ü', '水', '&', '<', '"', '1', ' ', '😀'),
      maxLength: 4,
    });
    const sheet = fc.array(fc.array(text, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(sheet, async (given) => {
        const rows = given.map((texts) => texts.map((each) => each.replace(/\s+/g, ' ').trim()));
        const filled = rows.map((texts) => texts.filter((each) => each !== ''));
        const columns = [0, 1, 2].map((at) => `q${at}`);
        const expected = filled.flatMap((texts, index) =>
          texts.length === 0 ? [] : [[index + 2, ...texts]],
        );
        const workbook = [columns, ...rows].map((texts, index) => textRow(index + 1, ...texts)).join('');
        const tables = [columns, ...rows]
          .map((texts) => row(texts.map((each) => textCell(each)).join('')))
          .join('');
        for (const read of [
          await extracted(extractXlsx, writeXlsx({ sheets: { S: workbook } })),
          await extracted(extractOds, spreadsheet(table(tables))),
        ]) {
          const all = read.parts.map((part) => part.text).join('\n\n');
          if (expected.length === 0) {
            assert.equal(all, 'q0\nq1\nq2');
            continue;
          }
          const records = all
            .split('\n\n')
            .map((each) => each.split('\n').map((line) => line.replace(/^q\d: /, '')));
          assert.deepEqual(
            records,
            expected.map(([, ...texts]) => texts),
          );
          assert.equal(read.parts[0]?.place?.row, expected[0]?.[0]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('are checked for credentials: in a cell, in a comment, and in the name of a sheet', async () => {
    const token = `ghp_${'aZ09'.repeat(9)}`;
    const comment = `<office:annotation><text:p>${token}</text:p></office:annotation>`;
    const cells = textCell(`key ${token}`) + `<table:table-cell>${comment}</table:table-cell>`;
    const read = await extracted(extractOds, spreadsheet(table(row(cells), `Sheet ${token}`)));
    const masked = prepareDocument(read, newId(), fieldsNow('x'), 'redact');
    assert.deepEqual(
      masked.redactions.map(({ rule, path }) => [rule, path]),
      [
        ['github', '/sheet'],
        ['github', '/text'],
        ['github', '/text'],
      ],
    );
    const [chunk] = masked.chunks;
    assert.deepEqual(
      [chunk?.text, chunk?.place.sheet, chunk?.place.headings],
      [
        'key [redacted: github]\nComment on B1: [redacted: github]',
        'Sheet [redacted: github]',
        ['Sheet [redacted: github]'],
      ],
    );
  });
});
