import assert from 'node:assert/strict';
import { copyFile, cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Database } from '../../db/driver/database.ts';
import { MigrationError } from '../../db/startup/functions.ts';
import { migrate } from '../../db/startup/migrate.ts';
import { ensureServiceRoles } from '../../db/startup/service-role.ts';
import { createTestCompany } from '../support/needs/database.ts';
import { openOwnDatabase } from '../support/needs/own-database.ts';

const COMMIT = '0123abcd';
/** The migrations that the baseline of these tests replaces. */
const REPLACED = ['0001-first', '0002-second'];

/** A folder of migrations with the baseline only, and one of the functions that its policies call: others can need later migrations. */
let [migrations, functions] = ['', ''];
before(async () => {
  migrations = await mkdtemp(join(tmpdir(), 'team-memory-baseline-'));
  functions = await mkdtemp(join(tmpdir(), 'team-memory-claims-'));
  for (const path of ['claims', 'revision.json']) {
    await cp(join(import.meta.dirname, '../../db/functions', path), join(functions, path), {
      recursive: true,
    });
  }
  const file = '0001-schema-1.sql';
  await copyFile(join(import.meta.dirname, '../../db/migrations', file), join(migrations, file));
  await writeFile(join(migrations, 'schema-1.json'), JSON.stringify({ commit: COMMIT, names: REPLACED }));
});
after(async () => {
  for (const folder of [migrations, functions]) await rm(folder, { recursive: true, force: true });
});

/** Says that these migrations have made the database. */
async function setLedger(database: Database, names: readonly string[]): Promise<void> {
  await database.query('delete from memory.migration');
  await database.query(
    `insert into memory.migration (number, name, checksum)
     select place, name, 'x' from unnest($1::text[]) with ordinality as n (name, place)`,
    [names],
  );
}

/** A database with the catalog of the baseline, as if the migrations that it replaces had made it. */
async function openReplaced(): Promise<Database> {
  const database = await openOwnDatabase({ prepared: false });
  await ensureServiceRoles(database);
  await migrate(database, { migrations, functions });
  await setLedger(database, REPLACED);
  return database;
}

const ledger = async (database: Database) =>
  (await database.query<{ name: string }>('select name from memory.migration order by number')).map(
    ({ name }) => name,
  );

test('the baseline counts as applied where the migrations that it replaces were, and a later one follows', async () => {
  const database = await openReplaced();
  // A worker makes the graph of a large Team.
  await database.query(
    `create index graph on memory.chunk_embedding using hnsw ((binary_quantize(embedding)::bit(1024)) bit_hamming_ops)`,
  );
  await createTestCompany(database);
  const later = join(migrations, '0002-colour.sql');
  await writeFile(later, 'alter table identity.team add column colour text');
  assert.deepEqual(await migrate(database, { migrations, functions }), ['0002-colour']);
  assert.deepEqual(await ledger(database), ['0001-schema-1', '0002-colour']);
  assert.equal((await database.query('select from identity.account')).length, 1);
  assert.deepEqual(await migrate(database, { migrations, functions }), []);
  await rm(later);
  await database.close();
});

describe('the baseline', () => {
  let database: Database;
  before(async () => {
    database = await openReplaced();
  });
  after(() => database.close());

  async function assertRefused(names: readonly string[], message: RegExp): Promise<void> {
    await setLedger(database, names);
    await assert.rejects(migrate(database, { migrations, functions }), (error: Error) => {
      assert.ok(error instanceof MigrationError, error.stack);
      assert.match(error.message, message);
      assert.ok(!error.message.includes('\n'), 'one line for the operator');
      return true;
    });
    assert.deepEqual(await ledger(database), names);
  }

  test('refuses a database that lacks one of them, and names the commit to start once', () =>
    assertRefused(REPLACED.slice(0, 1), new RegExp(`lacks 0002-second: .*commit ${COMMIT}.* once`)));

  test('refuses a database with a migration that it does not replace', () =>
    assertRefused([...REPLACED, '0003-third'], /another version: migration 0003-third is unknown/));

  // One after the other in the same database, each before the one above.
  for (const [what, statement, difference] of [
    [
      'fewer rights',
      'revoke select on memory.migration from memory_service',
      /in place of "grant select on memory\.migration to memory_service;"/,
    ],
    [
      'another rule',
      'alter policy reads on memory.chunk using (true)',
      /it has "using \(true\);?" in place of ".*", after "create policy reads on memory\.chunk /,
    ],
    [
      'another column',
      'alter table identity.team add column colour text',
      /it has "colour text,?" in place of ".*", after "create table identity\.team \("/,
    ],
    ['another order', `alter type memory.origin add value 'nobody' before 'outside'`, /'nobody'/],
  ] as const) {
    test(`refuses a database with ${what}, and names the first difference`, async () => {
      await database.query(statement);
      await assertRefused(REPLACED, difference);
    });
  }
});
