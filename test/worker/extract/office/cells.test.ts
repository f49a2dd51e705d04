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

describe('a number of a spreadsheet', () => {
  test('is shown as a date, a time, a percentage or a number, by the code of its format', () => {
    for (const [value, format, shown] of [
      ['45322', 'yyyy\\-mm\\-dd;@', '2024-01-31'],
      ['45322.430555555555', 'dd.mm.yy hh:mm', '2024-01-31 10:20'],
      ['45322', '[$-409]mmmm d, yyyy', '2024-01-31'],
      ['0.5', 'h:mm AM/PM', '12:00'],
      ['1.5', '[h]:mm:ss', '36:00'],
      ['0.1234', '0.0%', '12.3%'],
      ['0.285', '0%', '29%'], // not 28.499999999999996
      ['0.5', `0.${'0'.repeat(150)}%`, `50.${'0'.repeat(30)}%`],
      ['0.5', 10, '50.00%'],
      ['42', '00000', '00042'],
      ['4.5', '#,##0.00 "days"', '4.5'], // a quoted text is no date
      ['4.5', 'General', '4.5'],
      ['0.30000000000000004', 'General', '0.3'],
      ['123456789012345678', 'General', '123456789012346000'],
      ['1', 'yyyy-mm-dd', '1900-01-01'],
      ['60', 'yyyy-mm-dd', '1900-02-29'],
      ['61', 'yyyy-mm-dd', '1900-03-01'],
      ['-1', 'yyyy-mm-dd', '-1'],
      ['2958466', 'yyyy-mm-dd', '2958466'],
      ['1e300', 'yyyy-mm-dd', '1e+300'],
      ['x', 'yyyy-mm-dd', 'x'],
    ] as const) {
      const parsed = typeof format === 'number' ? builtInFormat(format) : parseFormat(format);
      assert.equal(showNumber(value, parsed, false), shown, `${value} as ${format}`);
    }
  });

  test('is a day in the system of dates from 1904 too', () => {
    for (const [serial, day] of Object.entries({ 0: '1904-01-01', 43860: '2024-01-31' })) {
      assert.equal(showNumber(serial, parseFormat('yyyy-mm-dd'), true), day);
    }
  });

  test('has a cell reference that can be written and read back, and is in a sheet', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 16_384 }), fc.integer({ min: 1, max: 1_048_576 }), (at, row) => {
        assert.deepEqual(parseReference(`${columnLetters(at)}${row}`), { row, column: at });
      }),
    );
    assert.equal(columnLetters(16_384), 'XFD');
    for (const outside of ['XFE1', 'A0', 'A1048577', 'A', '1', '']) {
      assert.throws(() => parseReference(outside), { code: 'corrupt' }, outside);
    }
  });
});
