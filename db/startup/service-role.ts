import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Database,
  type Queryable,
  SERVICE_ROLE,
  WORKER_ROLE,
  withoutScope,
} from '../driver/database.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

const CREATE = [SERVICE_ROLE, WORKER_ROLE].map((role) => `create role ${role} nologin`);
const GRANT_TO_WORKER = `grant ${SERVICE_ROLE} to ${WORKER_ROLE} with inherit true, set false`;
const grantTo = (role: string) =>
  `grant ${SERVICE_ROLE}, ${WORKER_ROLE} to ${role} with inherit false, set true`;

/**
 * The connecting role cannot create the roles of the service, or cannot act as them. The message is one line for the
 * operator.
 */
export class RoleError extends Error {
  override name = 'RoleError';
  /** @param role the connecting role, as SQL writes it */
  constructor(role = '<role>') {
    super(
      `the role of MEMORY_DATABASE_URL cannot create the database roles ${SERVICE_ROLE} and ${WORKER_ROLE}, or act as them; ` +
        `as a superuser, or as a role that can create roles and has created these, run those of these statements that are missing: ` +
        [...CREATE, GRANT_TO_WORKER, grantTo(role)].join('; '),
    );
  }
}

/** The start reached a server that only reads. The message is one line for the operator. */
export class ReadOnlyDatabaseError extends Error {
  override name = 'ReadOnlyDatabaseError';
  constructor() {
    super(
      'the database only reads: it is a replica, or its default_transaction_read_only is on. Set MEMORY_DATABASE_URL, or ' +
        'MEMORY_DATABASE_DIRECT_URL if it is set, to the address of the primary',
    );
  }
}

/** Roles belong to the whole server, so a process of another database can create the same role at the same time. */
const ATTEMPTS = 10;

/**
 * Creates the roles of the service and of its worker if they do not exist, and lets the connecting role act as them.
 * This is not a migration: a database that is restored on another server has its migrations, but the server has no
 * roles.
 */
export async function ensureServiceRoles(database: Database): Promise<void> {
  const [server] = await database.query<{ reads: string }>(
    `select current_setting('transaction_read_only') as reads`,
  );
  if (server?.reads === 'on') throw new ReadOnlyDatabaseError();
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.transaction(createAndGrant);
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE) {
        const [self] = await database.query<{ name: string }>('select quote_ident(current_user) as name');
        throw new RoleError(self?.name);
      }
      const message = error instanceof Error ? error.message : '';
      const raced = /tuple concurrently updated|already exists|duplicate key/.test(message);
      if (!raced || attempt === ATTEMPTS) throw error;
      await sleep(20 * attempt);
    }
  }
}

/**
 * Asserts that the roles exist and can be used, or that `ensureServiceRoles` can create or grant them. It only reads.
 * @returns whether they exist and can be used
 * @throws RoleError
 */
export async function assertServiceRoles(tx: Queryable): Promise<boolean> {
  const [found] = await tx.query<{ roles: number; used: boolean; usable: boolean; creates: boolean }>(
    `with role as (
       select r.rolname, pg_has_role(current_user, r.oid, 'SET') as can_set,
              pg_has_role(current_user, r.oid, 'MEMBER WITH ADMIN OPTION') as can_grant
         from pg_roles r where r.rolname in ('${SERVICE_ROLE}', '${WORKER_ROLE}')
     )
     select count(*)::int as roles, coalesce(bool_and(can_set), true) as used,
            coalesce(bool_and(can_set or can_grant), true) as usable,
            (select rolsuper or rolcreaterole from pg_roles where rolname = current_user) as creates
       from role`,
  );
  const { roles = 0, used = false, usable = false, creates = false } = found ?? {};
  const exist = roles === 2;
  if (!usable || (!exist && !creates)) throw new RoleError();
  return exist && used;
}

async function createAndGrant(tx: Queryable): Promise<void> {
  for (const role of [SERVICE_ROLE, WORKER_ROLE]) {
    const [found] = await tx.query(`select from pg_roles where rolname = '${role}'`);
    if (found === undefined) await tx.query(`create role ${role} nologin`);
    const [can] = await tx.query<{ set: boolean }>(
      `select pg_has_role(current_user, '${role}', 'SET') as set`,
    );
    if (can?.set !== true) await tx.query(`grant ${role} to current_user with inherit false, set true`);
  }
  const [worker] = await tx.query<{ inherits: boolean }>(
    `select pg_has_role('${WORKER_ROLE}', '${SERVICE_ROLE}', 'USAGE') as inherits`,
  );
  if (worker?.inherits !== true) {
    await tx.query(GRANT_TO_WORKER);
  }
}

/** Row-level security is not effective. The message is one line for the operator. */
export class IsolationError extends Error {
  override name = 'IsolationError';
}

/**
 * Asserts that row-level security is effective: the roles of the service cannot bypass it and own no table, every table
 * with a Company or Team has it on, and a query without claims returns no rows or is refused.
 * @throws IsolationError with the role or the table that fails
 * @throws RoleError if the connecting role cannot act as these roles: every query is refused then, which proves nothing
 */
export async function assertIsolation(database: Database): Promise<void> {
  const tables = await database.query<{ name: string; secured: boolean; owner: string }>(`
    select format('%I.%I', n.nspname, c.relname) as name, c.relrowsecurity as secured, pg_get_userbyid(c.relowner) as owner
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('memory', 'identity') and c.relkind in ('r', 'p', 'v', 'm')
       and exists (select from pg_attribute a where a.attrelid = c.oid and not a.attisdropped
                      and (a.attname in ('company_id', 'team_id') or c.oid = 'identity.company'::regclass))
     order by 1`);
  for (const name of [SERVICE_ROLE, WORKER_ROLE]) {
    const [role] = await database.query<{ unbound: boolean; usable: boolean; self: string }>(
      `select rolsuper or rolbypassrls or rolcreaterole as unbound, pg_has_role(current_user, oid, 'SET') as usable,
              quote_ident(current_user) as self
         from pg_roles where rolname = $1`,
      [name],
    );
    if (role?.unbound !== false) {
      throw new IsolationError(`role ${name} must not be able to bypass row-level security`);
    }
    if (!role.usable) throw new RoleError(role.self);
  }
  for (const table of tables) {
    if (!table.secured || [SERVICE_ROLE, WORKER_ROLE].includes(table.owner)) {
      throw new IsolationError(`table ${table.name} is not under row-level security`);
    }
    if (await showsRowsWithoutClaims(database, table.name)) {
      throw new IsolationError(`table ${table.name} shows rows to a caller without claims`);
    }
  }
}

async function showsRowsWithoutClaims(database: Database, table: string): Promise<boolean> {
  try {
    const rows = await withoutScope(database, (tx) => tx.query(`select from ${table} limit 1`));
    return rows.length > 0;
  } catch (error) {
    if ((error as { code?: unknown }).code === '42501') return false;
    throw error;
  }
}
