import { type Database, type ScopedTransaction, transaction } from '../../db/driver/database.ts';
import { type AuditEntry, insertAuditEvents } from '../../db/queries/identity/audit.ts';
import type { Scope } from '../../shared/scope.ts';

/** What a command has done. */
export interface Applied<R> {
  result: R;
  /** One entry for each change. Empty if nothing changed. */
  audit: readonly AuditEntry[];
  /** Queues the jobs that follow. Runs last, because others who queue the same jobs wait until the transaction ends. */
  enqueue?: () => Promise<void>;
}

/**
 * A change, in the steps that every change has. The caller was authorised before, when its scope was made: by a guard of
 * the route, or by the job.
 */
export interface Command<S extends Scope, Locked, R, Prepared = undefined> {
  /** Does what is slow and needs no transaction: cutting a text, hashing, keeping contents. */
  prepare?: () => Promise<Prepared>;
  /** Locks the rows that the change depends on, and rechecks the rights of the caller. The first statements of the transaction. */
  lock: (tx: ScopedTransaction<S>, prepared: Prepared) => Promise<Locked>;
  /** Makes the change, or refuses it. Everything it writes is one transaction with its audit events. */
  apply: (tx: ScopedTransaction<S>, locked: Locked, prepared: Prepared) => Promise<Applied<R>>;
  /** Deletes what `prepare` left behind. Called when the change was refused or has failed. */
  discard?: (prepared: Prepared) => Promise<void>;
}

/** Runs in the transaction of a command, around its steps. */
type Wrap<S extends Scope, R> = (tx: ScopedTransaction<S>, steps: () => Promise<R>) => Promise<R>;

/**
 * Runs a command: prepare, then in one transaction lock and recheck, apply, audit, enqueue.
 * @param wrap what else belongs to the transaction, as the answer that is kept for an Idempotency-Key
 * @returns the result of `apply`
 */
export async function runCommand<S extends Scope, Locked, R, Prepared = undefined>(
  database: Database,
  scope: S,
  command: Command<S, Locked, R, Prepared>,
  wrap: Wrap<S, R> = (_, steps) => steps(),
): Promise<R> {
  const prepared = (await command.prepare?.()) as Prepared;
  try {
    return await transaction(database, scope, (tx) =>
      wrap(tx, async () => {
        const locked = await command.lock(tx, prepared);
        const { result, audit, enqueue } = await command.apply(tx, locked, prepared);
        if (audit.length > 0) insertAuditEvents(tx, audit);
        await enqueue?.();
        return result;
      }),
    );
  } catch (error) {
    await command.discard?.(prepared);
    throw error;
  }
}
