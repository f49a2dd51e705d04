import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { columnLetters, parseReference, showNumber } from '../../../../worker/extract/office/sheets/cells.ts';
import { builtInFormat, parseFormat } from '../../../../worker/extract/office/sheets/number-format.ts';

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
      ['4.5', '#,##0.00 "days"', '4.5 days'], // a quoted text is no date
      ['4.5', 'General', '4.5'],
      ['0.12345', '0.0#%', '12.35%'],
      ['0.12', '#.##%', '12%'],
      ['0.5', '0% "done"', '50% done'],
      ['1234.5', '#,##0.00\\ "€"', '1234.5 €'],
      ['1234.5', '[$€-407] #,##0.00', '€ 1234.5'],
      ['1234567', '#\\ ##0', '1234567'],
      ['417', '"INV-"00000', 'INV-00417'],
      ['-5', '0000', '-0005'],
      ['12345', '00\\-000', '12-345'],
      ['20240501', '0000-00-00', '2024-05-01'],
      ['5551234567', '[<=9999999]###-####;(###) ###-####', '(555) 123-4567'],
      ['5551234', '[<=9999999]###-####;(###) ###-####', '555-1234'],
      ['3400000', '0.0,," Mio"', '3.4 Mio'],
      ['3400', '[>=1000]0.0,"k";0', '3.4k'],
      ['12', '[>=1000]0.0,"k";0', '12'],
      ['12.5', 'General" units"', '12.5 units'],
      ['17', '"Nr. "0;@', 'Nr. 17'],
      ['5', '[Red]-0;0', '-5'],
      ['-5', '0;[Red]0', '-5'],
      ['-5', '_("$"* #,##0_);_("$"* \\(#,##0\\);_("$"* "-"_);_(@_)', '-$5'],
      ['0', '0;-0;"none"', 'none'],
      ['0', '0;-0;"-"', '0'],
      ['7', ';;;', '7'], // hidden in the program
      ['1.5', '# ?/?', '1 1/2'],
      ['0.3333', 13, '1/3'],
      ['0.25', '# ?/8', '2/8'],
      ['0.999', '# ?/?', '1'],
      ['12345', '0.00E+00', '12345'],
      ['0.5', 'mm:ss.0', '12:00'],
      ['45413.5', 'TT.MM.JJJJ hh:mm', '2024-05-01 12:00'],
      ['45413', 'jj/mm/aaaa', '2024-05-01'],
      ['5', 'Standard', '5'],
      ['4.5', '@', '4.5'],
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

  test('is shown with any format code, however long', () => {
    const piece = fc.constantFrom(
      ...'0#?.,%;"\\[]()/-+_*@E$ <>=1kyhs',
      '[Red]',
      '[>1]',
      'General',
      '0'.repeat(400),
    );
    const code = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    const value = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer()).map(String);
    fc.assert(
      fc.property(code, value, (given, stored) => {
        const shown = showNumber(stored, parseFormat(given), false);
        assert.ok(shown !== '' && shown.length < 2_000, shown);
      }),
    );
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
