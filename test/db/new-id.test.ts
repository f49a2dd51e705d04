import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestDatabase } from '../support/needs/database.ts';

const database = await openTestDatabase();

test('new_id returns a UUIDv7 of the given time', async () => {
  const [row] = await database.query<{ id: string; later: string }>(
    `select identity.new_id('2026-11-21T01:02:03.004Z') as id, identity.new_id('2026-11-21T01:02:03.005Z') as later`,
  );
  assert.match(row?.id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const milliseconds = Number.parseInt((row?.id ?? '').replaceAll('-', '').slice(0, 12), 16);
  assert.equal(new Date(milliseconds).toISOString(), '2026-11-21T01:02:03.004Z');
  assert.ok((row?.id ?? '') < (row?.later ?? ''));
});
