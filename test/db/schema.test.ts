import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { withOwnDatabase } from '../support/needs/own-database.ts';
import { dumpSchema, REVISION_FILE, renewedRevision, SCHEMA_FILE } from './schema-dump.ts';

test('the migrations and functions produce the schema in db/schema.sql on both databases', () =>
  // Its own: in a shared one other tests may be adding what does not belong.
  withOwnDatabase(async (database) => {
    const committed = await readFile(SCHEMA_FILE, 'utf8');
    const actual = await dumpSchema(database);
    assert.equal(actual, committed.replaceAll('\r\n', '\n'), 'renew it with: npm run schema');
  }));

test('the revision of the SQL functions was raised with their last change', async () => {
  assert.equal(
    await readFile(REVISION_FILE, 'utf8'),
    await renewedRevision(),
    'renew it with: npm run schema',
  );
});
