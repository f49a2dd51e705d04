import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, preValidationAsyncHookHandler } from 'fastify';
import { type Database, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import {
  type AnswerKey,
  findAnswer,
  insertAnswer,
  lockAnswer,
  type StoredAnswer,
} from '../../db/queries/memory/idempotency.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { jsonHash } from '../../shared/formats/json-parts.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { letOthersRun } from './input.ts';

const MAX_KEY_LENGTH = 300;

/** What a route answers: kept and replayed only if it is a 2xx, which an effect that returns always is. */
export interface Answer {
  status: number;
  body: unknown;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

function keyHeader(request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header !== 'string' || header.trim() === '' || header.length > MAX_KEY_LENGTH) {
    throw invalidField('/Idempotency-Key', `must be 1 to ${MAX_KEY_LENGTH} characters`);
  }
  return header;
}

async function answerKey(request: FastifyRequest, header: string): Promise<AnswerKey> {
  await letOthersRun(request);
  return {
    route: `${request.method} ${request.url.split('?', 1)[0]}`,
    keyHash: sha256(header),
    bodyHash: await jsonHash(request.body ?? null, 'given'),
  };
}

function replay(stored: StoredAnswer, key: AnswerKey, effect: Pick<Effect<never>, 'checkKept'>): Answer {
  if (!stored.bodyHash.equals(key.bodyHash)) throw new ServiceError('idempotency_key_reused');
  effect.checkKept?.(stored.response);
  return { status: stored.status, body: stored.response };
}

/** `preValidation` of routes that answer once: a malformed key is a fault of form, and refused as early. */
export const readIdempotencyKey: preValidationAsyncHookHandler = async (request) => {
  keyHeader(request);
};

/** Keys whose first request runs in this process now. Across processes the lock in the database tells. */
const running = new WeakMap<Database, Set<string>>();

/** What a request does: the change itself, and before it the slow part that needs no transaction. */
export interface Effect<P> {
  /** Skipped on a replay. */
  prepare: () => Promise<P>;
  /** The change, in one transaction with the answer that is kept. */
  apply: (tx: TeamTransaction, prepared: P) => Promise<Answer>;
  /** Refuses an answer that was kept, where its caller reaches what it shows no more. */
  checkKept?: (body: unknown) => void;
  /** Undoes what `prepare` left behind, where `apply` did not come to pass. */
  discard?: (prepared: P) => Promise<void>;
}

/**
 * Has the effect of a request once for its Idempotency-Key, and answers with what it returned, at first and on
 * every repeat. Call it when access has been checked, so that a replay is checked like the first.
 */
export async function answerOnce<P>(
  request: FastifyRequest,
  reply: FastifyReply,
  database: Database,
  effect: Effect<P>,
): Promise<never> {
  const header = keyHeader(request);
  const answer =
    header === null
      ? await run(database, request.teamScope, effect, (tx, prepared) => effect.apply(tx, prepared))
      : await runOnce(database, request.teamScope, await answerKey(request, header), effect);
  reply.code(answer.status);
  // A replayed body has the type of the route that kept it, which the route's response schema holds it to.
  return answer.body as never;
}

async function run<P>(
  database: Database,
  scope: TeamScope,
  effect: Effect<P>,
  apply: (tx: TeamTransaction, prepared: P) => Promise<Answer>,
): Promise<Answer> {
  const prepared = await effect.prepare();
  try {
    return await transaction(database, scope, (tx) => apply(tx, prepared));
  } catch (error) {
    await effect.discard?.(prepared);
    throw error;
  }
}

async function runOnce<P>(
  database: Database,
  scope: TeamScope,
  key: AnswerKey,
  effect: Effect<P>,
): Promise<Answer> {
  const earlier = await transaction(database, scope, (tx) => findAnswer(tx, key));
  if (earlier !== null) return replay(earlier, key, effect);
  const here = running.get(database) ?? new Set();
  running.set(database, here);
  const name = `${scope.teamId} ${scope.userId} ${key.route} ${key.keyHash.toString('hex')}`;
  if (here.has(name)) throw new ServiceError('idempotency_in_progress');
  here.add(name);
  try {
    return await run(database, scope, effect, async (tx, prepared) => {
      if (!(await lockAnswer(tx, key))) throw new ServiceError('idempotency_in_progress');
      const first = await findAnswer(tx, key);
      if (first !== null) throw new Replayed(replay(first, key, effect));
      const answer = await effect.apply(tx, prepared);
      await insertAnswer(tx, key, {
        bodyHash: key.bodyHash,
        status: answer.status,
        response: answer.body,
      });
      return answer;
    });
  } catch (error) {
    if (error instanceof Replayed) return error.answer;
    throw error;
  } finally {
    here.delete(name);
  }
}

/** Another process was first, after we had looked: what was prepared here is discarded, its answer given. */
class Replayed extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super('replayed');
    this.answer = answer;
  }
}
