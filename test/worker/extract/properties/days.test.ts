import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { documentDay } from '../../../../worker/extract/properties/days.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The day of these times, in order of preference. */
const dayIn = (kind: Parameters<typeof documentDay>[0], ...times: string[]) =>
  documentDay(kind, ...times.map((time) => new Date(time)));

describe('the day of a document', () => {
  test('is the first of its times that it can have, in UTC', () => {
    assert.equal(dayIn('office', '2024-01-31T23:59:00-02:00', '2020-01-01'), '2024-02-01');
    assert.equal(dayIn('office', '1980-01-01', 'yesterday', '2020-05-06'), '2020-05-06');
    assert.equal(documentDay('office', null, undefined, new Date('2020-05-06')), '2020-05-06');
    assert.equal(documentDay('office'), null);
  });

  test('is none of those of clocks and programs that know no time', () => {
    for (const time of ['1601-01-01', '1899-12-30', '1904-01-01', '1970-01-01', '1980-01-01', '0001-01-01']) {
      for (const kind of ['office', 'pdf'] as const) assert.equal(dayIn(kind, time), null, `${kind} ${time}`);
    }
    assert.equal(dayIn('mail', '1970-01-01'), null);
  });

  test('is none of a template that a library copies into each document', () => {
    assert.equal(dayIn('office', '2013-12-23T23:15:00Z', '2013-12-23T23:15:00Z'), null);
    assert.equal(dayIn('office', '2013-12-23T23:16:00Z'), '2013-12-23');
  });

  test('is not before the first documents of its kind', () => {
    assert.equal(dayIn('office', '1989-12-31'), null);
    assert.equal(dayIn('office', '1990-01-01'), '1990-01-01');
    assert.equal(dayIn('pdf', '1992-12-31'), null);
    assert.equal(dayIn('pdf', '1993-01-01'), '1993-01-01');
    assert.equal(dayIn('mail', '1985-04-01'), '1985-04-01');
  });

  test('is not in the future, except that a clock can be ahead', () => {
    const ahead = new Date(Date.now() + 23 * HOUR_MS);
    assert.equal(documentDay('office', ahead), ahead.toISOString().slice(0, 10));
    assert.equal(documentDay('mail', new Date(Date.now() + 25 * HOUR_MS)), null);
    for (const time of ['3609-01-01', '9999-12-31', '+012345-01-01']) assert.equal(dayIn('pdf', time), null);
  });
});
