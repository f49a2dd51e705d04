import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  builtInFormat,
  columnLetters,
  parseFormat,
  parseReference,
  showNumber,
} from '../../../../worker/extract/office/cells.ts';
import { extractXlsx } from '../../../../worker/extract/office/xlsx.ts';
import { textOf } from '../extraction.ts';
import { writeXlsx } from './sheet-writer.ts';

describe('a number of a spreadsheet', () => {
  const shown = (value: string, code: string, from1904 = false) =>
    showNumber(value, parseFormat(code), from1904);

  test('is shown as a date, a time, a percentage or a number, by the code of its format', () => {
    assert.equal(shown('45322', 'yyyy\\-mm\\-dd;@'), '2024-01-31');
    assert.equal(shown('45322.430555555555', 'dd.mm.yy hh:mm'), '2024-01-31 10:20');
    assert.equal(shown('45322', '[$-409]mmmm d, yyyy'), '2024-01-31');
    assert.equal(shown('0.5', 'h:mm AM/PM'), '12:00');
    assert.equal(shown('1.5', '[h]:mm:ss'), '36:00');
    assert.equal(shown('0.1234', '0.0%'), '12.3%');
    assert.equal(shown('0.285', '0%'), '29%', 'not 28.499999999999996');
    assert.equal(shown('0.5', `0.${'0'.repeat(150)}%`), `50.${'0'.repeat(30)}%`);
    assert.equal(shown('42', '00000'), '00042');
    assert.equal(shown('4.5', '#,##0.00 "days"'), '4.5', 'a quoted text is no date');
    assert.equal(shown('4.5', '[Red]0.0'), '4.5');
    assert.equal(shown('4.5', 'General'), '4.5');
    assert.equal(shown('0.30000000000000004', 'General'), '0.3');
    assert.equal(shown('123456789012345678', 'General'), '123456789012346000');
    assert.equal(showNumber('45322', builtInFormat(14), false), '2024-01-31');
    assert.equal(showNumber('0.5', builtInFormat(10), false), '50.00%');
  });

  test('is a day in both systems of dates', () => {
    const days = {
      1: '1900-01-01',
      59: '1900-02-28',
      60: '1900-02-29',
      61: '1900-03-01',
      2958465: '9999-12-31',
    };
    for (const [serial, day] of Object.entries(days)) assert.equal(shown(serial, 'yyyy-mm-dd'), day);
    assert.equal(shown('0', 'yyyy-mm-dd', true), '1904-01-01');
    assert.equal(shown('43860', 'yyyy-mm-dd', true), '2024-01-31');
    for (const none of ['-1', '2958466', '1e300', 'x'])
      assert.equal(shown(none, 'yyyy-mm-dd'), none.replace('1e300', '1e+300'));
  });

  test('can be a date that is stored as text', async () => {
    const dates = ['2024-01-31T00:00:00', '2024-01-31T10:20:00Z', '2024-01-31T10:20:30.5'];
    const cells = dates
      .map((date, index) => `<c t="d" s="${index === 0 ? 1 : 2}"><v>${date}</v></c>`)
      .join('');
    const formats = ['yyyy-mm-dd', 'yyyy-mm-dd h:mm'];
    const text = await textOf(extractXlsx, writeXlsx({ sheets: { S: `<row>${cells}</row>` }, formats }));
    assert.equal(text, '2024-01-31\n2024-01-31 10:20\n2024-01-31 10:20:30.5');
  });

  test('has a cell reference that can be written and read back, and is in a sheet', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16_384 }), fc.integer({ min: 1, max: 1_048_576 }), (at, row) => {
        assert.deepEqual(parseReference(`${columnLetters(at)}${row}`), { row, column: at });
      }),
    );
    assert.equal(columnLetters(16_384), 'XFD');
    for (const outside of ['XFE1', 'A0', 'A1048577', 'A', '1', ''])
      assert.throws(() => parseReference(outside), { code: 'corrupt' }, outside);
  });
});
