import type { Scope, TeamScope } from '../../shared/scope.ts';

/** One statement against the database. What types it returns: see `postgres.ts`. */
export interface Queryable {
  /**
   * @param text one statement, with `$1` … for the values
   * @param values strings, numbers, booleans, null, Date, arrays of these, and bytes (`Uint8Array`), which go
   *   over the wire as they are: as bytea, or in the binary form of the parameter's own type
   */
  readonly query: <R extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ) => Promise<R[]>;
}

/** The connections of a driver that has several. */
export interface Connections {
  /** How many there may be. */
  max: number;
  open: number;
  /** Of those that are open. */
  idle: number;
  /** Statements and transactions that wait for one. */
  waiting: number;
}

/** The port that everything but the drivers takes. Statements run here as the role that connected. */
export interface Database extends Queryable {
  readonly backend: 'postgres' | 'pglite';
  /**
   * Runs `fn` in one transaction: committed when it resolves, rolled back when it rejects. With the embedded
   * database a query outside it that it waits for is a deadlock: use the given connection alone.
   * @param opening whether `begin` may go out together with the first statement of `fn`, and not a round trip before
   *   it: where it does no harm outside a transaction, as it will stand should `begin` alone fail
   */
  transaction<T>(fn: (tx: Queryable) => Promise<T>, opening?: 'together'): Promise<T>;
  /** Runs several statements without values, as in a migration. */
  script(tx: Queryable, text: string): Promise<void>;
  /** How its connections stand now. Null where it has but one, to the engine in this process. */
  connections(): Connections | null;
  /** Whether changes can be stored now: not while the disk of the embedded database is almost full. */
  canWrite(): boolean;
  /** Closes what was opened. Closing twice is fine. */
  close(): Promise<void>;
}

/** The role as which the service works: neither superuser, nor owner of a table, nor BYPASSRLS. */
export const SERVICE_ROLE = 'memory_service';
/**
 * The role as which the worker does upkeep of all Teams: it has what the service's role has, and alone can run the
 * functions that prune, seal and purge. A mistake in a request's code cannot reach those.
 */
export const WORKER_ROLE = 'memory_worker';

/**
 * A transaction within a scope. Queries on tenant data take this type, so none can be asked without a scope,
 * and the scope asked for and the claims set can never differ.
 */
export interface ScopedTransaction<S extends Scope = Scope> extends Queryable {
  readonly scope: S;
  /** Sends a statement whose rows nobody reads, and does not wait for it: should it fail, the transaction does. */
  readonly send: (text: string, values: readonly unknown[]) => void;
}
export type TeamTransaction = ScopedTransaction<TeamScope>;

/** A transaction of the worker's role. Queries that call its functions take this type, so no request can ask them. */
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
 * @param readsFirst whether the first statement of `fn` only reads, and so may leave together with `begin` and the
 *   claims: without them, should `begin` alone fail, it reads as the role that connected, and nobody gets its rows
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
      // Heard below: until then nobody waits for it.
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
    // What was not waited for is why the commit failed, or the statement behind it.
    await Promise.all(sent);
  }
}

/**
 * Runs `fn` in one transaction as the service's role with no claims: every tenant table is empty or refused,
 * and only the functions that look one secret up by exact match answer. For sign-in, and before it.
 */
export function withoutScope<T>(database: Database, fn: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query(`select set_config('role', '${SERVICE_ROLE}', true)`);
    return fn(tx);
  }, 'together');
}

/** Runs `fn` in one transaction as the worker's role with no claims: for upkeep that goes over all Teams. */
export function asWorker<T>(database: Database, fn: (tx: WorkerTransaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await tx.query(`select set_config('role', '${WORKER_ROLE}', true)`);
    return fn({ query: tx.query, role: WORKER_ROLE });
  });
}
