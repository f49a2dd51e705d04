import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../../shared/errors.ts';
import { firstTimeOf, lastTimeOf, parseExpiry, parseMoment } from '../../shared/formats/times.ts';

describe('a moment of a request', () => {
  test('is a day, which lasts from its first to its last millisecond in UTC, or a time with its zone', () => {
    for (const [given, moment, first, last] of [
      ['2026-03-01', '2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z'],
      [' 2024-02-29 ', '2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
      ['0001-01-01', '0001-01-01', '0001-01-01T00:00:00.000Z', '0001-01-01T23:59:59.999Z'],
      ['9999-12-31', '9999-12-31', '9999-12-31T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
      ['2026-03-01T00:00:00Z', ...Array.from({ length: 3 }, () => '2026-03-01T00:00:00.000Z')],
      ['2026-03-01t09:30:00.5+02:00', ...Array.from({ length: 3 }, () => '2026-03-01T07:30:00.500Z')],
      ['2026-02-03T04:05:06.123987Z', ...Array.from({ length: 3 }, () => '2026-02-03T04:05:06.123Z')],
    ] as [string, string, string, string][]) {
      const parsed = parseMoment(given, '/occurredAt');
      assert.deepEqual(
        [parsed, firstTimeOf(parsed).toISOString(), lastTimeOf(parsed).toISOString()],
        [moment, first, last],
        given,
      );
    }
  });

  test('ends an expiry with the last millisecond of its day', () => {
    assert.equal(parseExpiry('2999-03-01', '/expiresAt')?.toISOString(), '2999-03-01T23:59:59.999Z');
    assert.equal(parseExpiry('2999-03-01T01:00:00+01:00', '/')?.toISOString(), '2999-03-01T00:00:00.000Z');
    assert.deepEqual([parseExpiry(null, '/'), parseExpiry(undefined, '/')], [null, undefined]);
  });

  const times =
    '2026 2026-03 2026-3-1 1 2026-02-31 2025-02-29 2026-02-31T09:30:00Z 2026-03-01T09:30 2026-03-01T09:30:00';
  const bounds =
    '2026-03-01T24:00:00Z 2026-06-30T23:59:60Z 0000-01-01 0001-01-01T00:00:00+01:00 9999-12-31T23:59:59-01:00';
  const others = ['week 12', 'March 5', '2026-03-01T09:30:00Z[u-ca=hebrew]', '+012026-03-01T09:30:00Z'];
  for (const given of ['', ...times.split(' '), ...bounds.split(' '), ...others]) {
    test(`is not ${given === '' ? 'an empty text' : given}`, () => {
      assert.throws(
        () => parseMoment(given, '/occurredAt'),
        (error) => error instanceof ServiceError && error.message.startsWith('/occurredAt: must be'),
      );
    });
  }
});
