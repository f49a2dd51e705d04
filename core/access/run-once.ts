import { type Database, readOnce } from '../../db/driver/database.ts';
import {
  type AnswerKey,
  findAnswer,
  insertAnswer,
  lockAnswer,
  type StoredAnswer,
} from '../../db/queries/memory/idempotency.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { type Command, runCommandWithin } from './run-command.ts';

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
