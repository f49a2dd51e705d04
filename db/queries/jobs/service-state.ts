import type { Import } from '../../../shared/schemas/imports.ts';
import type { Queryable } from '../../driver/database.ts';

/** Figures of the whole service, without the data of any tenant. */
export interface ServiceState {
  /** Chunks that wait for a vector, with those of sources that are loading. */
  pendingChunks: number;
  imports: Record<Import['state'], number>;
  /** How long the oldest audit event without a seal has waited. Null: all are sealed. */
  unsealedSeconds: number | null;
  databaseBytes: number;
}

/** Whether this transaction could change something: false on a standby. */
export async function readWritable(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ writable: boolean }>(
    `select current_setting('transaction_read_only') = 'off' as writable`,
  );
  return row?.writable === true;
}

/** Reads figures of the whole service. Needs no scope, because they show no data of a tenant. */
export async function readServiceState(tx: Queryable): Promise<ServiceState> {
  const [row] = await tx.query<Omit<ServiceState, 'imports'> & { imports: Partial<ServiceState['imports']> }>(
    `select s.pending_chunks as "pendingChunks",
            s.imports, s.unsealed_seconds as "unsealedSeconds", s.database_bytes as "databaseBytes"
       from memory.service_state() s`,
  );
  if (row === undefined) throw new Error('the state of the service was not returned');
  return {
    ...row,
    imports: { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0, ...row.imports },
  };
}
