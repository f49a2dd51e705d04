import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import {
  type Database,
  SERVICE_ROLE,
  transaction,
  WORKER_ROLE,
  withoutScope,
  workerTransaction,
} from '../../../db/driver/database.ts';
import { openPostgres } from '../../../db/driver/postgres.ts';
import { readFunctions } from '../../../db/startup/functions.ts';
import { migrate } from '../../../db/startup/migrate.ts';
import {
  assertIsolation,
  ensureServiceRoles,
  IsolationError,
  RoleError,
} from '../../../db/startup/service-role.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/logger.ts';
import {
  createTestCompany,
  databaseUrl,
  openTestDatabase,
  prepareDatabase,
} from '../../support/needs/database.ts';
import { createEmptyDatabase, openOwnDatabase, withOwnDatabase } from '../../support/needs/own-database.ts';
import { ownerScope } from '../../support/scopes.ts';
import { DENIED } from './walls.ts';

const database = await openTestDatabase();

/** Ways in which an operator or a migration could open the walls, how they are closed again, and the refusal. */
const OPENINGS: [name: string, open: string[], close: string[], refused: RegExp][] = [
  [
    'row-level security switched off',
    ['alter table memory.source disable row level security'],
    ['alter table memory.source enable row level security'],
    /memory\.source is not under row-level security/,
  ],
  [
    'a new table without it',
    ['create table memory.note (team_id uuid, id uuid)'],
    ['drop table memory.note'],
    /memory\.note is not under row-level security/,
  ],
  [
    'a view that its owner reads for everyone',
    [
      'create view memory.everything as select team_id, text from memory.chunk',
      `grant select on memory.everything to ${SERVICE_ROLE}`,
    ],
    ['drop view memory.everything'],
    /memory\.everything is not under row-level security/,
  ],
  [
    'a policy that lets everyone read',
    [`create policy open on identity.team for select to ${SERVICE_ROLE} using (true)`],
    ['drop policy open on identity.team'],
    /identity\.team shows rows to a caller without claims/,
  ],
  [
    'a table that the role owns',
    [`grant create on schema memory to ${SERVICE_ROLE}`, `alter table memory.chunk owner to ${SERVICE_ROLE}`],
    [],
    /memory\.chunk is not under row-level security/,
  ],
];

describe('isolation that the start-up refuses', () => {
  let own: Database;
  before(async () => {
    own = await openOwnDatabase();
    // A row to be seen, whatever the state in which the database was handed over.
    await own.query('insert into identity.company (id, name) values ($1, $2)', [newId(), 'Company']);
  });
  after(() => own.close());

  // Roles are the whole server's, so never on one that other tests share.
  const skip = databaseUrl !== undefined && 'the role is shared with other databases of the server';
  test('refuses the start when a role of the service has a power', { skip }, async () => {
    for (const role of [SERVICE_ROLE, WORKER_ROLE]) {
      for (const power of ['superuser', 'bypassrls', 'createrole']) {
        await own.query(`alter role ${role} with ${power}`);
        await assert.rejects(assertIsolation(own), IsolationError, `${role}: ${power}`);
        await own.query(`alter role ${role} with no${power}`);
        await assertIsolation(own);
      }
    }
  });

  for (const [name, open, close, message] of OPENINGS) {
    test(`refuses the start: ${name}`, async () => {
      await assertIsolation(own);
      for (const statement of open) await own.query(statement);
      await assert.rejects(assertIsolation(own), { name: IsolationError.name, message });
      for (const statement of close) await own.query(statement);
    });
  }
});

test("the start-up accepts a database whose owner has a schema with the owner's name", () =>
  withOwnDatabase(async (database) => {
    // As with an owner called memory: "$user" on the search path then leads to that schema, but not for other roles.
    await database.query('set search_path to memory, identity, public');
    await assertIsolation(database);
  }));

/**
 * Functions that run as the owner for the service without reading the claims: those before a sign-in find rows by an
 * exact value or store one, those of the deployment return figures or the name of a model, and those of a search get the layers from
 * functions that read the claims.
 */
const WITHOUT_CLAIMS = [
  'count_companies',
  'find_invite',
  'find_link',
  'find_reset_link',
  'find_sign_ins',
  'is_adopted_model',
  'outdated_chunks',
  'request_reset',
  'search_hits',
  'service_state',
  'service_usage',
];

/** A call of each function that the worker can run and the service cannot. */
const workerCalls = await database.query<{ call: string }>(
  `select format('select %I.%I(%s)', n.nspname, p.proname,
                   (select string_agg('null::' || format_type(t, null), ', ' order by place)
                      from unnest(p.proargtypes) with ordinality a (t, place))) as call
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('memory', 'identity')
        and has_function_privilege($2, p.oid, 'execute') and not has_function_privilege($1, p.oid, 'execute')
      order by 1`,
  [SERVICE_ROLE, WORKER_ROLE],
);

/** Fails if the service can run a statement, with or without a scope. */
async function assertDenied(statement: string): Promise<void> {
  const scope = ownerScope(await createTestCompany(database));
  const scoped = transaction(database, scope, (tx) => tx.query(statement));
  await assert.rejects(scoped, { code: DENIED });
  const unscoped = withoutScope(database, (tx) => tx.query(statement));
  await assert.rejects(unscoped, { code: DENIED });
}

