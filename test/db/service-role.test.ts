import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Database, SERVICE_ROLE, transaction, withoutScope } from '../../db/database.ts';
import { assertIsolation, ensureServiceRole, IsolationError } from '../../db/service-role.ts';
import { newId } from '../../shared/ids.ts';
import { createTestCompany, databaseUrl, openTestDatabase } from '../support/database.ts';
import { openOwnDatabase } from '../support/own-database.ts';
import { ownerScope } from '../support/scopes.ts';

const database = await openTestDatabase();

/** Ways in which an operator or a migration could open the walls. */
const OPENINGS: { name: string; statements: string[]; refused: RegExp }[] = [
  {
    name: 'row-level security switched off',
    statements: ['alter table memory.source disable row level security'],
    refused: /memory\.source is not under row-level security/,
  },
  {
    name: 'a new table without it',
    statements: ['create table memory.note (team_id uuid, id uuid)'],
    refused: /memory\.note is not under row-level security/,
  },
  {
    name: 'a view that its owner reads for everyone',
    statements: [
      'create view memory.everything as select team_id, text from memory.chunk',
      `grant select on memory.everything to ${SERVICE_ROLE}`,
    ],
    refused: /memory\.everything is not under row-level security/,
  },
  {
    name: 'a policy that lets everyone read',
    statements: [`create policy open on identity.team for select to ${SERVICE_ROLE} using (true)`],
    refused: /identity\.team shows rows to a caller without claims/,
  },
  {
    name: 'a table that the role owns',
    statements: [
      `grant create on schema memory to ${SERVICE_ROLE}`,
      `alter table memory.chunk owner to ${SERVICE_ROLE}`,
    ],
    refused: /memory\.chunk is not under row-level security/,
  },
];

async function within(use: (database: Database) => Promise<void>): Promise<void> {
  const database = await openOwnDatabase();
  try {
    await use(database);
  } finally {
    await database.close();
  }
}

describe('start-up asserts isolation and refuses', () => {
  for (const { name, statements, refused } of OPENINGS) {
    test(name, () =>
      within(async (database) => {
        // A row to be seen, whatever the state in which the database was handed over.
        await database.query('insert into identity.company (id, name) values ($1, $2)', [newId(), 'Company']);
        await assertIsolation(database);
        for (const statement of statements) await database.query(statement);
        await assert.rejects(assertIsolation(database), (error: Error) => {
          assert.ok(error instanceof IsolationError);
          assert.match(error.message, refused);
          return true;
        });
      }),
    );
  }

  // Roles are the whole server's, so never on one that other tests share.
  const skip = databaseUrl !== undefined && 'the role is shared with other databases of the server';
  for (const power of ['superuser', 'bypassrls', 'createrole']) {
    test(`a role with ${power}`, { skip }, () =>
      within(async (database) => {
        await database.query(`alter role ${SERVICE_ROLE} with ${power}`);
        await assert.rejects(assertIsolation(database), IsolationError);
      }),
    );
  }
});

describe('the role of the service', () => {
  test('is no superuser, cannot bypass row-level security and cannot make roles', async () => {
    const [role] = await database.query(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin
         from pg_roles where rolname = $1`,
      [SERVICE_ROLE],
    );
    assert.deepEqual(Object.values(role ?? {}), [false, false, false, false, false, false]);
  });

  test('owns no table and no function, and is a member of no role', async () => {
    const owned = await database.query(
      `select 'table ' || oid::regclass as name from pg_class where relowner = $1::regrole
       union all select 'function ' || oid::regprocedure from pg_proc where proowner = $1::regrole
       union all select 'schema ' || oid::regnamespace from pg_namespace where nspowner = $1::regrole
       union all select 'role ' || roleid::regrole from pg_auth_members where member = $1::regrole`,
      [SERVICE_ROLE],
    );
    assert.deepEqual(owned, []);
  });

  test('is the current one within a scope and without, and no longer afterwards', async () => {
    const current = 'select current_user as name';
    const [scoped] = await transaction(database, ownerScope(await createTestCompany(database)), (tx) =>
      tx.query(current),
    );
    const [unscoped] = await withoutScope(database, (tx) => tx.query(current));
    const [after] = await database.query(
      `select current_user::text as name, current_setting('app.team', true) as team`,
    );
    assert.deepEqual([scoped, unscoped], [{ name: SERVICE_ROLE }, { name: SERVICE_ROLE }]);
    assert.notEqual(after?.['name'], SERVICE_ROLE);
    assert.ok(!after?.['team'], 'no claim outlives its transaction');
  });

  test('may run as the owner only functions with a search_path of their own', async () => {
    const loose = await database.query(
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity') and p.prosecdef
          and not exists (select from unnest(p.proconfig) s where s ~ '^search_path=.*pg_temp"?$')`,
    );
    assert.deepEqual(loose, []);
  });

  test('is the only one but the owner that may run a function', async () => {
    const open = await database.query(
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity')
          and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`,
    );
    assert.deepEqual(open, []);
  });

  test('is made once, by however many start at once', () =>
    within(async (database) => {
      await Promise.all(Array.from({ length: 8 }, () => ensureServiceRole(database)));
      const roles = await database.query('select from pg_roles where rolname = $1', [SERVICE_ROLE]);
      assert.equal(roles.length, 1);
    }));
});
