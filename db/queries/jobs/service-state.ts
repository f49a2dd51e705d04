import type { Import } from '../../../shared/schemas/imports.ts';
import { TERMS_VERSION } from '../../../shared/text/terms.ts';
import type { Database, Queryable } from '../../driver/database.ts';

/** Figures of the whole service, without the data of any tenant. */
export interface ServiceState {
  /** Chunks that wait for a vector, with those of sources that are loading. */
  pendingChunks: number;
  /** Chunks whose terms a job makes again. */
  outdatedChunks: number;
  imports: Record<Import['state'], number>;
  /** How long the oldest audit event without a seal has waited. Null: all are sealed. */
  unsealedSeconds: number | null;
  databaseBytes: number;
}

/** Why the database stores no changes now: it only reads, as a replica does, or no synchronous replica confirms them. */
export type WriteObstacle = 'read_only' | 'no_synchronous_replica';

/**
 * Finds what prevents that changes are stored; null if nothing does. It runs as the connecting role, which sees its own
 * commits that wait. Which replicas are synchronous is shown only to roles that can read all statistics, but each role sees
 * whether there are any. One that has stopped without closing its connection is counted for up to a minute, and until then
 * the commits that wait are what shows it.
 */
export async function findWriteObstacle(database: Pick<Database, 'query'>): Promise<WriteObstacle | null> {
  const [row] = await database.query<{ obstacle: WriteObstacle | null }>(
    `select case
       when pg_is_in_recovery() then 'read_only'
       when current_setting('synchronous_standby_names') <> ''
            and current_setting('synchronous_commit') in ('on', 'remote_write', 'remote_apply')
            and (not exists (select from pg_stat_replication)
                 or exists (select from pg_stat_activity where wait_event = 'SyncRep'
                               and query_start < clock_timestamp() - interval '5 seconds'))
         then 'no_synchronous_replica'
       when current_setting('transaction_read_only') = 'on' then 'read_only' end as obstacle`,
  );
  if (row === undefined) throw new Error('the state of the database was not returned');
  return row.obstacle;
}

/** Reads figures of the whole service. Needs no scope, because they show no data of a tenant. */
export async function readServiceState(tx: Queryable): Promise<ServiceState> {
  const [row] = await tx.query<Omit<ServiceState, 'imports'> & { imports: Partial<ServiceState['imports']> }>(
    `select s.pending_chunks as "pendingChunks", memory.outdated_chunks($1) as "outdatedChunks",
            s.imports, s.unsealed_seconds as "unsealedSeconds", s.database_bytes as "databaseBytes"
       from memory.service_state() s`,
    [TERMS_VERSION],
  );
  if (row === undefined) throw new Error('the state of the service was not returned');
  return {
    ...row,
    imports: { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0, ...row.imports },
  };
}
