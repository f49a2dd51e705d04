import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGenerated } from '../support/generated.ts';
import { withOwnDatabase } from '../support/needs/own-database.ts';
import { dumpSchema, REVISION_FILE, renewedRevision, SCHEMA_FILE } from './schema-dump.ts';

test('the migrations and functions produce the schema in db/schema.sql on both databases', () =>
  // Its own: in a shared one other tests may be adding what does not belong.
  withOwnDatabase(async (database) => {
    await assertGenerated(SCHEMA_FILE, await dumpSchema(database));
  }));

test('every row that is passed to an SQL function has a type with names', () =>
  withOwnDatabase(async (database) => {
    const untyped = await database.query(
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity') and 'record'::regtype = any (p.proargtypes)`,
    );
    assert.deepEqual(untyped, []);
  }));

test('the revision of the SQL functions was raised with their last change', async () => {
  await assertGenerated(REVISION_FILE, await renewedRevision());
});
