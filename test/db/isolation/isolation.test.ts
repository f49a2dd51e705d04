import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { transaction, withoutScope } from '../../../db/driver/database.ts';
import { CHAIN_START, walkAudit } from '../../../db/queries/audit.ts';
import { callRows } from '../../../db/queries/call.ts';
import { newId } from '../../../shared/ids.ts';
import { companyScope } from '../../../shared/scope.ts';
import { createTestCompany, openTestDatabase } from '../../support/needs/database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { TenantRows } from '../../support/tenant-rows.ts';
import {
  assertLeaves,
  assertReadsNothing,
  attempt,
  belongsTo,
  count,
  DENIED,
  DERIVED_TABLES,
  hasColumn,
  isMemory,
  ownId,
  raiseWalls,
  SEAL_TABLES,
  WITHOUT_LAYERS,
  wallOf,
} from './walls.ts';

const database = await openTestDatabase();
const { tables, victim, victimClient, attackers } = await raiseWalls(database);

describe('every tenant table', () => {
  test('has row-level security and a column for its Team or Company', async () => {
    for (const table of tables) {
      assert.ok(hasColumn(table, wallOf(table, 'company')), `${table.name} names no Team or Company`);
      const [row] = await database.query<{ on: boolean }>(
        'select relrowsecurity as "on" from pg_class where oid = $1::regclass',
        [table.name],
      );
      assert.equal(row?.on, true, table.name);
    }
  });

  test('has rows of the Team that the other tests try to reach', async () => {
    for (const table of tables) {
      for (const wall of ['company', 'team'] as const) {
        assert.ok(
          (await count(database, table, belongsTo(table, victim, wall))) > 0,
          `${table.name}, ${wall}`,
        );
      }
    }
  });

  test('shows no row without claims', async () => {
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

  test('accepts no row without claims', async () => {
    const rows = new TenantRows({ ...victim, clientId: victimClient });
    for (const table of tables) {
      const inserted = withoutScope(database, (tx) => tx.query(rows.insertion(table)));
      await assert.rejects(inserted, { code: DENIED }, table.name);
    }
  });

  test('shows no content of a Team to Company claims, except audit events', async () => {
    const scope = companyScope({ companyId: victim.companyId, userId: victim.ownerId });
    for (const table of tables) {
      if (!isMemory(table) || WITHOUT_LAYERS.includes(table.name)) continue;
      await assertReadsNothing(database, scope, table);
    }
  });

  test('shows rows of one user to no other user of the Team', async () => {
    const scope = ownerScope({ ...victim, ownerId: newId() }, [victimClient]);
    for (const name of ['memory.idempotency_key', 'memory.embedding_batch', 'memory.consolidation_batch']) {
      const rows = await transaction(database, scope, (tx) => tx.query(`select 1 from ${name}`));
      assert.deepEqual(rows, [], name);
    }
  });

  test('shows its rows to a scope that can read them', async () => {
    const scope = ownerScope(victim, [victimClient]);
    for (const table of tables) {
      const shown = await attempt(database, scope, `select 1 from ${table.name}`, (_, rows) => rows.length);
      // A file's content is read back by the worker, and idempotency keys by the user whose they are: both here.
      if ([...DERIVED_TABLES, ...SEAL_TABLES].includes(table.name))
        assert.equal(shown, 'refused', table.name);
      else assert.ok(shown !== 'refused' && shown > 0, `${table.name} shows ${shown}`);
    }
  });
});

describe('claims of another Team, in the same or another Company,', () => {
  test('read, change and delete no row, even with a statement without a condition', async () => {
    for (const { wall, team, scope, tables: closed } of attackers) {
      for (const table of closed) {
        const where = belongsTo(table, victim, wall);
        await assertReadsNothing(database, scope, table, where);
        await assertLeaves(database, scope, table, where, [
          `update ${table.name} set ${wallOf(table, wall)} = '${ownId(table, team, wall)}'`,
          `delete from ${table.name}`,
        ]);
      }
    }
  });

  test('insert no row', async () => {
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

  test('move no row of their own into the Team', async () => {
    for (const { name, wall, team, scope, tables: closed } of attackers) {
      for (const clientId of [null, victimClient]) {
        // A row of their own, moved behind the wall of the other.
        const rows = new TenantRows({ ...team, clientId: null });
        await rows.insertAll(database, tables);
        for (const table of closed) {
          const client =
            hasColumn(table, 'layer_id') && clientId !== null ? `, layer_id = '${clientId}'` : '';
          const moved = `${wallOf(table, wall)} = '${ownId(table, victim, wall)}'`;
          const given = `update ${table.name} set ${moved}${client}`;
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

describe('audit seals', () => {
  test('are verified and counted only for the Company of the claims', async () => {
    const told = async (team: typeof victim) => {
      const scope = companyScope({ companyId: team.companyId, userId: team.ownerId });
      const { firstBreak } = await transaction(database, scope, (tx) => walkAudit(tx, CHAIN_START, 1000));
      const [count] = await transaction(database, scope, (tx) => callRows(tx, 'memory.count_audit'));
      return { broken: firstBreak !== null, ...count };
    };
    const home = await createTestCompany(database);
    const { broken, events, firstBreak } = await told(home);
    assert.deepEqual({ broken, events, firstBreak }, { broken: false, events: 2, firstBreak: null });
    // A seal that belongs to no event, as the victim has one, breaks a chain.
    assert.equal((await told(victim)).broken, true);
    const unclaimed = await withoutScope(database, (tx) =>
      tx.query(
        `select w.walked, w.first_break as broken, c.events, c.unsealed, c.first_break as missing
           from memory.walk_audit(0, $1, 9) w, memory.count_audit() c`,
        [CHAIN_START.hash],
      ),
    );
    assert.deepEqual(unclaimed, [{ walked: 0, broken: null, events: 0, unsealed: 0, missing: null }]);
  });
});

describe('an invitation to a Company', () => {
  const invite = 'identity.invite';
  const inCompany = companyScope({ companyId: victim.companyId, userId: victim.ownerId });
  const inTeam = ownerScope(victim, [victimClient]);
  const columns = 'company_id, id, team_id, email, role, token_hash, expires_at, created_by';
  /** An INSERT of an invitation, which makes its holder an Admin of the Company. */
  const insertion = () => {
    const id = newId();
    const hash = `sha256('${id}')`;
    const values = `'${victim.companyId}', '${id}', null, '${id}@example.com', 'admin', ${hash}, now()`;
    return `insert into ${invite} (${columns}) values (${values}, '${victim.ownerId}')`;
  };

  test('cannot be read, changed or deleted with the claims of a Team', async () => {
    await transaction(database, inCompany, (tx) => tx.query(insertion()));
    const where = `company_id = '${victim.companyId}' and team_id is null`;
    for (const statement of [
      `select 1 from ${invite} where team_id is null`,
      `update ${invite} set revoked_at = now() where ${where} returning 1`,
      `delete from ${invite} where ${where} returning 1`,
    ]) {
      assert.equal(await attempt(database, inTeam, statement, (_, rows) => rows.length), 0, statement);
      assert.equal(await attempt(database, inCompany, statement, (_, rows) => rows.length), 1, statement);
    }
  });

  test('cannot be made with the claims of a Team, neither new nor from a Team invite', async () => {
    for (const statement of [insertion(), `update ${invite} set team_id = null`]) {
      await assert.rejects(
        transaction(database, inTeam, (tx) => tx.query(statement)),
        { code: DENIED },
        statement,
      );
    }
  });
});
