import type { Source } from '../../shared/schemas/sources.ts';
import type { CompanyScope, LayerId } from '../../shared/scope.ts';
import type {
  Queryable,
  ScopedTransaction,
  TeamTransaction,
  TeamWorkerTransaction,
  WorkerTransaction,
} from '../driver/database.ts';
import type { Seal } from './audit.ts';
import type { LayerSize } from './search/terms.ts';
import type { FileSource } from './workspace/indexing.ts';

/**
 * The SQL functions that operations and jobs call by their name: the transaction that each needs, its arguments and its
 * result. What a function does is written above it in `db/functions`. Those that return a number of rows are called again
 * until it is 0.
 */
interface SqlFunctions {
  'identity.count_companies': (tx: Queryable, limit: number) => number;
  'identity.end_reset_request': (tx: WorkerTransaction, id: string) => void;
  'identity.is_team_name_taken': (tx: ScopedTransaction, teamId: string, foldedName: string) => boolean;
  'identity.lock_password_hash': (tx: ScopedTransaction) => string | null;
  'identity.purge_team': (tx: TeamWorkerTransaction, limit: number) => boolean;
  'identity.reopen_reset_request': (tx: WorkerTransaction, id: string) => void;
  'identity.request_reset': (tx: Queryable, id: string, email: string, max: number | null) => boolean;
  'memory.backfill_pending': (tx: WorkerTransaction, after: string | null, limit: number) => string | null;
  'memory.company_has_records': (tx: ScopedTransaction<CompanyScope>) => boolean;
  'memory.count_sources': (
    tx: TeamTransaction,
    kind: Source['kind'] | null,
    state: Source['state'] | null,
  ) => number;
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

/** A layer of any Team. */
interface AnyLayer {
  companyId: string;
  teamId: string;
  layerId: LayerId;
}
type AnyTeam = Omit<AnyLayer, 'layerId'>;

/** The same of functions that return rows: a row, whose columns have their names in camel case. */
interface SqlRowFunctions {
  'identity.accounts_with_email': (
    tx: WorkerTransaction,
    email: string,
  ) => { companyId: string; userId: string };
  'identity.begin_reset_request': (
    tx: WorkerTransaction,
    id: string,
    seconds: number,
  ) => { email: string; openSends: number };
  'identity.insert_expiry_mails': (
    tx: WorkerTransaction,
    max: number | null,
    limit: number,
  ) => { companyId: string; mailId: string };
  'memory.count_audit': (tx: ScopedTransaction<CompanyScope>) => {
    events: number;
    unsealed: number;
    firstBreak: string | null;
  };
  'memory.due_layers': (tx: WorkerTransaction) => AnyLayer;
  'memory.file_sources': (tx: WorkerTransaction, limit: number) => FileSource;
  'memory.last_seal': (tx: WorkerTransaction, companyId: string) => Seal;
  'memory.layers_without_vectors': (tx: WorkerTransaction) => AnyLayer;
  'memory.outdated_teams': (tx: WorkerTransaction, termsVersion: number) => AnyTeam;
  'memory.prune_workspace_versions': (
    tx: WorkerTransaction,
    after: string | null,
    keep: number,
    limit: number,
  ) => { last: string | null; removed: number };
  'memory.queue_files': (
    tx: WorkerTransaction,
    teamId: string,
    extensions: readonly string[],
    names: readonly string[],
    buildNames: readonly string[],
    limit: number,
  ) => { versionId: string; layerId: LayerId; updatedBy: string; updatedByToken: string | null };
  'memory.stale_layers': (tx: TeamWorkerTransaction) => LayerSize;
  'memory.undecided_teams': (tx: WorkerTransaction) => AnyTeam;
}

type Rest<F> = F extends (tx: never, ...rest: infer R) => unknown ? R : never;
const placesOf = (args: readonly unknown[]) => args.map((_, index) => `$${index + 1}`).join(', ');

/** Calls a SQL function that returns one value. */
export async function call<N extends keyof SqlFunctions>(
  tx: Parameters<SqlFunctions[N]>[0],
  name: N,
  ...args: Rest<SqlFunctions[N]>
): Promise<ReturnType<SqlFunctions[N]>> {
  const [row] = await tx.query<{ result: ReturnType<SqlFunctions[N]> }>(
    `select ${name}(${placesOf(args)}) as result`,
    args,
  );
  if (row === undefined) throw new Error(`${name} returned no row`);
  return row.result;
}

/** Calls a SQL function that returns rows. */
export async function callRows<N extends keyof SqlRowFunctions>(
  tx: Parameters<SqlRowFunctions[N]>[0],
  name: N,
  ...args: Rest<SqlRowFunctions[N]>
): Promise<ReturnType<SqlRowFunctions[N]>[]> {
  const rows = await tx.query<Record<string, unknown>>(`select * from ${name}(${placesOf(args)})`, args);
  const names = Object.keys(rows[0] ?? {}).map(
    (column) => [column, column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())] as const,
  );
  const inCamelCase = (row: Record<string, unknown>) =>
    Object.fromEntries(names.map(([column, key]) => [key, row[column]]));
  return rows.map((row) => inCamelCase(row) as ReturnType<SqlRowFunctions[N]>);
}
