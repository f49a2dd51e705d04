import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { stageCapture } from '../support/captures.ts';
import { addClient } from '../support/team.ts';

const service = await openTestApp();

describe('POST /v1/memory/captures', () => {
  test('returns 201 with all fields of the capture', async () => {
    const company = await service.company();
    const given = {
      sessionId: 'session 1',
      summary: 'Chose the blue one.',
      sequence: 3,
      startedAt: '2026-03-01T10:00:00.000Z',
      endedAt: '2026-03-01T10:30:00.250Z',
      metadata: { tool: 'x', files: ['a', { b: null }] },
    };
    const { id, createdAt, ...rest } = await stageCapture(company, given);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.deepEqual(rest, {
      ...given,
      state: 'staged',
      layer: 'team',
      clientId: null,
      occurredAt: null,
      createdBy: company.ownerId,
      createdWith: null,
    });
  });

  test('stages the capture in the client of the scope and fills absent fields with null or {}', async () => {
    const company = await service.company();
    const clientId = await addClient(service, company);
    const capture = await stageCapture(company, {
      scope: { clientId: clientId.toUpperCase() },
    });
    const { layer, sequence, startedAt, endedAt, metadata } = capture;
    assert.deepEqual([layer, capture.clientId], ['client', clientId]);
    assert.deepEqual([sequence, startedAt, endedAt, metadata], [null, null, null, {}]);
  });
});
