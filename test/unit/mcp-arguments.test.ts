import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseMoment } from '../../api/mcp/arguments.ts';
import { ServiceError } from '../../shared/errors.ts';

describe('the time that a search begins or ends with', () => {
  test('is a day, which counts as a whole, or a time with its zone', () => {
    for (const [given, since, until] of [
      ['2026-03-01', '2026-02-28T23:59:59.999Z', '2026-03-02T00:00:00.000Z'],
      [' 2024-02-29 ', '2024-02-28T23:59:59.999Z', '2024-03-01T00:00:00.000Z'],
      ['0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-02T00:00:00.000Z'],
      ['9999-12-31', '9999-12-30T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
      ['2026-03-01T09:30:00Z', '2026-03-01T09:30:00.000Z', '2026-03-01T09:30:00.000Z'],
      ['2026-03-01t09:30:00.5+02:00', '2026-03-01T07:30:00.500Z', '2026-03-01T07:30:00.500Z'],
    ] as const) {
      assert.equal(parseMoment(given, 'since'), since, given);
      assert.equal(parseMoment(given, 'until'), until, given);
    }
    assert.equal(parseMoment(undefined, 'since'), undefined);
  });

  for (const given of [
    '2026',
    '2026-03',
    '2026-3-1',
    'week 12',
    'March 5',
    '1',
    '2026-02-31',
    '2025-02-29',
    '2026-02-31T09:30:00Z',
    '2026-03-01T09:30',
    '2026-03-01T09:30:00',
    '2026-03-01T24:00:00Z',
    '2026-06-30T23:59:60Z',
    '2026-03-01T09:30:00Z[u-ca=hebrew]',
    '0000-01-01',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+012026-03-01T09:30:00Z',
  ]) {
    test(`is not ${given}`, () => {
      for (const edge of ['since', 'until'] as const) {
        assert.throws(
          () => parseMoment(given, edge),
          (error) => error instanceof ServiceError && error.message.startsWith(`/${edge}: must be`),
        );
      }
    });
  }
});
