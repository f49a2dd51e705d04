import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction, withoutScope } from '../../db/database.ts';
import { newId } from '../../shared/ids.ts';
import { companyScope } from '../../shared/scope.ts';
import { openTestDatabase } from '../support/database.ts';
import { ownerScope } from '../support/scopes.ts';
import { TenantRows } from '../support/tenant-rows.ts';
import {
  attempt,
  belongsTo,
  count,
  DENIED,
  DERIVED_TABLES,
  hasColumn,
  ownId,
  raiseWalls,
  WITHOUT_LAYERS,
  wallOf,
} from '../support/walls.ts';

const database = await openTestDatabase();
const { tables, victim, victimClient, attackers } = await raiseWalls(database);

describe('every tenant table', () => {
  test('is under row-level security and says whose each row is', async () => {
    for (const table of tables) {
      assert.ok(hasColumn(table, wallOf(table)), `${table.name} names no Team or Company`);
      const [row] = await database.query<{ on: boolean }>(
        'select relrowsecurity as "on" from pg_class where oid = $1::regclass',
        [table.name],
      );
      assert.equal(row?.on, true, table.name);
    }
  });

  test('holds rows of the Team that the other tests try to reach', async () => {
    for (const table of tables) {
      assert.ok((await count(database, table, belongsTo(table, victim))) > 0, table.name);
    }
  });

  test('shows nothing without claims', async () => {
    for (const table of tables) {
      const shown = await withoutScope(database, (tx) => tx.query(`select 1 from ${table.name}`)).catch(
        (error: { code?: unknown }) => {
          assert.equal(error.code, DENIED, table.name);
          return [];
        },
      );
      assert.deepEqual(shown, [], table.name);
    }
  });

  test('takes nothing without claims', async () => {
    const rows = new TenantRows({ ...victim, clientId: victimClient });
    for (const table of tables) {
      const inserted = withoutScope(database, (tx) => tx.query(rows.insertion(table)));
      await assert.rejects(inserted, { code: DENIED }, table.name);
    }
  });

  test('shows nothing of a Team to Company claims, but for its audit', async () => {
    const scope = companyScope({ companyId: victim.companyId, userId: victim.ownerId });
    for (const table of tables) {
      if (wallOf(table) !== 'team_id' || WITHOUT_LAYERS.includes(table.name)) continue;
      const shown = await attempt(database, scope, `select 1 from ${table.name}`, (_, rows) => rows.length);
      assert.ok(shown === 'refused' || shown === 0, table.name);
    }
  });

  test("of what is one user's own shows nothing to another user of the Team", async () => {
    const scope = ownerScope({ ...victim, ownerId: newId() }, [victimClient]);
    for (const name of ['memory.idempotency_key', 'memory.embedding_batch']) {
      const rows = await transaction(database, scope, (tx) => tx.query(`select 1 from ${name}`));
      assert.deepEqual(rows, [], name);
    }
  });

  test('shows its rows to those who may read them', async () => {
    const scope = ownerScope(victim, [victimClient]);
    for (const table of tables) {
      const shown = await attempt(database, scope, `select 1 from ${table.name}`, (_, rows) => rows.length);
      // A file's content is read back by the worker, and idempotency keys by the user whose they are: both here.
      if (DERIVED_TABLES.includes(table.name)) assert.equal(shown, 'refused', table.name);
      else assert.ok(shown !== 'refused' && shown > 0, `${table.name} shows ${shown}`);
    }
  });
});

describe('with the claims of another Team, of the same Company and of another,', () => {
  test('no row is read', async () => {
    for (const { name, scope, tables: closed } of attackers) {
      for (const table of closed) {
        const where = belongsTo(table, victim);
        const shown = await attempt(
          database,
          scope,
          `select 1 from ${table.name} where ${where}`,
          (_, rows) => rows.length,
        );
        assert.ok(shown === 'refused' || shown === 0, `${name} reads ${table.name}`);
      }
    }
  });

  test('no row is changed, even by a statement that names none', async () => {
    for (const { name, team, scope, tables: closed } of attackers) {
      for (const table of closed) {
        const wall = wallOf(table);
        const where = belongsTo(table, victim);
        const there = await count(database, table, where);
        const stolen = `update ${table.name} set ${wall} = '${ownId(table, team)}'`;
        const left = await attempt(database, scope, stolen, (tx) => count(tx, table, where));
        assert.ok(left === 'refused' || left === there, `${name} takes ${table.name}`);
      }
    }
  });

  test('no row is deleted, even by a statement that names none', async () => {
    for (const { name, scope, tables: closed } of attackers) {
      for (const table of closed) {
        const where = belongsTo(table, victim);
        const there = await count(database, table, where);
        const left = await attempt(database, scope, `delete from ${table.name}`, (tx) =>
          count(tx, table, where),
        );
        assert.ok(left === 'refused' || left === there, `${name} deletes from ${table.name}`);
      }
    }
  });

  test('no row is inserted', async () => {
    for (const clientId of [null, victimClient]) {
      const rows = new TenantRows({ ...victim, clientId });
      for (const { name, scope, tables: closed } of attackers) {
        for (const table of closed) {
          const inserted = transaction(database, scope, (tx) => tx.query(rows.insertion(table)));
          await assert.rejects(inserted, { code: DENIED }, `${name} inserts into ${table.name}`);
        }
      }
    }
  });

  test('no row is given away to it', async () => {
    for (const { name, team, scope, tables: closed } of attackers) {
      for (const clientId of [null, victimClient]) {
        // A row of their own, moved behind the wall of the other.
        const rows = new TenantRows({ ...team, clientId: null });
        await rows.insertAll(database, tables);
        for (const table of closed) {
          const client =
            hasColumn(table, 'client_id') && clientId !== null ? `, client_id = '${clientId}'` : '';
          const wall = wallOf(table);
          const given = `update ${table.name} set ${wall} = '${ownId(table, victim)}'${client}`;
          assert.equal(
            await attempt(database, scope, given, () => 'done'),
            'refused',
            `${name} pushes into ${table.name}`,
          );
        }
      }
    }
  });
});
