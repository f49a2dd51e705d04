import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { claimBatch, sendCapture, stageCapture } from '../support/captures.ts';
import '../support/needs/process.ts';
import { assertInvalid } from '../support/refusals.ts';
import { faultyFields } from '../support/team.ts';

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

  test('returns 400 for a time that does not exist or has no zone, before the scope is checked', async () => {
    const company = await service.company();
    for (const time of ['2016-12-31T23:59:60Z', '0001-01-01T00:00:00+00:01', '2026-01-01T00:00:00']) {
      for (const field of ['startedAt', 'endedAt']) {
        const scope = { clientId: company.companyId };
        assertInvalid(await sendCapture(company, { [field]: time, scope }), `/${field}`);
      }
    }
  });
});
