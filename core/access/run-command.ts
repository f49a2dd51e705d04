import {
  type Database,
  readOnce,
  type ScopedTransaction,
  type TeamTransaction,
  transaction,
} from '../../db/driver/database.ts';
import { type AuditEntry, insertAuditEvents } from '../../db/queries/audit.ts';
import {
  type AnswerKey,
  findAnswer,
  insertAnswer,
  lockAnswer,
  type StoredAnswer,
} from '../../db/queries/upkeep.ts';
import type { RunningJob } from '../../db/queue/queue.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { QueueName } from '../../shared/queues.ts';
import { isWithdrawal } from '../../shared/schemas/audit.ts';
import type { Scope, TeamScope } from '../../shared/scope.ts';
import type { DefaultQuota } from '../../shared/settings/team-settings.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertWithinQuota } from './lock-and-recheck.ts';

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

/**
 * A change, in the steps that every change has. The caller was authorised before, when its scope was made by a guard
 * of the route. `Prepared` is the result of `prepare`.
 */
export interface Command<S extends Scope, Locked, R, Prepared = undefined> {
  /** Does what is slow and needs no transaction: cutting a text, hashing, storing contents. */
  prepare?: () => Promise<Prepared>;
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
  /** Deletes what was stored before the transaction. Called if the change was refused or has failed. */
  deleteStaged?: (prepared: Prepared) => Promise<void>;
}

/**
 * Runs a command: prepare, then in one transaction lock and recheck, apply, audit, enqueue.
 * @returns the result of `apply`
 */
export function runCommand<S extends Scope, Locked, R, Prepared = undefined>(
  database: Database,
  scope: S,
  command: Command<S, Locked, R, Prepared>,
): Promise<R> {
  return runCommandWithin(database, scope, command, (_, steps) => steps());
}

/**
 * Runs a command as `runCommand` does, with more in its transaction.
 * @param wrap runs the steps of the transaction, and what else belongs to it: an answer that is stored for a key
 * @returns what `wrap` returns
 */
async function runCommandWithin<S extends Scope, Locked, R, Prepared, T>(
  database: Database,
  scope: S,
  { prepare, lock, apply, quota, deleteStaged }: Command<S, Locked, R, Prepared>,
  wrap: (tx: ScopedTransaction<S>, steps: () => Promise<R>) => Promise<T>,
): Promise<T> {
  // Without `prepare`, the other steps ask for nothing that was prepared.
  const prepared = (await prepare?.()) as Prepared;
  let withdraws = false;
  const runSteps = async (tx: ScopedTransaction<S>) => {
    const locked = await lock(tx, prepared);
    const { result, audit, enqueue } = await apply(tx, locked, prepared);
    if (quota !== undefined) await assertWithinQuota(tx as TeamTransaction, quota);
    if (audit.length > 0) insertAuditEvents(tx, audit);
    withdraws = audit.some(({ kind }) => isWithdrawal(kind));
    await enqueue?.();
    return result;
  };
  const result = await transaction(database, scope, (tx) => wrap(tx, () => runSteps(tx))).catch(
    async (error: unknown) => {
      await deleteStaged?.(prepared);
      throw error;
    },
  );
  // Before the caller is told, so that its next read, on a replica and by any process, finds the change.
  await database.replica?.noteChange(scope, withdraws);
  return result;
}

/**
 * A change that a job makes. Its audit events name the user of the job's scope. Nothing is locked before `apply`, so that
 * must check the state of each row that it changes.
 */
export type JobCommand<R> = Pick<Command<TeamScope, void, R>, 'apply' | 'quota' | 'deleteStaged'>;

/**
 * Runs a command as `runCommand` does, and completes its job in the same transaction, as the last step. No rights are
 * rechecked: they were checked in the transaction that enqueued the job.
 * @throws LostJobError if another worker runs the job now. Nothing is changed
 */
