import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Database, type TeamTransaction, transaction } from '../../db/database.ts';
import {
  type AnswerKey,
  findAnswer,
  insertAnswer,
  lockAnswer,
  type StoredAnswer,
} from '../../db/queries/idempotency.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';

/** What a route answers: kept and replayed only if it is a 2xx, which an effect that returns always is. */
export interface Answer {
  status: number;
  body: unknown;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}

function answerKey(request: FastifyRequest): AnswerKey | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  if (typeof header !== 'string' || header.trim() === '' || header.length > 300) {
    throw invalidField('/Idempotency-Key', 'must be 1 to 300 characters');
  }
  return {
    route: `${request.method} ${request.url.split('?', 1)[0]}`,
    keyHash: sha256(header),
    bodyHash: sha256(JSON.stringify(request.body ?? null)),
  };
}

function replay(stored: StoredAnswer, key: AnswerKey): Answer {
  if (!stored.bodyHash.equals(key.bodyHash)) throw new ServiceError('idempotency_key_reused');
  return { status: stored.status, body: stored.response };
}

/**
 * Runs the effect of a request once for its Idempotency-Key, and answers with what it returned, at first and on
 * every repeat. Call it when access has been checked, so that a replay is checked like the first.
 * @param prepare the slow part, outside any transaction; skipped on a replay
 * @param effect the change, in one transaction with the answer that is kept
 */
export async function answerOnce<P>(
  request: FastifyRequest,
  reply: FastifyReply,
  database: Database,
  prepare: () => Promise<P>,
  effect: (tx: TeamTransaction, prepared: P) => Promise<Answer>,
): Promise<unknown> {
  const scope = request.teamScope;
  const key = answerKey(request);
  const send = ({ status, body }: Answer) => {
    reply.code(status);
    return body;
  };
  if (key === null) {
    const prepared = await prepare();
    return send(await transaction(database, scope, (tx) => effect(tx, prepared)));
  }
  const earlier = await transaction(database, scope, (tx) => findAnswer(tx, key));
  if (earlier !== null) return send(replay(earlier, key));
  const prepared = await prepare();
  return send(
    await transaction(database, scope, async (tx) => {
      if (!(await lockAnswer(tx, key))) throw new ServiceError('idempotency_in_progress');
      const first = await findAnswer(tx, key);
      if (first !== null) return replay(first, key);
      const answer = await effect(tx, prepared);
      await insertAnswer(tx, key, { bodyHash: key.bodyHash, status: answer.status, response: answer.body });
      return answer;
    }),
  );
}
