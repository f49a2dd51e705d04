import { createHash } from 'node:crypto';
import { escapeLiteral } from 'pg';
import type { CompanyScope, Scope, TeamScope } from '../../shared/scope.ts';
import type { UnreadReason } from './faults.ts';

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

/** A statement with its values, as `query` takes them. */
export interface Statement {
  text: string;
  values?: readonly unknown[];
}

/** The names of the statements of `prepared`, by their text. */
const PREPARED = new Map<string, string>();

/**
 * Marks a statement that is sent often. Each connection parses it once, under a name, and keeps it. So the text must be
 * a constant. The name depends on the text, because connections can outlive a process behind a pooler.
 * @returns the text
 */
export function prepared(text: string): string {
  PREPARED.set(text, `memory-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`);
  return text;
}

/** Returns the name of a statement that is marked with `prepared`. */
export function preparedName(text: string): string | undefined {
  return PREPARED.get(text);
}

/** The settings of a transaction. */
export interface Opening {
  /** `set local` statements without values, which are sent together with `begin`. Empty: none. */
  text: string;
  /**
   * The next statement is sent together with these, which saves a round trip. It must only read, because it runs
   * outside of a transaction if `begin` fails. Its result is then not returned.
   */
  isSentWithFirstRead?: boolean;
  /** Whether the transaction refuses changes. */
  isReadOnly?: boolean;
  /** Whether all statements see the database as it is at the first one, which can be of `text`. */
  isOneMoment?: boolean;
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

/** A position in the log of a primary, which rises with every change. As PostgreSQL writes it: `16/B374D848`. */
export type LogPosition = string;

/** A server with a copy of the database, or several behind one address. */
export interface Replica {
  /**
   * Reads from the replica if it has this position of the primary's log, and all that is older than the longest lag.
   * @returns the result, or why the primary must be read
   * @throws what `run` throws if the primary would fail too
   */
  read<T>(
    needed: LogPosition | null,
    run: (from: Database) => Promise<T>,
  ): Promise<{ result: T } | { unread: UnreadReason }>;
  /**
   * Notes that the user of the scope has changed something, after it was committed. If that is not possible, a warning is
   * logged.
   * @param withdraws whether somebody can read less of the Team of the scope now. Then no caller of the Team reads a replica
   *   that does not have the change
   */
  noteChange(scope: Scope, withdraws: boolean): Promise<void>;
  /** Whether it answers, and lags less than the longest lag. */
  isUsable(): boolean;
  /** How many of the reads that a replica can answer each server has answered, and why the primary has. */
  readonly counts: { primary: Record<UnreadReason, number>; replica: number };
  /** Its connection pool now. */
  connections(): Connections | null;
  /** Closes the connections to it. */
  close(): Promise<void>;
}

/** The port to the database, for all code except the drivers. Statements run as the role that connected. */
export interface Database extends Queryable {
  readonly backend: 'postgres' | 'pglite';
  /** Absent without `MEMORY_DATABASE_REPLICA_URL`. It is closed with the database. */
  readonly replica?: Replica;
  /**
   * Runs `fn` in one transaction, which is committed when `fn` resolves and rolled back when it rejects. `fn` must
   * query only through the connection that it is given: with the embedded database, waiting for any other query is a
   * deadlock. A statement that `fn` does not wait for is a part of the transaction as well: if it fails, so does the
   * transaction.
   * @param opening runs before `fn`
   */
  transaction<T>(fn: (tx: Queryable) => Promise<T>, opening?: Opening): Promise<T>;
  /** Runs several statements without values, for example a migration. It has no client time-out. */
  script(tx: Queryable, text: string): Promise<void>;
  /** The connection pool now. Null with the embedded database, which has one connection. */
  connections(): Connections | null;
  /** Whether changes can be stored now. False while the disk of the embedded database is almost full. */
  canWrite(): boolean;
  /** How many bytes are free on the disk of the embedded database. Null if that is unknown, as for a server. */
  freeBytes(): number | null;
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
}
export type TeamTransaction = ScopedTransaction<TeamScope>;

/**
 * A transaction of the worker's role. Queries that call its functions require this type, so no request can run them.
 */
export interface WorkerTransaction extends Queryable {
  readonly role: typeof WORKER_ROLE;
}
export type TeamWorkerTransaction = TeamTransaction & WorkerTransaction;

const setLocal = (name: string, value: string) => `set local ${name} = ${escapeLiteral(value)}`;

/** Whether a plan is made for each statement with its values, or can be kept. */
type Plans = 'force_custom_plan' | 'auto';

const setRole = (role: string): Opening => ({ text: setLocal('role', role) });

/**
 * Sets the role and the claims of a scope until the transaction ends. With `set local`, because a cluster of several
 * database servers passes on to the others what that has set, and not what `set_config` has.
 */
function setClaims(
  role: typeof SERVICE_ROLE | typeof WORKER_ROLE,
  scope: Scope,
  plans: Plans = 'force_custom_plan',
): Opening {
  return {
    text: [
      setLocal('role', role),
      ...claimSettings(scope),
      setLocal('plan_cache_mode', plans),
      'set local jit = off',
    ].join('; '),
  };
}

const claimSettings = (scope: Scope) =>
  Object.entries(claimsOf(scope)).map(([name, value]) => setLocal(`app."${name}"`, value));

/** The settings that row-level security reads, which begin with `app.`. */
function claimsOf(scope: Scope): Record<string, string> {
  const { companyId: company, userId: user } = scope;
  const none = {
    company,
    user,
    team: '',
    reads: '{}',
    writes: '{}',
    token: '',
  };
  if (!('teamId' in scope)) return none;
  return {
    ...none,
    team: scope.teamId,
    reads: `{${scope.reads.join(',')}}`,
    writes: `{${scope.writes.join(',')}}`,
    token: scope.tokenId ?? '',
  };
}

/**
 * Runs `fn` in one transaction as the service's role, with the claims of the scope.
 * @param plans `auto`: statements of `prepared` can keep their plans, which must suit a Team of every size
 */
export function transaction<S extends Scope, T>(
  database: Database,
  scope: S,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
  plans: Plans = 'force_custom_plan',
): Promise<T> {
  return database.transaction(({ query }) => fn({ scope, query }), setClaims(SERVICE_ROLE, scope, plans));
}

/**
 * Runs `fn` in another scope, as a part of a transaction, and goes on in the first scope then: for a change of another Company,
 * whose audit event belongs to the Company of the caller.
 */
export async function withinScope<T>(
  tx: ScopedTransaction<CompanyScope>,
  scope: CompanyScope,
  fn: (tx: ScopedTransaction<CompanyScope>) => Promise<T>,
): Promise<T> {
  const setScope = async (to: CompanyScope) => {
    for (const claim of claimSettings(to)) await tx.query(claim);
  };
  await setScope(scope);
  const result = await fn({ scope, query: tx.query });
  // If `fn` fails, so does the transaction, whatever its claims are.
  await setScope(tx.scope);
  return result;
}

/**
 * Runs `fn` as `transaction` does. All its statements see the database as it is at the first one, also if others commit
 * changes before the last one. They must only read.
 */
export function readTogether<S extends Scope, T>(
  database: Database,
  scope: S,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
): Promise<T> {
  const opening = { ...setClaims(SERVICE_ROLE, scope), isReadOnly: true, isOneMoment: true };
  return database.transaction(({ query }) => fn({ scope, query }), opening);
}

/**
 * Runs `fn` as `transaction` does. The first statement of `fn` must only read. It is sent together with `begin` and the
 * claims, which saves a round trip. A statement of `prepared` keeps its plan if PostgreSQL finds that its values do not
 * matter: so its plan must suit a Team of every size.
 */
export function transactionWithFirstRead<S extends Scope, T>(
  database: Database,
  scope: S,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
): Promise<T> {
  const opening = { ...setClaims(SERVICE_ROLE, scope, 'auto'), isSentWithFirstRead: true };
  return database.transaction(({ query }) => fn({ scope, query }), opening);
}

/**
 * Runs `fn` as `transaction` does. `fn` must consist of one statement that only reads. It is sent together with `begin`,
 * the claims and `commit`, in one round trip. A later statement of `fn` is refused.
 */
export async function readOnce<S extends Scope, T>(
  database: Database,
  scope: S,
  fn: (tx: ScopedTransaction<S>) => Promise<T>,
): Promise<T> {
  return inOneRoundTrip(database, ({ query }) => fn({ scope, query }), setClaims(SERVICE_ROLE, scope));
}

/**
 * Runs `fn` in one transaction, in one round trip. `fn` must consist of one statement, which runs outside of a transaction if
 * the opening fails.
 */
export async function inOneRoundTrip<T>(
  database: Pick<Database, 'transaction'>,
  fn: (tx: Queryable) => Promise<T>,
  opening: Opening,
): Promise<T> {
  const sent = await database.transaction(
    async (tx) => {
      const result = fn(tx);
      // If the statement fails, the transaction fails with its error.
      result.catch(() => undefined);
      return { result };
    },
    { ...opening, isSentWithFirstRead: true },
  );
  return sent.result;
}

/** Runs `fn` in one transaction as the worker's role, with the claims of the scope. */
export function workerTransaction<T>(
  database: Database,
  scope: TeamScope,
  fn: (tx: TeamWorkerTransaction) => Promise<T>,
): Promise<T> {
  return database.transaction(
    ({ query }) => fn({ scope, query, role: WORKER_ROLE }),
    setClaims(WORKER_ROLE, scope),
  );
}

/**
 * Runs `fn` in one transaction as the service's role without claims, for login and before it. Every tenant table is
 * empty or refused. Only the functions that find a record by the exact hash of a secret, or an account by its email,
 * return rows.
 */
export function withoutScope<T>(database: Database, fn: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.transaction(fn, setRole(SERVICE_ROLE));
}

/** Runs `fn` in one transaction as the worker's role without claims, for upkeep in all Teams. */
export function asWorker<T>(database: Database, fn: (tx: WorkerTransaction) => Promise<T>): Promise<T> {
  return database.transaction(({ query }) => fn({ query, role: WORKER_ROLE }), setRole(WORKER_ROLE));
}
