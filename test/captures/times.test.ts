import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { claimBatch, sendCapture, stageCapture } from '../support/captures.ts';
import '../support/needs/process.ts';
import { assertInvalid } from '../support/refusals.ts';
import { addClient, faultyFields } from '../support/team.ts';

// The time zone is that of the whole process.

// Before railway time the clocks of this zone were four hours, 56 minutes and two seconds behind: no time of a
// capture may go by those of the process.
process.env['TZ'] = 'America/New_York';
const service = await openTestApp();

describe('startedAt and endedAt of a capture', () => {
  test('returns startedAt and endedAt in UTC with milliseconds, whatever the format of the request', async () => {
    const company = await service.company();
    for (const [given, told] of [
      ['2026-02-03T04:05:06Z', '2026-02-03T04:05:06.000Z'],
      ['2026-02-03T04:05:06.7Z', '2026-02-03T04:05:06.700Z'],
      ['2026-02-03T04:05:06.123987Z', '2026-02-03T04:05:06.123Z'],
      ['2026-02-03T01:05:06+02:30', '2026-02-02T22:35:06.000Z'],
      ['2026-12-31T23:59:59.999-11:00', '2027-01-01T10:59:59.999Z'],
      ['2024-02-29T00:00:00+00:00', '2024-02-29T00:00:00.000Z'],
      // Where clocks are put forward, this hour is in no day.
      ['2026-03-29T02:30:00Z', '2026-03-29T02:30:00.000Z'],
      ['1883-01-01T00:00:00Z', '1883-01-01T00:00:00.000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
      ['0099-06-01T12:00:00Z', '0099-06-01T12:00:00.000Z'],
      ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ] as const) {
      const capture = await stageCapture(company, { startedAt: given, endedAt: given });
      assert.deepEqual([capture.startedAt, capture.endedAt], [told, told]);
      // What the database kept, and not only what was just inserted.
      const batch = await claimBatch(company);
      assert.deepEqual([batch?.captures[0]?.startedAt, batch?.captures[0]?.endedAt], [told, told]);
    }
  });

  test('compares startedAt and endedAt as times, not as text', async () => {
    const company = await service.company();
    const early = '2026-01-01T12:00:00+02:00';
    const late = '2026-01-01T11:00:00Z';
    await stageCapture(company, { startedAt: early, endedAt: late });
    const refused = await sendCapture(company, { startedAt: late, endedAt: early });
    assertInvalid(refused, '/endedAt');
    const instant = { startedAt: '2026-01-01T10:00:00.001Z', endedAt: '2026-01-01T10:00:00.000Z' };
    assert.deepEqual(faultyFields(await sendCapture(company, instant)), ['/endedAt']);
  });

  test('accepts startedAt without endedAt and endedAt without startedAt', async () => {
    const company = await service.company();
    const at = '2026-01-01T00:00:00.000Z';
    const started = await stageCapture(company, { startedAt: at });
    assert.deepEqual([started.startedAt, started.endedAt], [at, null]);
    const ended = await stageCapture(company, { endedAt: at });
    assert.deepEqual([ended.startedAt, ended.endedAt], [null, at]);
  });

  for (const [what, time] of [
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['the year 0', '0000-12-31T23:59:59Z'],
    ['a time that is in the year 0 in UTC', '0001-01-01T00:00:00+00:01'],
    ['a time that is in the year 10000 in UTC', '9999-12-31T23:59:59-00:01'],
    ['a year of five digits', '+12026-01-01T00:00:00Z'],
    ['the 30th of February', '2026-02-30T00:00:00Z'],
    ['the 29th of February of a common year', '2026-02-29T00:00:00Z'],
    ['the hour 24', '2026-01-01T24:00:00Z'],
    ['a minute 60', '2026-01-01T00:60:00Z'],
    ['a date without a time', '2026-01-01'],
    ['a time without a zone', '2026-01-01T00:00:00'],
    ['a zone given by name', '2026-01-01T00:00:00 UTC'],
    ['a word', 'yesterday'],
    ['an empty text', ''],
    ['a number', 1_767_225_600_000],
    ['null', null],
  ] as const) {
    test(`returns 400 for ${what} as a time, before the scope is checked`, async () => {
      const company = await service.company();
      const stranger = await addClient(service, await service.company());
      for (const field of ['startedAt', 'endedAt']) {
        for (const scope of [{}, { clientId: stranger }]) {
          assertInvalid(await sendCapture(company, { [field]: time, scope }), `/${field}`);
        }
      }
      assert.equal(await claimBatch(company), null);
    });
  }
});
