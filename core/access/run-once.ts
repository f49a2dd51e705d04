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
import { type Command, type PreparedCommand, runCommandWithin } from './run-command.ts';

/** What a caller is answered, at first and on every repeat: the status of the answer, a 2xx, and its body. */
export interface Answer {
  status: number;
  body: unknown;
}

/** How a command with an Idempotency-Key is answered. */
interface Answering<R> {
  answer: (result: R) => Answer;
  /** Refuses a stored answer if the caller can no longer read what it shows. */
  checkStoredAnswer?: (body: unknown) => void;
}

/** A command whose answer is stored for its Idempotency-Key. */
export type OnceCommand<Locked, R> = Command<TeamScope, Locked, R> & Answering<R>;
/** The same, for a command that prepares something before its transaction. */
export type PreparedOnceCommand<Locked, R, Prepared> = PreparedCommand<TeamScope, Locked, R, Prepared> &
  Answering<R>;

/** Keys whose first request runs in this process now. Between processes the lock in the database decides. */
const running = new WeakMap<Database, Set<string>>();

/**
 * Runs a command once for its key. A repeat gets the answer of the first: only `checkStoredAnswer` runs, and none of
 * the steps.
 * @param key null to run it without a key
 * @throws ServiceError `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function runOnce<Locked, R, Prepared>(
  database: Database,
  scope: TeamScope,
  key: AnswerKey | null,
  command: OnceCommand<Locked, R> | PreparedOnceCommand<Locked, R, Prepared>,
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
    if (error instanceof Replayed) return error.answer;
    throw error;
  } finally {
    keys.delete(name);
  }
}

async function runFirst<Locked, R, Prepared>(
  database: Database,
  scope: TeamScope,
  key: AnswerKey,
  command: OnceCommand<Locked, R> | PreparedOnceCommand<Locked, R, Prepared>,
): Promise<Answer> {
  return runCommandWithin(database, scope, command, async (tx, steps) => {
    if (!(await lockAnswer(tx, key))) throw new ServiceError('idempotency_in_progress');
    const first = await findAnswer(tx, key);
    if (first !== null) throw new Replayed(replay(first, key, command));
    const answer = command.answer(await steps());
    await insertAnswer(tx, key, { bodyHash: key.bodyHash, status: answer.status, response: answer.body });
    return answer;
  });
}

function replay(
  stored: StoredAnswer,
  key: AnswerKey,
  { checkStoredAnswer }: { checkStoredAnswer?: (body: unknown) => void },
): Answer {
  if (!stored.bodyHash.equals(key.bodyHash)) throw new ServiceError('idempotency_key_reused');
  checkStoredAnswer?.(stored.response);
  return { status: stored.status, body: stored.response };
}

/** Another process was first, after this one had looked: what was prepared here is deleted, and its answer given. */
class Replayed extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('replayed');
    this.answer = answer;
  }
}
