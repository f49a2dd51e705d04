import { test } from 'node:test';
import { assertGenerated } from '../support/generated.ts';
import { withOwnDatabase } from '../support/needs/own-database.ts';
import { dumpSchema, REVISION_FILE, renewedRevision, SCHEMA_FILE } from './schema-dump.ts';

test('the migrations and functions produce the schema in db/schema.sql on both databases', () =>
  // Its own: in a shared one other tests may be adding what does not belong.
  withOwnDatabase(async (database) => {
    await assertGenerated(SCHEMA_FILE, await dumpSchema(database));
  }));

test('the revision of the SQL functions was raised with their last change', async () => {
  await assertGenerated(REVISION_FILE, await renewedRevision());
});