export function runAndComplete<Q extends QueueName, R>(
  { database, queue }: Pick<Dependencies, 'database' | 'queue'>,
  scope: TeamScope,
  name: Q,
  job: RunningJob<Q>,
  command: JobCommand<R>,
): Promise<R> {
  return runCommandWithin(database, scope, { ...command, lock: async () => {} }, async (tx, steps) => {
    const result = await steps();
    await queue.complete(tx, name, job);
    return result;
  });
}

/** What a caller is answered, at first and on every repeat: the status of the answer, a 2xx, and its body. */
export interface Answer {
  status: number;
  body: unknown;
}

/** A command whose answer is stored for its Idempotency-Key. */
export interface OnceCommand<Locked, R, Prepared = undefined>
  extends Command<TeamScope, Locked, R, Prepared> {
  answer: (result: R) => Answer;
  /**
   * Returns what the caller can still read of the stored body of an answer: its records can have been moved since, or the
   * caller can have lost access to them.
   * @throws ServiceError if the caller can no longer read the record that the request made
   */
  recheckAnswer?: (body: unknown) => unknown;
}

/** Keys whose first request runs in this process now. Between processes the lock in the database decides. */
const running = new WeakMap<Database, Set<string>>();

/**
 * Runs a command once for its key. A repeat gets the answer of the first: only `recheckAnswer` runs, and none of the
 * steps.
 * @param key null to run it without a key
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`; `not_found` if what the first request stored
 *   was purged; those of `recheckAnswer`
 */
export async function runOnce<Locked, R, Prepared>(
  database: Database,
  scope: TeamScope,
  key: AnswerKey | null,
  command: OnceCommand<Locked, R, Prepared>,
): Promise<Answer> {
  if (key === null) {
    return runCommandWithin(database, scope, command, async (_, steps) => command.answer(await steps()));
  }
  const earlier = await readOnce(database, scope, (tx) => findAnswer(tx, key));
  if (earlier !== null) return replay(earlier, key, command);
  const keys = running.get(database) ?? new Set();
  running.set(database, keys);
  const name = `${scope.teamId} ${scope.userId} ${key.route} ${key.keyHash.toString('hex')}`;
  if (keys.has(name)) throw new ServiceError('idempotency_in_progress');
  keys.add(name);
  try {
    return await runFirst(database, scope, key, command);
  } catch (error) {
    if (error instanceof Repeated) return await replay(error.first, key, command);
    throw error;
  } finally {
    keys.delete(name);
  }
}

async function runFirst<Locked, R, Prepared>(
  database: Database,
  scope: TeamScope,
  key: AnswerKey,
  command: OnceCommand<Locked, R, Prepared>,
): Promise<Answer> {
  return runCommandWithin(database, scope, command, async (tx, steps) => {
    if (!(await lockAnswer(tx, key))) throw new ServiceError('idempotency_in_progress');
    const first = await findAnswer(tx, key);
    if (first !== null) throw new Repeated(first);
    const answer = command.answer(await steps());
    await insertAnswer(tx, key, { bodyHash: key.bodyHash, status: answer.status, response: answer.body });
    return answer;
  });
}

async function replay(
  { bodyHash, status, response }: StoredAnswer,
  key: AnswerKey,
  { recheckAnswer }: Pick<OnceCommand<never, never>, 'recheckAnswer'>,
): Promise<Answer> {
  if (!bodyHash.equals(key.bodyHash)) throw new ServiceError('idempotency_key_reused');
  if (response === null) throw goneAnswer();
  return { status, body: recheckAnswer === undefined ? response : await recheckAnswer(response) };
}

/** The error of a repeat of a request whose record the caller can no longer read, whether or not it exists. */
export const goneAnswer = () =>
  new ServiceError(
    'not_found',
    'What the first request with this Idempotency-Key stored was deleted, or is out of your reach; to store it again, use another key',
  );

/** Another process was first, after this one had looked. What was prepared here is deleted. */
class Repeated extends Error {
  readonly first: StoredAnswer;
  constructor(first: StoredAnswer) {
    super('the request is a repeat');
    this.first = first;
  }
}