describe('the roles of the service and of its worker', () => {
  for (const [role, memberOf] of [
    [SERVICE_ROLE, []],
    [WORKER_ROLE, [{ name: `role ${SERVICE_ROLE}` }]],
  ] as const) {
    test(`${role} has no power, owns nothing, and is a member of no other role`, async () => {
      const [powers] = await database.query(
        `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, rolcanlogin
           from pg_roles where rolname = $1`,
        [role],
      );
      assert.deepEqual(Object.values(powers ?? {}), [false, false, false, false, false, false]);
      const owned = await database.query(
        `select 'table ' || oid::regclass as name from pg_class where relowner = $1::regrole
         union all select 'function ' || oid::regprocedure from pg_proc where proowner = $1::regrole
         union all select 'schema ' || oid::regnamespace from pg_namespace where nspowner = $1::regrole
         union all select 'role ' || roleid::regrole from pg_auth_members where member = $1::regrole`,
        [role],
      );
      assert.deepEqual(owned, memberOf);
    });
  }

  for (const [table, column] of [
    ['identity.account', 'password_hash'],
    ['identity.session', 'token_hash'],
    ['identity.reset_link', 'token_hash'],
    ['identity.invite', 'token_hash'],
    ['identity.mailed_token', 'token_hash'],
    ['identity.reset_request', 'email'],
  ]) {
    test(`cannot read ${column} of ${table}, which the service writes`, async () => {
      const scope = ownerScope(await createTestCompany(database));
      for (const statement of [
        `select ${column} from ${table}`,
        `select t::text from ${table} t`,
        `select 1 from ${table} where ${column} is not null`,
        `delete from ${table} returning ${column}`,
      ]) {
        const asked = transaction(database, scope, (tx) => tx.query(statement));
        await assert.rejects(asked, { code: DENIED }, statement);
        const asWorkers = workerTransaction(database, scope, (tx) => tx.query(statement));
        await assert.rejects(asWorkers, { code: DENIED }, statement);
      }
    });
  }

  for (const statement of [
    ...workerCalls.map(({ call }) => call),
    `insert into memory.worker (id, queues, rss_bytes) values (gen_random_uuid(), '{}', 0)`,
    'delete from memory.worker',
    'update memory.job_tally set jobs = 0',
  ]) {
    test(`allow only the worker to run: ${statement}`, () => assertDenied(statement));
  }

  test('can run as the owner only functions that read the claims, besides those that need none', async () => {
    const { files } = await readFunctions();
    const claims = files
      .filter(({ name }) => name.startsWith('claims/'))
      .flatMap(({ text }) => [...text.matchAll(/^create or replace function memory\.(\w+)/gm)])
      .map(([, name]) => name);
    assert.ok(claims.includes('claimed_team'));
    const readsClaims = `\\m(${claims.join('|')}|current_setting)\\M`;
    const found = await database.query<{ name: string }>(
      `select p.proname as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity') and p.prosecdef and p.prosrc !~ $2
          and has_function_privilege($1, p.oid, 'execute')
        order by 1`,
      [SERVICE_ROLE, readsClaims],
    );
    assert.deepEqual(
      found.map(({ name }) => name),
      WITHOUT_CLAIMS,
    );
  });

  test('can run as the owner only functions with a search_path of their own', async () => {
    const loose = await database.query(
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity') and p.prosecdef
          and not exists (select from unnest(p.proconfig) s where s ~ '^search_path=.*pg_temp"?$')`,
    );
    assert.deepEqual(loose, []);
  });

  test('are the only roles besides the owner that can run a function', async () => {
    const open = await database.query(
      `select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname in ('memory', 'identity')
          and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0)`,
    );
    assert.deepEqual(open, []);
  });
});

describe('an owner that cannot create roles', {
  skip: databaseUrl === undefined && 'needs PostgreSQL',
}, () => {
  /** An empty database that such a role owns, opened as that role. */
  async function openAsPlainOwner(t: TestContext, actsAs: readonly string[]): Promise<Database> {
    const own = await createEmptyDatabase(databaseUrl ?? '');
    const owner = `plain_${own.name}`;
    await database.query(`create role ${owner} login nocreaterole password 'plain'`);
    await database.query(`grant ${owner} to current_user`);
    for (const role of actsAs) await database.query(`grant ${role} to ${owner} with inherit false, set true`);
    await database.query(`alter database ${own.name} owner to ${owner}`);
    const url = new URL(own.url);
    url.username = owner;
    url.password = 'plain';
    const opened = openPostgres(url.href, createLogger('fatal', 'test'), { max: 2 });
    t.after(async () => {
      await opened.close();
      if (await own.drop()) await database.query(`drop role ${owner}`);
    });
    return opened;
  }

  test('applies every migration if the roles exist', async (t) => {
    const plain = await openAsPlainOwner(t, [SERVICE_ROLE, WORKER_ROLE]);
    await prepareDatabase(plain);
    assert.deepEqual(await migrate(plain), []);
    const company = await createTestCompany(plain);
    const [row] = await transaction(plain, ownerScope(company), (tx) =>
      tx.query<{ role: string }>('select current_user as role'),
    );
    assert.equal(row?.role, SERVICE_ROLE);
  });

  test('gets one line with the statements to run if it cannot act as the roles, and starts after they are run', async (t) => {
    const plain = await openAsPlainOwner(t, []);
    const refused = await ensureServiceRoles(plain).catch((error: unknown) => error);
    assert.ok(refused instanceof RoleError);
    const [, own] =
      /^[^\n]+; (grant memory_service, memory_worker to plain_[^\n]+)$/.exec(refused.message) ?? [];
    assert.ok(own, refused.message);
    // No superuser runs it: the role of the tests has created the two roles, as the administrator of a hosted server.
    await database.query(own);
    await prepareDatabase(plain);
    await assertIsolation(plain);
    // Every query as a role of the service is refused now, which proves nothing about row-level security.
    await database.query(own.replace('grant', 'revoke').replace(/ to (\S+) with .*/, ' from $1'));
    await assert.rejects(assertIsolation(plain), { name: 'RoleError', message: refused.message });
    await database.query(own);
  });
});
