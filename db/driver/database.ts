import type { Scope, TeamScope } from '../../shared/scope.ts';

/** Runs statements. `postgres.ts` defines the types of the values that they return. */
export interface Queryable {
  /**
   * @param text one statement, with `$1` … for the values
   * @param values strings, numbers, booleans, null, Date, arrays of these, and bytes (`Uint8Array`). Bytes are
   *   sent unchanged: as bytea, or in the binary form of the parameter's type
   */
  readonly query: <R extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<R[]>;
}

/** The connection pool of a driver, in numbers. */
export interface Connections {
  /** How many connections there can be. */
  max: number;
  open: number;
  /** Open connections that are not in use. */
  idle: number;
  /** Statements and transactions that wait for a connection. */
  waiting: number;
}

/** The port to the database, for all code except the drivers. Statements run as the role that connected. */
export interface Database extends Queryable {
  readonly backend: 'postgres' | 'pglite';
  /**
   * Runs `fn` in one transaction, which is committed when `fn` resolves and rolled back when it rejects. `fn` must
   * query only through the connection that it is given: with the embedded database, waiting for any other query is a
   * deadlock.
   * @param opening `together` sends `begin` and the first statement of `fn` in one packet, which saves a round trip. If
   *   `begin` fails, that statement runs outside of a transaction, so it must be harmless there
   */
  transaction<T>(fn: (tx: Queryable) => Promise<T>, opening?: 'together'): Promise<T>;
  /** Runs several statements without values, for example a migration. It has no client time-out. */
  script(tx: Queryable, text: string): Promise<void>;
  /** The connection pool now. Null with the embedded database, which has one connection. */
  connections(): Connections | null;
  /** Whether changes can be stored now. False while the disk of the embedded database is almost full. */
  canWrite(): boolean;
  /** Closes the connections. A second call has no effect. */
  close(): Promise<void>;
}

/** The role that the service acts as. It is not a superuser, owns no table, and does not have BYPASSRLS. */
export const SERVICE_ROLE = 'memory_service';
/**
 * The role that the worker acts as for upkeep in all Teams. It has the rights of the service's role, and it is the only
 * role that can run the functions that prune, seal and purge. The code of a request cannot call them by mistake.
 */
export const WORKER_ROLE = 'memory_worker';

/**
 * A transaction within a scope. Queries of tenant data require this type, so they cannot run without a scope, and the
 * scope always equals the claims of the transaction.
 */
export interface ScopedTransaction<S extends Scope = Scope> extends Queryable {
  readonly scope: S;
  /** Sends a statement without a result, and does not wait for it. If it fails, the transaction fails. */
  readonly send: (text: string, values: readonly unknown[]) => void;
}
export type TeamTransaction = ScopedTransaction<TeamScope>;

/**
 * A transaction of the worker's role. Queries that call its functions require this type, so no request can run them.
 */
export interface WorkerTransaction extends Queryable {
  readonly role: typeof WORKER_ROLE;
}
export type TeamWorkerTransaction = TeamTransaction & WorkerTransaction;

const setClaims = (role: string) => `select set_config('role', '${role}', true),
  set_config('app.company', $1, true), set_config('app.user', $2, true), set_config('app.team', $3, true),
  set_config('app.reads_team', $4, true), set_config('app.reads_clients', $5, true),
  set_config('app.writes_team', $6, true), set_config('app.writes_clients', $7, true),
  set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`;
const SERVICE_CLAIMS = setClaims(SERVICE_ROLE);
const WORKER_CLAIMS = setClaims(WORKER_ROLE);

function claims(scope: Scope): string[] {
  if (!('teamId' in scope)) return [scope.companyId, scope.userId, '', 'false', '{}', 'false', '{}'];
  return [
    scope.companyId,
    scope.userId,
    scope.teamId,
    String(scope.reads.team),
    `{${scope.reads.clients.join(',')}}`,
    String(scope.writes.team),
    `{${scope.writes.clients.join(',')}}`,
  ];
}

/**
 * Runs `fn` in one transaction as the service's role, with the claims of the scope.
 * @param readsFirst whether the first statement of `fn` only reads, so that it can be sent in one packet with `begin`
 *   and the claims. If `begin` fails, that statement runs without claims, as the role that connected, but its rows are
 *   discarded
 */
export async function transaction<S extends Scope, T>(
  database: Database,
  scope: S,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
  { readsFirst = false } = {},
): Promise<T> {
  return withClaims(database, SERVICE_CLAIMS, scope, fn, readsFirst);
}

/** Runs `fn` in one transaction as the worker's role, with the claims of the scope. */
export function workerTransaction<T>(
  database: Database,
  scope: TeamScope,
  fn: (tx: TeamWorkerTransaction) => Promise<T>,
): Promise<T> {
  return withClaims(database, WORKER_CLAIMS, scope, (tx) => fn({ ...tx, role: WORKER_ROLE }), false);
}

async function withClaims<S extends Scope, T>(
  database: Database,
  setRoleAndClaims: string,
  scope: S,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
  readsFirst: boolean,
): Promise<T> {
  const sent: Promise<unknown>[] = [];
  const doing = database.transaction(async (tx) => {
    const send = (text: string, values: readonly unknown[]) => {
      const done = tx.query(text, values);
      // Awaited below. Until then a rejection must not count as unhandled.
      done.catch(() => undefined);
      sent.push(done);
    };
    send(setRoleAndClaims, claims(scope));
    if (!readsFirst) await Promise.all(sent);
    return fn({ scope, query: (text, values) => tx.query(text, values), send });
  }, 'together');
  try {
    return await doing;
  } finally {
    // If a statement that was sent without waiting has failed, its error is the cause of the other errors.
    await Promise.all(sent);
  }
}

/**
 * Runs `fn` in one transaction as the service's role without claims, for login and before it. Every tenant table is
 * empty or refused. Only the functions that find a record by the exact hash of a secret, or an account by its email,
 * return rows.
 */
export function withoutScope<T>(database: Database, fn: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query(`select set_config('role', '${SERVICE_ROLE}', true)`);
    return fn(tx);
  }, 'together');
}

/** Runs `fn` in one transaction as the worker's role without claims, for upkeep in all Teams. */
export function asWorker<T>(database: Database, fn: (tx: WorkerTransaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query(`select set_config('role', '${WORKER_ROLE}', true)`);
    return fn({ query: tx.query, role: WORKER_ROLE });
  });
}
