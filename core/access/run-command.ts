import {
  type Database,
  type ScopedTransaction,
  type TeamTransaction,
  transaction,
} from '../../db/driver/database.ts';
import { type AuditEntry, insertAuditEvents } from '../../db/queries/identity/audit.ts';
import { isWithdrawal } from '../../shared/schemas/audit-kinds.ts';
import type { Scope, TeamScope } from '../../shared/scope.ts';
import type { DefaultQuota } from '../../shared/settings/team-settings.ts';
import { assertWithinQuota } from './assert-within-quota.ts';

/** The result of a part of a command, with the audit entries that the command must return. */
export interface Recorded<R> {
  result: R;
  /** One entry for each change. Empty if nothing changed. */
  audit: readonly AuditEntry[];
}

/** What a command has done. */
export interface Applied<R> extends Recorded<R> {
  /**
   * Enqueues the jobs that follow. The last step of the command, because others who enqueue the same jobs wait until
   * the transaction ends.
   */
  enqueue?: () => Promise<void>;
}

/** The steps of a command in its transaction. `Prepared` is the result of `prepare`; `undefined` without it. */
interface Steps<S extends Scope, Locked, R, Prepared> {
  /**
   * Locks the rows that the change depends on, and rechecks the rights of the caller. The first step of the
   * transaction.
   */
  lock: (tx: ScopedTransaction<S>, prepared: Prepared) => Promise<Locked>;
  /** Makes the change, or refuses it. Everything it writes is one transaction with its audit events. */
  apply: (tx: ScopedTransaction<S>, locked: Locked, prepared: Prepared) => Promise<Applied<R>>;
  /**
   * Of a change that can add texts or files: the quota of a Team that has none of its own. The change is refused with
   * `quota_exceeded` if it adds something and the Team is over its quota then.
   */
  quota?: S extends TeamScope ? DefaultQuota : never;
}

/**
 * A change, in the steps that every change has. The caller was authorised before, when its scope was made by a guard
 * of the route.
 */
export interface Command<S extends Scope, Locked, R> extends Steps<S, Locked, R, undefined> {
  prepare?: undefined;
}

/** A command that prepares something before its transaction. */
export interface PreparedCommand<S extends Scope, Locked, R, Prepared> extends Steps<S, Locked, R, Prepared> {
  /** Does what is slow and needs no transaction: cutting a text, hashing, storing contents. */
  prepare: () => Promise<Prepared>;
  /** Deletes what `prepare` stored. Called if the change was refused or has failed. */
  deleteStaged?: (prepared: Prepared) => Promise<void>;
}

/**
 * Runs a command: prepare, then in one transaction lock and recheck, apply, audit, enqueue.
 * @returns the result of `apply`
 */
export function runCommand<S extends Scope, Locked, R, Prepared>(
  database: Database,
  scope: S,
  command: PreparedCommand<S, Locked, R, Prepared>,
): Promise<R>;
export function runCommand<S extends Scope, Locked, R>(
  database: Database,
  scope: S,
  command: Command<S, Locked, R>,
): Promise<R>;
export function runCommand<S extends Scope, Locked, R, Prepared>(
  database: Database,
  scope: S,
  command: Command<S, Locked, R> | PreparedCommand<S, Locked, R, Prepared>,
): Promise<R> {
  return runCommandWithin(database, scope, command, (_, steps) => steps());
}

/**
 * Runs a command as `runCommand` does, with more in its transaction.
 * @param wrap runs the steps of the transaction, and what else belongs to it: an answer that is stored for a key
 * @returns what `wrap` returns
 */
export async function runCommandWithin<S extends Scope, Locked, R, Prepared, T>(
  database: Database,
  scope: S,
  command: Command<S, Locked, R> | PreparedCommand<S, Locked, R, Prepared>,
  wrap: (tx: ScopedTransaction<S>, steps: () => Promise<R>) => Promise<T>,
): Promise<T> {
  const audited: AuditEntry[] = [];
  const result = await runWithin(database, scope, command, wrap, audited);
  // Before the caller is told, so that its next read, on a replica and by any process, finds the change.
  const withdraws = audited.some(({ kind }) => isWithdrawal(kind));
  await database.replica?.noteChange(scope, withdraws);
  return result;
}

async function runWithin<S extends Scope, Locked, R, Prepared, T>(
  database: Database,
  scope: S,
  command: Command<S, Locked, R> | PreparedCommand<S, Locked, R, Prepared>,
  wrap: (tx: ScopedTransaction<S>, steps: () => Promise<R>) => Promise<T>,
  audited: AuditEntry[],
): Promise<T> {
  if (command.prepare === undefined) {
    return transaction(database, scope, (tx) => wrap(tx, () => runSteps(tx, command, undefined, audited)));
  }
  const prepared = await command.prepare();
  try {
    return await transaction(database, scope, (tx) =>
      wrap(tx, () => runSteps(tx, command, prepared, audited)),
    );
  } catch (error) {
    await command.deleteStaged?.(prepared);
    throw error;
  }
}

/** @param audited gets the entries of the change */
async function runSteps<S extends Scope, Locked, R, Prepared>(
  tx: ScopedTransaction<S>,
  { lock, apply, quota }: Steps<S, Locked, R, Prepared>,
  prepared: Prepared,
  audited: AuditEntry[],
): Promise<R> {
  const locked = await lock(tx, prepared);
  const { result, audit, enqueue } = await apply(tx, locked, prepared);
  if (quota !== undefined) await assertWithinQuota(tx as TeamTransaction, quota);
  if (audit.length > 0) insertAuditEvents(tx, audit);
  audited.push(...audit);
  await enqueue?.();
  return result;
}
