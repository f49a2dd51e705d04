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
import { withOwnDatabase } from '../support/needs/own-database.ts';

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

/** Runs a test on a database with the catalog of the baseline, as if these migrations had made it. */
const withLedger = (names: readonly string[], use: (database: Database) => Promise<void>) =>
  withOwnDatabase(
    async (database) => {
      await ensureServiceRoles(database);
      await migrate(database, { migrations, functions });
      await database.query('delete from memory.migration');
      await database.query(
        `insert into memory.migration (number, name, checksum)
         select place, name, 'x' from unnest($1::text[]) with ordinality as n (name, place)`,
        [names],
      );
      await use(database);
    },
    { prepared: false },
  );

const ledger = async (database: Database) =>
  (await database.query<{ name: string }>('select name from memory.migration order by number')).map(
    ({ name }) => name,
  );

async function assertRefused(database: Database, message: RegExp): Promise<void> {
  const before = await ledger(database);
  await assert.rejects(migrate(database, { migrations, functions }), (error: Error) => {
    assert.ok(error instanceof MigrationError, error.stack);
    assert.match(error.message, message);
    assert.ok(!error.message.includes('\n'), 'one line for the operator');
    return true;
  });
  assert.deepEqual(await ledger(database), before);
}

describe('the baseline', () => {
  test('counts as applied in a database that the migrations made which it replaces', () =>
    withLedger(REPLACED, async (database) => {
      // A worker makes the graph of a large Team.
      await database.query(
        `create index graph on memory.chunk_embedding using hnsw ((binary_quantize(embedding)::bit(1024)) bit_hamming_ops)`,
      );
      await createTestCompany(database);
      const accounts = await database.query('select id from identity.account');
      assert.equal(accounts.length, 1);
      assert.deepEqual(await migrate(database, { migrations, functions }), []);
      assert.deepEqual(await ledger(database), ['0001-schema-1']);
      assert.deepEqual(await database.query('select id from identity.account'), accounts);
      assert.deepEqual(await migrate(database, { migrations, functions }), []);
    }));

  test('is followed by later migrations in the same start', () =>
    withLedger(REPLACED, async (database) => {
      const later = join(migrations, '0002-colour.sql');
      await writeFile(later, 'alter table identity.team add column colour text');
      try {
        assert.deepEqual(await migrate(database, { migrations, functions }), ['0002-colour']);
        assert.deepEqual(await ledger(database), ['0001-schema-1', '0002-colour']);
      } finally {
        await rm(later);
      }
    }));

  test('refuses a database that lacks one of them, and names the commit to start once', () =>
    withLedger(REPLACED.slice(0, 1), (database) =>
      assertRefused(database, new RegExp(`lacks 0002-second: .*commit ${COMMIT}.* once`)),
    ));

  test('refuses a database with a migration that it does not replace', () =>
    withLedger([...REPLACED, '0003-third'], (database) =>
      assertRefused(database, /another version: migration 0003-third is unknown/),
    ));

  for (const [what, statement, difference] of [
    [
      'another column',
      'alter table identity.team add column colour text',
      /it has "colour text,?" in place of ".*", after "create table identity\.team \("/,
    ],
    [
      'another rule',
      'alter policy reads on memory.chunk using (true)',
      /it has "using \(true\);?" in place of ".*", after "create policy reads on memory\.chunk /,
    ],
    [
      'fewer rights',
      'revoke select on memory.migration from memory_service',
      /in place of "grant select on memory\.migration to memory_service;"/,
    ],
    ['another order', `alter type memory.origin add value 'nobody' before 'outside'`, /'nobody'/],
  ] as const) {
    test(`refuses a database with ${what}, and names the first difference`, () =>
      withLedger(REPLACED, async (database) => {
        await database.query(statement);
        await assertRefused(database, difference);
      }));
  }
});
