import type {
  Queryable,
  ScopedTransaction,
  TeamTransaction,
  TeamWorkerTransaction,
  WorkerTransaction,
} from '../driver/database.ts';

/**
 * The SQL functions that operations and jobs call by their name: the transaction that each needs, its arguments and its
 * result. What a function does is written above it in `db/functions`. Those that return a number of rows are called again
 * until it is 0.
 */
interface SqlFunctions {
  'identity.is_team_name_taken': (tx: ScopedTransaction, teamId: string, foldedName: string) => boolean;
  'identity.lock_password_hash': (tx: ScopedTransaction) => string | null;
  'identity.purge_team': (tx: TeamWorkerTransaction, limit: number) => boolean;
  'memory.backfill_pending': (tx: WorkerTransaction, after: string | null, limit: number) => string | null;
  'memory.expire_kept_sources': (tx: WorkerTransaction) => void;
  'memory.finish_backfill': (tx: WorkerTransaction) => void;
  'memory.is_adopted_model': (tx: Queryable, model: string) => boolean;
  'memory.lock_kept_source': (tx: TeamTransaction, sourceId: string, days: number) => number | null;
  'memory.next_unsealed': (tx: WorkerTransaction, afterCompany: string | null) => string | null;
  'memory.prune_import_payloads': (tx: WorkerTransaction, days: number, limit: number) => number;
  'memory.prune_kept_sources': (tx: WorkerTransaction, days: number, limit: number) => number;
  'memory.prune_loading_chunks': (tx: WorkerTransaction, limit: number) => number;
  'memory.prune_old_vectors': (tx: WorkerTransaction, limit: number) => number;
  'memory.prune_searches': (tx: WorkerTransaction, days: number, limit: number) => number;
  'memory.release_captures': (tx: WorkerTransaction, limit: number) => number;
  'memory.seal_audit': (tx: WorkerTransaction, companyId: string, limit: number) => number;
  'memory.seconds_until_forget': (tx: TeamTransaction, max: number, seconds: number) => number;
}

type Rest<F> = F extends (tx: never, ...rest: infer R) => unknown ? R : never;

/** Calls a SQL function that returns one value. */
export async function call<N extends keyof SqlFunctions>(
  tx: Parameters<SqlFunctions[N]>[0],
  name: N,
  ...args: Rest<SqlFunctions[N]>
): Promise<ReturnType<SqlFunctions[N]>> {
  const places = args.map((_, index) => `$${index + 1}`).join(', ');
  const [row] = await tx.query<{ result: ReturnType<SqlFunctions[N]> }>(
    `select ${name}(${places}) as result`,
    args,
  );
  if (row === undefined) throw new Error(`${name} returned no row`);
  return row.result;
}
