import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../support/app.ts';
import { recordsNothing } from '../support/company.ts';
import type { Caller } from '../support/team.ts';

const service = await openTestApp();
const change = (caller: Caller, body: object) => caller.ask.changeSelectedTeam(body);
const read = async (caller: Caller) => await caller.api.getSelectedTeam();

test('PATCH /v1/team changes the name and the settings', async () => {
  const company = await service.company();
  const before = await read(company);
  const changes = { name: 'Harbour', publish: 'review', redaction: 'redact' } as const;
  assert.deepEqual(await company.api.changeSelectedTeam(changes), { ...before, ...changes });
  assert.deepEqual(await read(company), { ...before, ...changes });
});

test('PATCH /v1/team leaves what it does not name, and null removes the mode of redaction', async () => {
  const company = await service.company();
  await change(company, { publish: 'review', redaction: 'refuse' });
  await change(company, { redaction: null });
  const { name, publish, redaction } = await read(company);
  assert.deepEqual({ name, publish, redaction }, { name: 'Test Team', publish: 'review', redaction: null });
  await recordsNothing(service, company, () => change(company, { publish: 'review' }));
});
